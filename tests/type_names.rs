//! Checks that readers find types and functions: few types have one name, the backends implement the functions of a
//! trait in the order of the trait, and a function that only the core uses is not public. The lint unreachable_pub does
//! not see that, because the modules of the core are public.

mod source;

use std::collections::{BTreeMap, BTreeSet};

use source::{files, is_test_file, read, rust_files, without_comments};

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

/// Returns the names of more types than allowed, with their files.
fn too_frequent(types: BTreeMap<String, Vec<&str>>) -> Vec<String> {
    let frequent = types.into_iter().filter(|(_, paths)| paths.len() > MOST);
    frequent.map(|(name, paths)| format!("{} types have the name {name}: {}", paths.len(), paths.join(", "))).collect()
}

/// Returns the types of Rust by name, each with its file. Types of tests do not count.
fn rust_types(sources: &[(String, String)]) -> BTreeMap<String, Vec<&str>> {
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
    found
}

#[test]
fn few_types_have_one_name() {
    let sources: Vec<_> = rust_files().into_iter().map(|path| (path.clone(), read(&path))).collect();
    let lines = sources.iter().flat_map(|(_, text)| text.lines());
    assert!(lines.filter_map(declared).count() > 1000);
    let found = too_frequent(rust_types(&sources));
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
    assert_eq!(too_frequent(rust_types(&sources)), Vec::<String>::new());
    sources.push(file("g.rs", "trait A {\n    type State: Sync;\n}\n"));
    let text = "4 types have the name State: src/a.rs, src/a.rs, src/f.rs, src/g.rs";
    assert_eq!(too_frequent(rust_types(&sources)), [text]);
}

/// C++ with names that others have chosen: what a program generates, and declarations of Gloo.
const NOT_NAMED_HERE: [&str; 4] = [
    "integrations/cxx/include/portacl/cxx_bridge.h",
    "integrations/cxx/include/rust/",
    "integrations/cxx/src/",
    "integrations/hccl/c10d/declarations/",
];

/// Returns the name of the type that a formatted line of C++ defines, also within a class or a function.
/// Specializations and declarations without a body do not count.
fn defined_in_cpp(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = code.strip_prefix("typedef ").unwrap_or(code);
    let (keyword, mut rest) = code.split_once(' ')?;
    if !["struct", "class", "enum", "union"].contains(&keyword) {
        return None;
    }
    if let Some(behind) = rest.strip_prefix("class ").filter(|_| keyword == "enum") {
        rest = behind;
    }
    if rest.starts_with("alignas(") || rest.starts_with("[[") {
        rest = rest.split_once([')', ']'])?.1.trim_start_matches([']', ' ']);
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, behind) = (&rest[..end], rest[end..].trim_start());
    let has_body =
        behind.is_empty() || behind.starts_with('{') || behind.starts_with(": ") || behind.starts_with("final ");
    (has_body && !name.is_empty()).then_some(name)
}

/// Returns the aliases of a file of C++: names, and the types that they stand for. Those of a class or a function do
/// not count: a template reads the former by their names, and the latter end with the function. One like
/// `using Tensor = at::Tensor;` has no name of its own.
fn aliases_in_cpp(code: &str) -> Vec<(&str, String)> {
    let begins = code.match_indices("using ").filter(|(at, _)| *at == 0 || code[..*at].ends_with('\n'));
    let parts = begins.filter_map(|(at, head)| code[at + head.len()..].split(';').next()?.split_once(" ="));
    parts
        .map(|(name, target)| (name, target.split_whitespace().collect::<String>()))
        .filter(|(name, target)| target.rsplit("::").next() != Some(*name))
        .collect()
}

/// Returns the types of C++ by name, each with its file. Aliases of one name for one type are one type. Fixtures do not
/// count: they have the names of what they test.
fn cpp_types(sources: &[(String, String)]) -> BTreeMap<String, Vec<&str>> {
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (path, text) in sources.iter().filter(|(path, _)| !NOT_NAMED_HERE.iter().any(|from| path.starts_with(from))) {
        let code = without_comments(text);
        let defined = code.lines().filter_map(defined_in_cpp);
        let aliases = aliases_in_cpp(&code).into_iter();
        let new = aliases.filter(|(name, target)| known.insert(format!("{name} = {target}"))).map(|(name, _)| name);
        let fixtures: BTreeSet<_> = code.split("TEST_F(").skip(1).filter_map(|rest| rest.split(',').next()).collect();
        for name in defined.chain(new).filter(|name| !fixtures.contains(name)) {
            found.entry(name.to_owned()).or_default().push(path);
        }
    }
    found
}

#[test]
fn few_types_of_cpp_have_one_name() {
    let folders = ["benches", "cpp_tests", "include", "integrations", "programs", "samples", "src", "tests"];
    let paths = folders.iter().flat_map(|folder| files(folder, &["c", "cpp", "cu", "h", "hpp", "rs"]));
    let sources: Vec<_> = paths.filter(|path| !path.ends_with(".rs")).map(|path| (path.clone(), read(&path))).collect();
    let types = cpp_types(&sources);
    assert!(types.len() > 800 && types["Stream"].len() > 1, "{} types", types.len());
    let found = too_frequent(types);
    assert!(found.is_empty(), "{}\nat most {MOST}: name each for what it is", found.join("\n"));
}

#[test]
fn a_fourth_type_of_a_name_is_found_in_cpp() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let mut sources = vec![
        file("a.cpp", "struct State {\n    enum class State : int { kOne };\n};\n"),
        file("a.h", "using State = std::array<int,\n                         4>;\n"),
        // None of these is another type.
        file(
            "b.h",
            "using State = std::array<int, 4>;\nusing State = other::State;\nstruct State;\n// struct State {\n",
        ),
        file(
            "c.h",
            "struct A {\n    using State = int;\n};\ntemplate <>\nstruct State<int> {};\nenum Other { kState };\n",
        ),
        file("d.cpp", "class State : public WithDevice {};\nTEST_F(State, Runs) {}\nstruct State *state, other;\n"),
        file("integrations/cxx/include/rust/cxx.h", "class State {\n"),
    ];
    assert_eq!(too_frequent(cpp_types(&sources)), Vec::<String>::new());
    for (line, name) in [
        ("    struct alignas(128) State {", "State"),
        ("typedef struct State {", "State"),
        ("class [[nodiscard]] State final : public A {", "State"),
        ("union State {", "State"),
    ] {
        assert_eq!(defined_in_cpp(line), Some(name));
    }
    sources.push(file("e.cpp", "class State\n    : public A<int, long> {};\n"));
    let text = "4 types have the name State: a.cpp, a.cpp, a.h, e.cpp";
    assert_eq!(too_frequent(cpp_types(&sources)), [text]);
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
