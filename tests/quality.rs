//! Checks that docs/quality.md names checks, tests, files and commands that exist, and that CI runs the commands at the
//! top of README.

mod source;

use std::collections::BTreeSet;

use source::{files, read, root, rust_files};

const PAGE: &str = "docs/quality.md";
/// The maximum number of words of the page.
const WORDS: usize = 500;

/// Returns the tests of a Rust file.
fn rust_tests(text: &str) -> Vec<String> {
    let functions = text.split("#[test]\nfn ").skip(1);
    functions.filter_map(|rest| Some(rest.split_once('(')?.0.to_owned())).collect()
}

/// Returns the tests of a Python file.
fn python_tests(text: &str) -> Vec<String> {
    let functions = text.split("    def test_").skip(1);
    functions.filter_map(|rest| Some(format!("test_{}", rest.split_once('(')?.0))).collect()
}

/// Returns the tests of a C++ file, as `Suite.Name`.
fn cpp_tests(text: &str) -> Vec<String> {
    let heads = text.lines().filter(|line| line.starts_with("TEST(") || line.starts_with("TEST_F("));
    heads.filter_map(|line| Some(line.split_once('(')?.1.split_once(')')?.0.replace(", ", "."))).collect()
}

/// Whether a `CMakeLists.txt` adds a test with this name. The last part of a name may be an item of a list.
fn adds_test(text: &str, name: &str) -> bool {
    let mut beginnings = text.split("add_test(NAME ").skip(1).filter_map(|rest| rest.lines().next()?.split_once("${"));
    let is_item = |item: &str| text.split(|c: char| c.is_whitespace() || c == ')').any(|word| word == item);
    let mut in_list = || beginnings.any(|(beginning, _)| name.strip_prefix(beginning).is_some_and(is_item));
    text.contains(&format!("add_test(NAME {name}\n")) || text.contains(&format!("add_test(NAME {name} ")) || in_list()
}

/// Returns the words in backquotes of a page.
fn quoted(page: &str) -> Vec<&str> {
    page.split('`').skip(1).step_by(2).collect()
}

/// Returns the names that a page has in backquotes, and that nothing in the tree has.
fn unknown(page: &str) -> Vec<&str> {
    let rust = rust_files().into_iter().filter(|path| path.starts_with("tests/"));
    let mut tests: BTreeSet<String> = rust.flat_map(|path| rust_tests(&read(&path))).collect();
    tests.extend(files("tools", &["py"]).iter().flat_map(|path| python_tests(&read(path))));
    tests.extend(files("cpp_tests", &["cpp"]).iter().flat_map(|path| cpp_tests(&read(path))));
    let lists = files("cpp_tests", &["txt"]).into_iter().filter(|path| path.ends_with("CMakeLists.txt"));
    let lists: Vec<String> = lists.map(|path| read(&path)).collect();
    let commands = read("dev") + &read("tools/check.sh");
    let exists = |name: &&str| {
        let is_check = !name.contains(['/', '.']) && root().join(format!("tools/checks/{name}.sh")).is_file();
        let is_file = name.contains('/') && root().join(name).is_file();
        // In capitals: what the reader replaces.
        let mut parts = name.strip_prefix("./dev ").into_iter().flat_map(|rest| rest.split(' ')).peekable();
        let is_command = parts.peek().is_some()
            && parts.all(|part| part.chars().all(|c| c.is_uppercase()) || commands.contains(part));
        is_check || is_file || is_command || tests.contains(*name) || lists.iter().any(|list| adds_test(list, name))
    };
    quoted(page).into_iter().filter(|name| *name != "./dev" && !exists(name)).collect()
}

/// Returns the rows of the page's table that name nothing in their last column.
fn rows_without_names(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.filter(|row| row.trim_end_matches([' ', '|']).rsplit('|').next().is_none_or(|cell| !cell.contains('`')))
        .collect()
}

#[test]
fn what_holds_the_quality_exists() {
    let page = read(PAGE);
    assert!(quoted(&page).len() > 40);
    assert_eq!(unknown(&page), [""; 0], "{PAGE} names what is no check, test, file or command");
    assert_eq!(rows_without_names(&page), [""; 0], "{PAGE}: name what holds the point");
    let words = page.split_whitespace().count();
    assert!(words <= WORDS, "{PAGE} has {words} words; allowed: {WORDS}");
}

/// Returns the commands of the first block of a page that CI runs in no step of its own.
fn not_in_ci<'a>(page: &'a str, ci: &str) -> Vec<&'a str> {
    let block = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let commands = block.lines().filter_map(|line| line.split(" #").next()).map(str::trim);
    // A run of CI has no room for all labels; three runs have them all.
    let run = |command: &str| if command == "./dev test all" { "./dev test rest" } else { command }.to_owned();
    let has = |command: &str| {
        ci.lines().filter_map(|line| line.strip_prefix("step ")?.split_once(' ')).any(|(_, step)| {
            step.strip_prefix(command).is_some_and(|rest| rest.is_empty() || command.ends_with("rest"))
        })
    };
    commands.filter(|command| !has(&run(command))).collect()
}

#[test]
fn the_first_commands_run_in_ci() {
    let ci = read(".ci/run");
    for name in ["README.md", "README.zh.md"] {
        let page = read(name);
        assert!(page.contains("```sh\n./dev demo "), "{name} begins with other commands");
        assert_eq!(not_in_ci(&page, &ci), [""; 0], "{name}: add it to .ci/run");
    }
}

#[test]
fn what_does_not_exist_is_found() {
    let page = "| a | b |\n|---|---|\n| c | `prose`, `./dev check NAME`, `tests/quality.rs` |\n| d | `symbols` |\n";
    assert_eq!(unknown(page), [""; 0]);
    assert_eq!(rows_without_names(page), [""; 0]);
    let page = "| a | b |\n|---|---|\n| `c` | d |\n| e | `proze`, `./dev xyz`, `tests/f.rs`, `abi.g` |\n";
    assert_eq!(unknown(page), ["c", "proze", "./dev xyz", "tests/f.rs", "abi.g"]);
    assert_eq!(rows_without_names(page), ["| `c` | d |"]);
    let ci = "step demo ./dev demo\nstep rest ./dev test rest \"$x\"\n";
    let page = "```sh\n./dev demo   # first\n./dev test all\n./dev demo race # next\n```\n```sh\n./dev gpu\n```\n";
    assert_eq!(not_in_ci(page, ci), ["./dev demo race"]);
    assert!(adds_test("foreach(c one two)\nadd_test(NAME a.${c} COMMAND a)\n", "a.two"));
    assert!(adds_test("add_test(NAME a.b\n", "a.b") && !adds_test("add_test(NAME a.bc COMMAND d)\n", "a.b"));
    assert_eq!(rust_tests("#[test]\nfn a() {}\nfn b() {}\n"), ["a"]);
    assert_eq!(python_tests("class A:\n    def test_b(self):\n    def c(self):\n"), ["test_b"]);
    assert_eq!(cpp_tests("TEST_F(A, B) {\nTEST(C, D) {\n"), ["A.B", "C.D"]);
}
