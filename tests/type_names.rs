//! Checks that readers find types and functions: few types have one name, the backends implement the functions of a
//! trait in the order of the trait, and a function that only the core uses is not public. The lint unreachable_pub does
//! not see that, because the modules of the core are public.

mod source;

use std::collections::{BTreeMap, BTreeSet};

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

/// Returns the blocks that begin with `head` and a name, with the names of their functions, in order.
fn blocks<'a>(code: &'a str, head: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let begins = code.match_indices(head).filter(|(at, _)| *at == 0 || code[..*at].ends_with('\n'));
    begins
        .map(|(at, _)| {
            let block = code[at..].split("\n}\n").next().unwrap();
            let name = block[head.len()..].split(|c: char| !c.is_alphanumeric()).next().unwrap();
            let functions = block.lines().filter_map(|line| line.strip_prefix("    fn "));
            (name, functions.filter_map(|rest| rest.split(['(', '<']).next()).collect())
        })
        .collect()
}

/// Returns the functions that a backend implements before one that the trait declares earlier.
fn out_of_order(traits: &str, backend: &str) -> Vec<String> {
    let declared: BTreeMap<&str, Vec<&str>> = blocks(traits, "pub trait ").into_iter().collect();
    let mut found = Vec::new();
    for (name, implemented) in blocks(backend, "impl ") {
        let Some(order) = declared.get(name) else { continue };
        let place = |function: &&str| order.iter().position(|declared| declared == function);
        found.extend(
            implemented
                .windows(2)
                .filter(|pair| place(&pair[0]) > place(&pair[1]))
                .map(|pair| format!("{name}: {} comes before {}", pair[0], pair[1])),
        );
    }
    found
}

#[test]
fn backends_implement_functions_in_the_order_of_the_trait() {
    let code_below = |folder: &str| {
        let sources = rust_files().into_iter().filter(|path| path.starts_with(folder) && !is_test_file(path));
        sources.map(|path| without_comments(&read(&path))).collect::<String>()
    };
    let traits = code_below("src/backend/");
    for backend in ["src/cpu/", "src/cuda/"] {
        let code = code_below(backend);
        assert!(blocks(&code, "impl ").iter().any(|(name, functions)| *name == "Device" && functions.len() > 20));
        assert_eq!(out_of_order(&traits, &code), Vec::<String>::new(), "{backend}: move it");
    }
}

#[test]
fn another_order_is_found() {
    let traits = "pub trait A: Sync {\n    fn one(&self);\n    fn two<T>(&self);\n}\n";
    let sorted = "impl A for B {\n    fn one(&self) {\n    }\n    fn two<T>(&self) {}\n}\n";
    assert_eq!(out_of_order(traits, sorted), Vec::<String>::new());
    let other = "impl A for B {\n    fn two<T>(&self) {}\n    fn one(&self) {}\n}\nimpl B {\n    fn two() {}\n}\n";
    assert_eq!(out_of_order(traits, other), ["A: two comes before one"]);
}

fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Returns the public functions of `sources` with a name that is not `used`: outside of the core.
fn needlessly_public(sources: &[(String, String)], used: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources.iter().filter(|(path, _)| !is_test_file(path)) {
        let code = without_comments(text);
        for line in code.lines().filter_map(|line| line.trim_start().strip_prefix("pub ")) {
            let behind = line.strip_prefix("fn ").or_else(|| Some(line.split_once(" fn ")?.1));
            let name = behind.and_then(|rest| identifiers(rest).next());
            found.extend(name.filter(|name| !used.contains(*name)).map(|name| format!("{path}: {name}")));
        }
    }
    found
}

#[test]
fn functions_for_the_core_alone_are_not_public() {
    let sources: Vec<_> = rust_files().into_iter().map(|path| (without_comments(&read(&path)), path)).collect();
    let (core, others): (Vec<_>, Vec<_>) = sources.into_iter().partition(|(_, path)| path.starts_with("src/core/"));
    let used = others.iter().flat_map(|(code, _)| identifiers(code)).map(str::to_owned).collect();
    let core: Vec<_> = core.into_iter().map(|(code, path)| (path, code)).collect();
    assert!(core.iter().any(|(_, code)| code.contains("    pub fn ")));
    assert_eq!(needlessly_public(&core, &used), Vec::<String>::new(), "pub(crate) is enough for them");
}

#[test]
fn a_needlessly_public_function_is_found() {
    let text = "pub fn one() {}\n    pub const fn two<T>() {}\npub(crate) fn three() {}\npub fn four() {} // five\n";
    let used = BTreeSet::from(["one".to_owned()]);
    let sources = [("src/core/a.rs".to_owned(), text.to_owned())];
    assert_eq!(needlessly_public(&sources, &used), ["src/core/a.rs: two", "src/core/a.rs: four"]);
    assert_eq!(needlessly_public(&[("src/core/a_tests.rs".to_owned(), text.to_owned())], &used), [""; 0]);
}
