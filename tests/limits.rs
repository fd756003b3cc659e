//! Checks limits that keep the tree readable: lines of files and functions, files in a folder, folders at the top, and
//! lines of the checks of the architecture, most of which are the compiler's.

#[path = "source/mod.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use source::{files, read, root};

/// The maximum numbers of lines of a file and of a function, and of files in a folder.
const SIZES: [usize; 3] = [400, 60, 15];
/// The maximum number of lines of `tests/architecture.rs` and the files below `tests/architecture`.
const ARCHITECTURE: usize = 500;
/// The maximum number of folders at the top. `.ci` and `.config` do not count: CI and nextest look for
/// them under these names, and `ls` does not show them.
const TOP: usize = 12;
/// The folders with hand-written files, and generated ones in them.
const FOLDERS: [&str; 6] = ["src", "cpp_tests", "tests", "benches", "integrations/paddle", "integrations/cxx"];
const EXEMPT: [&str; 3] = [
    "integrations/cxx/include/rust/",
    "integrations/cxx/include/portacl/cxx_bridge.h",
    "integrations/cxx/src/bridge.cpp",
];

/// Returns the first line and the number of lines of each function of a formatted file. Its head begins in a line with
/// `fn`, or in C++ with the name of a type; its brace ends the head, and closes with the same indentation.
fn functions(path: &str, text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_rust = path.ends_with(".rs");
    let indent = |line: &str| line.len() - line.trim_start().len();
    let other = ["if ", "for ", "while ", "switch ", "namespace ", "struct ", "return ", "case ", "using "];
    let begins = |line: &str| {
        let start = line.trim_start();
        let is_head =
            start.starts_with(|c: char| c.is_alphabetic()) && !other.iter().any(|word| start.starts_with(word));
        if is_rust { is_head && start.contains("fn ") } else { is_head && indent(line) <= 4 && start.contains('(') }
    };
    let opens = |line: &str| {
        line.ends_with('{')
            && (is_rust || [") {", "const {", "override {", "noexcept {"].iter().any(|end| line.ends_with(end)))
    };
    let goes_on = |line: &&&str| [",", "(", "where", ")"].iter().any(|end| line.ends_with(end));
    let measured = |(at, line): (usize, &&str)| {
        let open = lines[at..].iter().take_while(goes_on).count();
        lines.get(at + open).filter(|line| opens(line))?;
        let closes = |end: &&str| indent(end) == indent(line) && end.trim_start().starts_with('}');
        let close = lines[at + open..].iter().position(closes)?;
        Some((at + 1, open + close + 1))
    };
    lines.iter().enumerate().filter(|(_, line)| begins(line)).filter_map(measured).collect()
}

/// Returns what is larger than its limit.
fn too_large(sources: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    let known: BTreeSet<&str> = sources.iter().map(|(path, _)| path.as_str()).collect();
    for (path, text) in sources {
        let lines = text.lines().count();
        if lines > SIZES[0] {
            found.push(format!("{path} has {lines} lines; at most {}", SIZES[0]));
        }
        let long = functions(path, text).into_iter().filter(|(_, lines)| *lines > SIZES[1]);
        found.extend(long.map(|(at, lines)| format!("{path}:{at}: a function of {lines} lines; at most {}", SIZES[1])));
        // A module and its tests count as one file.
        let of_module = ["_tests.rs", "_models.rs"].iter().find_map(|end| path.strip_suffix(end));
        if !of_module.is_some_and(|stem| known.contains(format!("{stem}.rs").as_str())) {
            *folders.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
        }
    }
    let full = folders.into_iter().filter(|(_, count)| *count > SIZES[2]);
    found.extend(full.map(|(folder, count)| format!("{folder} has {count} files; at most {}", SIZES[2])));
    found
}

/// Returns the folders at the top that these files are in and that count.
fn top_folders<'a>(files: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let folders = files.filter_map(|path| Some(path.split_once('/')?.0));
    folders.filter(|folder| ![".ci", ".config"].contains(folder)).collect()
}

fn sources_of(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let paths =
        files(folder, extensions).into_iter().filter(|path| !EXEMPT.iter().any(|exempt| path.starts_with(exempt)));
    paths.map(|path| (path[folder.len() + 1..].to_owned(), read(&path))).collect()
}

#[test]
fn sizes_are_within_their_limits() {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let sources = sources_of(folder, &["rs", "c", "cc", "cpp", "h", "hpp", "cu", "py"]);
        assert!(sources.iter().any(|(path, text)| !functions(path, text).is_empty()), "{folder}");
        found.extend(too_large(&sources).into_iter().map(|text| format!("{folder}/{text}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_top_has_few_folders() {
    // A build leaves folders of its own there. A package of the sources has no repository, and only the folders.
    let listed = Command::new("git").args(["ls-files"]).current_dir(root()).output();
    let listed = listed.ok().filter(|done| done.status.success()).map(|done| String::from_utf8(done.stdout).unwrap());
    let Some(listed) = listed else { return println!("skipped: needs git and the repository") };
    let found = top_folders(listed.lines());
    assert!(found.contains("src") && found.len() <= TOP, "{found:?}; at most {TOP}");
}

#[test]
fn the_checks_of_the_architecture_are_short() {
    let below = files("tests/architecture", &["rs"]);
    let lines: usize =
        below.iter().chain(["tests/architecture.rs".to_owned()].iter()).map(|path| read(path).lines().count()).sum();
    assert!(lines < ARCHITECTURE, "tests/architecture has {lines} lines; it must have fewer than {ARCHITECTURE}");
}

#[test]
fn what_is_too_large_is_found() {
    let sources = |files: &[(&str, &str)]| -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let long = format!("fn long(\n    a: u8,\n) {{\n{}}}\n", "    a;\n".repeat(57));
    assert_eq!(functions("a.rs", &long), [(1, 61)]);
    let method = format!("class A {{\n    void Long(int a) {{\n{}    }}\n}};\n", "        a();\n".repeat(59));
    assert_eq!(functions("a.cpp", &method), [(2, 61)]);
    let many: Vec<_> = (0..16).map(|n| (format!("a/{n}.rs"), String::new())).collect();
    let large = [sources(&[("b.rs", &"\n".repeat(401)), ("c.rs", &long), ("d.cpp", &method)]), many].concat();
    assert_eq!(too_large(&large).len(), 4);
    let paths = ["a/b/c.rs", "a/d.rs", ".ci/run", ".github/e.yml", "f.md"];
    assert_eq!(top_folders(paths.into_iter()).into_iter().collect::<Vec<_>>(), [".github", "a"]);
}
