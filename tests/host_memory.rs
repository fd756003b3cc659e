//! Compares what docs/failures.md says about calls without host memory with the sources.

mod source;

use std::collections::BTreeSet;

use portacl_algo::host::host_memory::RESERVE;
use portacl_core::base::host_memory::GOES_ON;
use source::{exported_functions, files, read};

fn section(text: &str) -> &str {
    let from = text.find("## When the host has no memory").expect("the section is there");
    let rest = &text[from + 3..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// Returns the names of functions in backquotes.
fn names(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).filter(|name| name.starts_with("acl") || name.starts_with("portacl")).collect()
}

#[test]
fn the_calls_that_go_on_exist_and_are_documented() {
    let sources = files("src/ffi", &["rs"]);
    let texts: Vec<String> = sources.iter().map(|path| read(path)).collect();
    let functions: BTreeSet<String> =
        texts.iter().flat_map(|text| exported_functions(text)).map(|function| function.name.to_string()).collect();
    let unknown: Vec<_> = GOES_ON.iter().filter(|name| !functions.contains(**name)).collect();
    assert!(unknown.is_empty(), "GOES_ON names no function: {unknown:?}");
    assert!(GOES_ON.is_sorted(), "GOES_ON is sorted");
    let text = read("docs/failures.md");
    let documented = names(section(&text));
    let wanted: BTreeSet<&str> = GOES_ON.into_iter().collect();
    let differs: Vec<_> = documented.symmetric_difference(&wanted).collect();
    assert!(differs.is_empty(), "docs/failures.md and GOES_ON differ: {differs:?}");
}

#[test]
fn the_reserve_is_as_long_as_documented() {
    let text = read("docs/failures.md");
    let wanted = format!("reserve of {} MiB", RESERVE >> 20);
    assert!(section(&text).contains(&wanted), "docs/failures.md does not say: {wanted}");
}
