//! Generates the C headers in `include/acl` and the table of the Python module `acl` from the sources in `src/ffi`, and
//! compares them with the committed ones.
//! `PORTACL_UPDATE=1 cargo test --test headers`, or `./dev headers`, rewrites them.

mod adjust;
mod comments;
mod generate;
mod python;
#[path = "../source/mod.rs"]
mod source;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use source::root;

/// Describes the difference to the committed text, if any.
fn difference(path: &str, committed: Option<&str>, fresh: &str) -> Option<String> {
    let Some(committed) = committed else { return Some(format!("{path} does not exist")) };
    if committed == fresh {
        return None;
    }
    let line = committed.lines().zip(fresh.lines()).take_while(|(old, new)| old == new).count();
    Some(format!(
        "{path}:{}\n    committed: {}\n    sources:   {}",
        line + 1,
        committed.lines().nth(line).unwrap_or("(end)"),
        fresh.lines().nth(line).unwrap_or("(end)"),
    ))
}

/// Lists every file below `folder`, relative to it.
fn files_below(folder: &Path, relative: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder.join(relative)).unwrap() {
        let entry = entry.unwrap();
        let path = relative.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            files_below(folder, &path, into);
        } else {
            into.push(path);
        }
    }
}

#[test]
fn committed_headers_are_what_the_sources_say() {
    let folder = root().join("include/acl");
    let update = std::env::var_os("PORTACL_UPDATE").is_some();
    let mut differences = Vec::new();
    let mut known: Vec<PathBuf> = table::OTHERS.iter().map(PathBuf::from).collect();
    for header in table::HEADERS {
        let path = folder.join(header.path);
        let fresh = generate::header(header);
        let committed = fs::read_to_string(&path).ok();
        known.push(PathBuf::from(header.path));
        if update && committed.as_deref() != Some(&fresh) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &fresh).unwrap();
        } else {
            differences.extend(difference(header.path, committed.as_deref(), &fresh));
        }
    }
    let mut present = Vec::new();
    files_below(&folder, Path::new(""), &mut present);
    differences.extend(
        present
            .iter()
            .filter(|path| !known.contains(path))
            .map(|path| format!("{} is in no list of headers", path.display())),
    );
    assert!(
        differences.is_empty(),
        "include/acl is not what src/ffi says; `./dev headers` rewrites it:\n{}",
        differences.join("\n")
    );
}

#[test]
fn committed_python_files_are_what_the_sources_say() {
    let update = std::env::var_os("PORTACL_UPDATE").is_some();
    let mut differences = Vec::new();
    for (path, fresh) in python::generate() {
        let committed = fs::read_to_string(root().join(path)).ok();
        if update && committed.as_deref() != Some(&fresh) {
            fs::write(root().join(path), &fresh).unwrap();
        } else {
            differences.extend(difference(path, committed.as_deref(), &fresh));
        }
    }
    assert!(
        differences.is_empty(),
        "integrations/python/acl is not what src/ffi and tests/data say; `./dev headers` rewrites it:\n{}",
        differences.join("\n")
    );
}

#[test]
fn every_source_goes_into_one_header() {
    let mut sources = Vec::new();
    files_below(&root().join("src/ffi"), Path::new(""), &mut sources);
    for source in sources {
        let name = source.to_str().unwrap();
        let text = fs::read_to_string(root().join("src/ffi").join(&source)).unwrap();
        let exports = text.contains("no_mangle") || name.starts_with("types/");
        if exports && !name.ends_with("/mod.rs") && name.ends_with(".rs") {
            let headers = table::HEADERS.iter().filter(|header| header.has(name)).count();
            assert_eq!(headers, 1, "src/ffi/{name} belongs to {headers} headers of tests/headers/table.rs");
        }
    }
}

/// Returns the names in `text` that look like declarations: followed by a bracket, a space, or nothing.
fn declared(text: &str) -> BTreeSet<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let code = text.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
    let code = code.map(|line| line.split_once(" /**<").map_or(line, |(code, _)| code));
    code.flat_map(|line| {
        line.split(|c| !word(c)).filter(move |name| {
            let end = name.as_ptr().addr() - line.as_ptr().addr() + name.len();
            matches!(line[end..].chars().next(), None | Some('(' | ' '))
        })
    })
    .collect()
}

/// Returns the names of (name, header) that are in another header, or in none.
fn misplaced(names: &[(String, String)], headers: &BTreeMap<String, String>) -> Vec<String> {
    let headers: BTreeMap<&String, BTreeSet<&str>> =
        headers.iter().map(|(path, text)| (path, declared(text))).collect();
    let places = |name: &str| -> Vec<&String> {
        headers.iter().filter(|(_, has)| has.contains(name)).map(|(path, _)| *path).collect()
    };
    names
        .iter()
        .map(|(name, wanted)| (name, wanted, places(name)))
        .filter(|(_, wanted, places)| *places != [*wanted])
        .map(|(name, wanted, places)| format!("{name} belongs into {wanted} and is in {places:?}"))
        .collect()
}

#[test]
fn everything_stands_in_its_header() {
    let headers: BTreeMap<String, String> =
        table::HEADERS.iter().map(|header| (header.path.to_owned(), generate::header(header))).collect();
    let functions = source::table("acl-functions.tsv");
    let constants = source::table("acl-constants.tsv");
    let names: Vec<(String, String)> = functions
        .iter()
        .map(|row| (row[1].clone(), row[2].clone()))
        .chain(constants.iter().map(|row| (row[1].clone(), row[3].clone())))
        .collect();
    let found = misplaced(&names, &headers);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_is_misplaced_is_seen() {
    let headers = BTreeMap::from([
        ("a.h".to_owned(), "int aclA(void);\n#define ACL_B 1 /**< As aclC. */\n * aclC(\n".to_owned()),
        ("b.h".to_owned(), "int aclC(int a);\n    ACL_D = 2,\n".to_owned()),
    ]);
    let name = |name: &str, header: &str| [(name.to_owned(), header.to_owned())];
    for (good, header) in [("aclA", "a.h"), ("ACL_B", "a.h"), ("aclC", "b.h"), ("ACL_D", "b.h")] {
        assert_eq!(misplaced(&name(good, header), &headers), [""; 0]);
    }
    for (bad, header) in [("aclA", "b.h"), ("acl", "a.h"), ("ACL_", "a.h"), ("aclE", "b.h")] {
        assert_eq!(misplaced(&name(bad, header), &headers).len(), 1, "{bad}");
    }
}

#[test]
fn a_difference_is_seen() {
    assert_eq!(difference("a.h", Some("one\ntwo\n"), "one\ntwo\n"), None);
    assert!(difference("a.h", Some("one\ntwo\n"), "one\n2\n").unwrap().starts_with("a.h:2"));
    assert!(difference("a.h", Some("one\n"), "one\ntwo\n").is_some());
    assert!(difference("a.h", None, "").is_some());
}
