//! Where the tests of `src` are: in files of their own, `x_tests.rs` for the module `x.rs`, `tests.rs` for `mod.rs`.

use super::super::source::is_test_file;
use super::size::Sizes;
use super::sources::Sources;

/// The tests in each file of product code, and the modules that only tests have.
pub fn tests_in_product_files(sources: &Sources) -> Sizes {
    let product = sources.iter().filter(|(path, _)| path.starts_with("src/") && !is_test_file(path));
    let counted = product.map(|(path, text)| (path.to_owned(), inline_tests(text)));
    counted.filter(|(_, count)| *count > 0).collect()
}

fn inline_tests(text: &str) -> usize {
    let mut count = 0;
    let mut is_for_tests = false;
    for line in text.lines().map(str::trim) {
        let is_module = ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "].iter().any(|m| line.starts_with(m));
        if line == "#[test]" || is_for_tests && is_module && line.ends_with('{') {
            count += 1;
        }
        let is_attribute = line.starts_with('#');
        is_for_tests = is_attribute && (is_for_tests || line.starts_with("#[cfg(") && has_word(line, "test"));
    }
    count
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word)
}

fn is_declaration(line: &str) -> bool {
    line == "mod tests;" || line.starts_with("pub") && line.ends_with(" mod tests;")
}

/// Declarations `mod tests;` whose file has another name than the convention says.
pub fn misnamed(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources.iter().filter(|(path, _)| path.starts_with("src/")) {
        let (folder, name) = path.rsplit_once('/').unwrap();
        let stem = name.trim_end_matches(".rs");
        let is_root = matches!(stem, "mod" | "lib");
        let expected = if is_root { "tests.rs".to_owned() } else { format!("{stem}_tests.rs") };
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).filter(|at| is_declaration(lines[*at])) {
            let declared = at.checked_sub(1).and_then(|before| lines[before].strip_prefix("#[path = \""));
            let is_right = match declared {
                Some(file) => !is_root && file.trim_end_matches("\"]") == expected,
                None => is_root,
            };
            if !is_right {
                found.push(format!("{path}:{}: the tests are not in {folder}/{expected}", at + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        tests_in_product_files(&Sources::of(&[(path, text)])).get(path).copied().unwrap_or(0)
    }

    #[test]
    fn tests_among_product_code_are_counted() {
        let inline = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n";
        assert_eq!(count("src/a.rs", inline), 2);
        assert_eq!(count("src/a.rs", "#[cfg(all(test, not(loom)))]\n#[allow(unused)]\npub mod helpers {\n}\n"), 1);
        assert_eq!(count("src/a.rs", "#[test]\nfn a() {}\n"), 1);
        for file in ["src/a_tests.rs", "src/a_models.rs", "src/a/tests.rs", "src/tests/a.rs", "tests/a.rs"] {
            assert_eq!(count(file, inline), 0, "{file}");
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
    }
}
