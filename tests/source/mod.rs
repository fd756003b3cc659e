//! Reads this crate's sources, for the tests about its structure.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the crate.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the text of a file, by its path below the crate.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// Returns the files below `folder` with one of the extensions: their paths below the crate, sorted. Panics if there is
/// none, because a check would be empty.
pub(crate) fn files(folder: &str, extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)) {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    assert!(!found.is_empty(), "no {extensions:?} files below {folder}");
    found.sort();
    found
}

/// All hand-written Rust files of the repository: every top folder that has, or may get, some.
pub(crate) fn rust_files() -> Vec<String> {
    const FOLDERS: [&str; 7] = ["benches", "cmake", "cpp_tests", "integrations", "programs", "src", "tests"];
    let found = FOLDERS.iter().flat_map(|folder| files(folder, &["rs", "cmake", "cpp"]));
    found.filter(|path| path.ends_with(".rs")).chain(["build.rs".to_owned()]).collect()
}

/// True for files that only tests have: `x_tests.rs`, the loom models `x_models.rs`, `tests.rs`, all below `tests/`.
pub(crate) fn is_test_file(path: &str) -> bool {
    path.split('/').any(|name| {
        let stem = name.trim_end_matches(".rs");
        stem == "tests" || stem.ends_with("_tests") || stem.ends_with("_models")
    })
}

/// Returns the rows of a table in `tests/data`, without its header.
pub(crate) fn table(name: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> = read(&format!("tests/data/{name}"))
        .lines()
        .skip(1)
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect();
    assert!(rows.len() > 100, "tests/data/{name} has lost its rows");
    rows
}

/// Returns the text without comments. String literals in these sources contain no comment markers.
pub(crate) fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// A function that C can call.
#[derive(Debug)]
pub(crate) struct Function {
    /// The function's name.
    pub name: String,
    /// The line of its signature, from 1.
    pub line: usize,
    /// Its comment, without the markers.
    pub comment: String,
    /// Its other attributes.
    pub attributes: Vec<String>,
    /// The text between its outer braces.
    pub body: String,
}

impl Function {
    /// Whether all it does is return that something is unsupported.
    pub(crate) fn is_unsupported(&self) -> bool {
        let closure = self.body.split_once("|| ").map_or("", |(_, closure)| closure);
        self.body.trim_start().starts_with("guard_unsupported(")
            || closure.trim_start_matches(['{', ' ', '\n']).starts_with("Err(unsupported!(")
    }
}

/// Returns all functions of `text` that have the attribute `no_mangle`.
pub(crate) fn exported_functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == "#[unsafe(no_mangle)]") {
        let mut first = at;
        while first > 0 && (lines[first - 1].starts_with("///") || lines[first - 1].starts_with("#[")) {
            first -= 1;
        }
        let signature = (at..lines.len()).find(|line| !lines[*line].starts_with("#[")).expect("a signature");
        let head = lines[first..signature].iter();
        let (_, name) = lines[signature].split_once(" fn ").expect("a function behind no_mangle");
        let open = (signature..lines.len()).find(|line| lines[*line].ends_with('{')).unwrap();
        let close = (open..lines.len()).find(|line| lines[*line] == "}").unwrap();
        functions.push(Function {
            name: name.split('(').next().unwrap().to_owned(),
            line: signature + 1,
            comment: head
                .clone()
                .filter_map(|line| line.strip_prefix("///"))
                .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
                .collect(),
            attributes: head
                .filter(|line| line.starts_with("#[") && **line != "#[unsafe(no_mangle)]")
                .map(|line| (*line).to_owned())
                .collect(),
            body: lines[open + 1..close].join("\n"),
        });
    }
    functions
}
