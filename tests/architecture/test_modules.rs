//! Where tests in Rust are: in files of their own. The tests of the module `x.rs` are in `x_tests.rs`, those of
//! `mod.rs` in `tests.rs`, loom models in `x_models.rs`. Files below `tests` may have tests themselves, but no modules
//! of tests.

use super::super::source::is_test_file;
use super::size::Sizes;
use super::sources::Sources;

/// How many tests and modules of tests each file has that belong into another file.
pub(super) fn without_own_file(sources: &Sources) -> Sizes {
    let counted = sources.iter().map(|(path, text)| {
        let count = if is_test_file(path) { inline_modules(text) } else { inline_tests(text) };
        (path.to_owned(), count)
    });
    counted.filter(|(_, count)| *count > 0).collect()
}

/// Of product code: tests, and modules that only tests have.
fn inline_tests(text: &str) -> usize {
    let mut count = 0;
    let mut is_for_tests = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" || is_for_tests && opens_module(line) {
            count += 1;
        }
        let is_attribute = line.starts_with('#');
        is_for_tests = is_attribute && (is_for_tests || line.starts_with("#[cfg(") && has_word(line, "test"));
    }
    count
}

/// Of a file of tests: modules that have tests. Those that loom leaves out stay beside what both use.
fn inline_modules(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let has_tests = |at: usize| {
        let indent = &lines[at][..lines[at].len() - lines[at].trim_start().len()];
        let body = lines[at + 1..].iter().take_while(|line| **line != format!("{indent}}}"));
        body.into_iter().any(|line| line.trim() == "#[test]")
    };
    let is_without_loom = |at: usize| at > 0 && lines[at - 1].trim() == "#[cfg(not(loom))]";
    (0..lines.len()).filter(|at| opens_module(lines[*at].trim()) && !is_without_loom(*at) && has_tests(*at)).count()
}

fn opens_module(line: &str) -> bool {
    let is_module = ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "].iter().any(|m| line.starts_with(m));
    is_module && line.ends_with('{')
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word)
}

/// The file that must have the module which this line declares in this file; `None`: it is no module of tests.
fn expected(line: &str, stem: &str) -> Option<String> {
    let name = line.strip_suffix(';')?.rsplit_once("mod ").map(|(_, name)| name)?;
    let is_declaration = line.starts_with("mod ") || line.starts_with("pub");
    let of = stem.strip_suffix("_tests").unwrap_or(stem);
    match name {
        _ if !is_declaration => None,
        "tests" if matches!(stem, "mod" | "lib") => Some("tests.rs".to_owned()),
        "tests" => Some(format!("{stem}_tests.rs")),
        _ if name.starts_with("loom_") => Some(format!("{of}_models.rs")),
        _ => None,
    }
}

/// Returns the declarations `mod tests;` whose file has another name than the convention says.
pub(super) fn misnamed(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources.iter() {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.trim_end_matches(".rs");
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(expected) = expected(line, stem) else { continue };
            let declared = at.checked_sub(1).and_then(|before| lines[before].strip_prefix("#[path = \""));
            let is_right = match declared {
                Some(file) => expected != "tests.rs" && file.trim_end_matches("\"]") == expected,
                None => expected == "tests.rs",
            };
            if !is_right {
                found.push(format!("{path}:{}: the tests are not in {folder}/{expected}", at + 1));
            }
        }
    }
    found
}

#[cfg(test)]
#[path = "test_modules_tests.rs"]
mod tests;
