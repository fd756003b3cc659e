use super::*;

fn sizes(path: &str, text: &str) -> Vec<(String, usize)> {
    function_lines(&Sources::of(&[(path, text)])).into_iter().collect()
}

fn named(name: &str, lines: usize) -> Vec<(String, usize)> {
    vec![(name.to_owned(), lines)]
}

#[test]
fn sizes_above_the_limit_are_violations() {
    let sizes = Sizes::from([("a.rs".to_owned(), 10), ("b.rs".to_owned(), 11)]);
    assert_eq!(violations("lines", &sizes, 10), ["lines: b.rs: 11; 10 is the most"]);
}

#[test]
fn files_and_folders_are_counted() {
    let sources = Sources::of(&[("a/b.rs", "1\n2\n3"), ("a/c.rs", ""), ("a/d/e.rs", "\n")]);
    assert_eq!(file_lines(&sources)["a/b.rs"], 3);
    assert_eq!(file_lines(&sources)["a/d/e.rs"], 1);
    assert_eq!(folder_files(&sources)["a"], 2);
    assert_eq!(folder_files(&sources)["a/d"], 1);
    let tested = Sources::of(&[("a/b.rs", ""), ("a/b_tests.rs", ""), ("a/b_models.rs", ""), ("a/c_tests.rs", "")]);
    assert_eq!(folder_files(&tested)["a"], 2, "b with its tests, and tests without a module");
}

#[test]
fn functions_of_rust() {
    let text = "/// Documented.\n#[inline]\npub fn a(\n    b: u8,\n) {\n    c();\n}\n";
    assert_eq!(sizes("a.rs", text), named("a.rs a", 5));
    let method = "impl A {\n    fn b() {\n    }\n}\ntrait B {\n    fn c();\n    fn b() {\n\n\n    }\n}\n";
    assert_eq!(sizes("a.rs", method), named("a.rs b", 4));
    let inner = "fn a() {\n    fn b() {\n    }\n}\n";
    assert_eq!(sizes("a.rs", inner).len(), 2);
}

#[test]
fn functions_of_cpp() {
    let text = "// {\nint a(int b)\n{\n    if (b) {\n        c(\"}\");\n    }\n}\n";
    assert_eq!(sizes("a.cpp", text), named("a.cpp a", 6));
    let method = "namespace {\nclass A : public B {\n    int b() const override {\n        return 1;\n    }\n};\n}\n";
    assert_eq!(sizes("a.h", method), named("a.h b", 3));
    let made = "A::A(int b) : a(b) {\n    auto c = [] {\n    };\n}\n";
    assert_eq!(sizes("a.cpp", made), named("a.cpp A::A", 4));
    let test = "TEST(works) {\n    char c = '{';\n    long d = 1'000'000;\n}\n";
    assert_eq!(sizes("a.cpp", test), named("a.cpp TEST", 4));
    let returned = "struct A b() {\n}\nextern \"C\" int c(void) {\n}\n";
    assert_eq!(sizes("a.cpp", returned).len(), 2);
    for none in [
        "const int a[] = {\n    1,\n};\n",
        "#define A(b) \\\n    { \\\n    }\n",
        "struct A {\n    int b;\n};\n",
        "const char* a = R\"(f() {\n})\";\n",
        "/* a() {\n} */\n",
        "const std::map<int, int> a = {{f(1), 2}};\n",
    ] {
        assert_eq!(sizes("a.cpp", none), [], "{none}");
    }
}
