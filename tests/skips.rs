//! Checks that a test that does not run says why, so that it counts as skipped: in C++ by `GTEST_SKIP() << REASON`, in
//! Rust by a printed line `skipped: REASON`, which tools/count_tests.py reads.

#[path = "source/mod.rs"]
mod source;

use source::{files, read, rust_files};

/// Functions of Rust tests that print why they return nothing or false; and the variable that makes a test write what
/// it compares.
const SAYING: [&str; 12] = [
    "PORTACL_UPDATE",
    "Deferring::new(",
    "Pause::begin(",
    "fail(",
    "frees(",
    "has_limits(",
    "has_peers(",
    "has_queues(",
    "has_two_devices(",
    "may_lock(",
    "of_double(",
    "pools(",
];

/// Returns the tests of a C++ file whose first statement is `if (...) return;`. What takes the parameter of a test
/// does not count as a statement.
fn silent_cpp(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let name = line.split('(').next().unwrap();
        let is_macro = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        if !is_macro || !name.contains("TEST") {
            continue;
        }
        let Some(head) = lines[at..].iter().position(|line| line.ends_with('{')) else { continue };
        let code = lines[at + head + 1..].iter().map(|line| line.split("//").next().unwrap().trim());
        let mut code = code.filter(|line| !line.is_empty() && !line.ends_with(" = GetParam();"));
        let first = code.next().unwrap_or_default();
        let returns = first.ends_with(") return;") || first.ends_with('{') && code.next() == Some("return;");
        if first.starts_with("if (") && returns {
            found.push(format!("{path}:{}: {first}", at + 1));
        }
    }
    found
}

/// Returns the tests of a Rust file that return before their first assertion and do not print why.
fn silent_rust(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "#[test]") {
        let Some(head) = lines[at..].iter().position(|line| line.trim_start().starts_with("fn ")) else { continue };
        let first = at + head + 1;
        let indent = lines[first - 1].len() - lines[first - 1].trim_start().len();
        let body =
            lines[first..].iter().take_while(|line| line.len() - line.trim_start().len() > indent || line.is_empty());
        let mut condition = "";
        for (below, line) in body.enumerate() {
            let code = line.split("//").next().unwrap();
            let depth = line.len() - line.trim_start().len() - indent;
            if code.contains("assert") || code.contains("skipped: ") {
                break;
            }
            if depth == 4 {
                condition = code;
            }
            // Closures return as well.
            let returns = depth == 8 && code.trim() == "return;" || code.contains("else { return }");
            if depth <= 8
                && returns
                && !condition.contains("= |")
                && !SAYING.iter().any(|call| condition.contains(call) || code.contains(call))
            {
                found.push(format!("{path}:{}: {}", first + below + 1, condition.trim()));
                break;
            }
        }
    }
    found
}

#[test]
fn tests_that_do_not_run_say_why() {
    let cpp = ["cpp_tests", "integrations", "tests"].iter().flat_map(|folder| files(folder, &["cpp"]));
    let mut found: Vec<String> = cpp.flat_map(|path| silent_cpp(&path, &read(&path))).collect();
    found.extend(rust_files().iter().flat_map(|path| silent_rust(path, &read(path))));
    let repair =
        "use GTEST_SKIP() << REASON, or print skipped: REASON (Skips::IsValid in cpp_tests/support has reasons)";
    assert!(found.is_empty(), "{}\n{repair}", found.join("\n"));
}

#[test]
fn a_silent_test_is_found() {
    let cpp = [
        "TEST_F(A, B) {\n    // Why.\n    if (!OnCpu()) return;  // So.\n}\n",
        "TEST_P(A, B) {\n    const C& c = GetParam();\n    if (c.d) {\n        return;\n    }\n}\n",
        "OWN_PROCESS_TEST(A, B, {\"C\", \"d\"},\n                 {\"E\", \"f\"}) {\n    if (!OnCpu()) return;\n}\n",
    ];
    assert!(cpp.iter().all(|text| silent_cpp("a.cpp", text).len() == 1));
    let good = [
        "TEST(A, B) {\n    if (!OnCpu()) GTEST_SKIP() << \"for CPUs only\";\n}\n",
        "TEST(A, B) {\n    ACL_OK(c());\n    if (OnCpu()) return;\n}\n",
        "TEST(A, B) {\n    if (IsChild()) {\n        Work();\n        return;\n    }\n}\n",
        "void Helper() {\n    if (!OnCpu()) return;\n}\n",
    ];
    assert!(good.iter().all(|text| silent_cpp("a.cpp", text).is_empty()));
    let rust = [
        "#[test]\n#[ignore = \"x\"]\nfn a() {\n    let b = c();\n    if !b {\n        return;\n    }\n    assert!(d);\n}\n",
        "mod a {\n    #[test]\n    fn b() {\n        let Some(c) = d() else { return };\n    }\n}\n",
    ];
    assert!(rust.iter().all(|text| silent_rust("a.rs", text).len() == 1));
    let good = [
        "#[test]\nfn a() {\n    if !b() {\n        return println!(\"skipped: c\");\n    }\n}\n",
        "#[test]\nfn a() {\n    assert!(b);\n    if c {\n        return;\n    }\n}\n",
        "#[test]\nfn a() {\n    let Some(b) = pools(&c) else { return };\n}\n",
        "#[test]\nfn a() {}\nfn b() {\n    if c {\n        return;\n    }\n}\n",
    ];
    assert!(good.iter().all(|text| silent_rust("a.rs", text).is_empty()));
}
