use super::*;

fn count(path: &str, text: &str) -> usize {
    without_own_file(&Sources::of(&[(path, text)])).get(path).copied().unwrap_or(0)
}

#[test]
fn tests_among_product_code_are_counted() {
    let inline = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n";
    assert_eq!(count("src/a.rs", inline), 2);
    assert_eq!(count("src/a.rs", "#[cfg(all(test, not(loom)))]\n#[allow(unused)]\npub mod helpers {\n}\n"), 1);
    assert_eq!(count("src/a.rs", "#[test]\nfn a() {}\n"), 1);
    for product in ["cxx/src/a.rs", "programs/a.rs", "build.rs"] {
        assert_eq!(count(product, inline), 2, "{product}");
    }
    for product in [
        "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\n",
        "#[cfg(test)]\nfn a() {}\n\nmod b {\n}\n",
        "#[cfg(unix)]\nmod b {\n}\n",
    ] {
        assert_eq!(count("src/a.rs", product), 0, "{product}");
    }
}

#[test]
fn modules_in_files_of_tests_are_counted() {
    let module = "mod seen_failing {\n    fn a() {}\n    #[test]\n    fn b() {}\n}\n";
    let models = format!("#[cfg(loom)]\n{}", module.replace("seen_failing", "loom_a"));
    let plain = "#[test]\nfn b() {}\n\nmod helpers {\n    fn a() {}\n}\n\n#[test]\nfn c() {}\n";
    for file in
        ["src/a_tests.rs", "src/a_models.rs", "src/a/tests.rs", "src/tests/a.rs", "tests/a.rs", "cxx/tests/a.rs"]
    {
        assert_eq!([module, &models].map(|text| count(file, text)), [1, 1], "{file}");
        assert_eq!([plain, &format!("#[cfg(not(loom))]\n{module}")].map(|text| count(file, text)), [0, 0], "{file}");
    }
}

#[test]
fn files_of_tests_have_one_name() {
    let violations = |path, text| misnamed(&Sources::of(&[(path, text)])).len();
    let named = "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\n";
    let plain = "#[cfg(test)]\nmod tests;\n";
    assert_eq!(violations("src/b/a.rs", named), 0);
    assert_eq!(violations("src/b/mod.rs", plain), 0);
    assert_eq!(violations("src/b/c.rs", named), 1);
    assert_eq!(violations("src/b/mod.rs", named), 1);
    assert_eq!(violations("src/b/a.rs", plain), 1);
    assert_eq!(violations("src/b/a.rs", "#[cfg(test)]\npub(super) mod tests;\n"), 1);
    assert_eq!(violations("tests/c.rs", named), 1);
    let models = "#[cfg(loom)]\n#[path = \"a_models.rs\"]\nmod loom_a;\n";
    assert_eq!(["src/b/a.rs", "src/b/a_tests.rs", "src/b/c.rs"].map(|path| violations(path, models)), [0, 0, 1]);
    assert_eq!(violations("src/b/a.rs", &models.replace("a_models", "a_tests/models")), 1);
}
