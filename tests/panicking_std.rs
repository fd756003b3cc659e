//! Finds uses of the standard library's functions that panic when the system refuses a call. The product uses functions
//! of its own instead.

mod source;

use source::{files, is_test_file, read, without_comments};

/// The functions, each with its replacement.
const PANICKING: [(&str, &str); 6] = [
    ("eprintln!", "algo::host::notice"),
    ("eprint!", "algo::host::notice"),
    ("println!", "algo::host::notice"),
    ("thread::sleep", "algo::thread::pause"),
    ("thread::spawn", "algo::thread::quiet_thread"),
    ("read_dir(", "names that are known"),
];

/// Returns the lines that use one, except in test modules.
fn uses(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The text that ends the current test module.
    let mut end: Option<String> = None;
    for (number, line) in without_comments(text).lines().enumerate() {
        if let Some(wanted) = &end {
            if line == wanted {
                end = None;
            }
            continue;
        }
        let code = line.trim_start();
        let is_test = code == "mod tests {" || code.starts_with("mod loom_") && code.ends_with('{');
        if is_test {
            end = Some(format!("{}}}", &line[..line.len() - code.len()]));
            continue;
        }
        let is_use = |name: &str| {
            line.match_indices(name)
                .any(|(at, _)| !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
        };
        for (name, instead) in PANICKING.iter().filter(|(name, _)| is_use(name)) {
            found.push(format!("{path}:{}: {name} panics; use {instead}", number + 1));
        }
    }
    found
}

fn is_product(path: &str) -> bool {
    !is_test_file(path) && !path.ends_with("/build.rs")
}

#[test]
fn refused_calls_panic_nowhere() {
    let all = files("src", &["rs"]);
    let product = all.iter().filter(|path| is_product(path));
    let found: Vec<String> = product.flat_map(|path| uses(path, &read(path))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_use_is_found() {
    assert_eq!(uses("a.rs", "fn a() {\n    std::thread::sleep(b);\n}\n").len(), 1);
    assert_eq!(uses("a.rs", "eprintln!(\"c\");\n").len(), 1);
    let test = "// eprintln!\n    mod tests {\n        thread::sleep(b);\n    }\n";
    assert!(uses("a.rs", test).is_empty());
    assert_eq!(uses("a.rs", &format!("{test}println!();\n")).len(), 1);
}
