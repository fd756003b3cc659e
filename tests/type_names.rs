//! Checks that few types have one name, so that a search for a name finds the type.

mod source;

use std::collections::BTreeMap;

use source::{is_test_file, read, rust_files, without_comments};

/// The maximum number of types of one name.
const MOST: usize = 3;

/// Returns the name of the type that a line declares. What an `impl` assigns to an associated type does not count: the
/// trait chose its name.
fn declared(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None => code,
    };
    let (keyword, rest) = code.strip_prefix("unsafe ").unwrap_or(code).split_once(' ')?;
    let is_assigned = keyword == "type" && line.starts_with("    ") && line.contains(" = ");
    let is_type = ["struct", "enum", "union", "trait", "type"].contains(&keyword) && !is_assigned;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_type && end > 0).then(|| &rest[..end])
}

/// Returns the names of more types than allowed, with their files. Types of tests do not count.
fn too_frequent(sources: &[(String, String)]) -> Vec<String> {
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (path, text) in sources.iter().filter(|(path, _)| path.starts_with("src/") && !is_test_file(path)) {
        let code = without_comments(text);
        let mut is_for_tests = false;
        for line in code.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(name) = declared(line).filter(|_| !is_for_tests) {
                found.entry(name.to_owned()).or_default().push(path);
            }
            is_for_tests =
                line.trim_start().starts_with("#[cfg(test)]") || is_for_tests && line.trim_start().starts_with("#[");
        }
    }
    let frequent = found.into_iter().filter(|(_, paths)| paths.len() > MOST);
    frequent.map(|(name, paths)| format!("{} types have the name {name}: {}", paths.len(), paths.join(", "))).collect()
}

#[test]
fn few_types_have_one_name() {
    let sources: Vec<_> = rust_files().into_iter().map(|path| (path.clone(), read(&path))).collect();
    let lines = sources.iter().flat_map(|(_, text)| text.lines());
    assert!(lines.filter_map(declared).count() > 1000);
    let found = too_frequent(&sources);
    assert!(found.is_empty(), "{}\nat most {MOST}: name each for what it is", found.join("\n"));
}

#[test]
fn a_fourth_type_of_a_name_is_found() {
    let file = |path: &str, text: &str| (format!("src/{path}"), text.to_owned());
    let first = file("a.rs", "pub(super) struct State {\n}\nmod b {\n    enum State<T> {}\n}\n// struct State;\n");
    let ignored = [
        file("b_tests.rs", "struct State;\n"),
        file("c.rs", "#[cfg(test)]\n#[derive(Debug)]\nstruct State;\n"),
        file("d.rs", "impl Iterator for A {\n    type State = u8;\n}\n"),
        ("tests/e.rs".to_owned(), "struct State;\n".to_owned()),
    ];
    let third = file("f.rs", "pub unsafe trait State: Sync {\n}\n");
    let mut sources = [vec![first, third], ignored.to_vec()].concat();
    assert_eq!(too_frequent(&sources), Vec::<String>::new());
    sources.push(file("g.rs", "trait A {\n    type State: Sync;\n}\n"));
    let text = "4 types have the name State: src/a.rs, src/a.rs, src/f.rs, src/g.rs";
    assert_eq!(too_frequent(&sources), [text]);
}
