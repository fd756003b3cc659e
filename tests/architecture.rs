//! Checks the rules of the architecture on the sources. Every check has a negative test with a violation.

#[path = "architecture/entries.rs"]
mod entries;
#[path = "architecture/layers.rs"]
mod layers;
mod source;
#[path = "architecture/mod.rs"]
mod structure;
#[path = "architecture/surroundings.rs"]
mod surroundings;

use source::{files, read};

/// Runs a check on all sources below `folder`.
fn check(folder: &str, violations: impl Fn(&str, &str) -> Vec<String>) {
    let found: Vec<String> = files(folder, &["rs"]).iter().flat_map(|path| violations(path, &read(path))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
