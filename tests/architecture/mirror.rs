//! Checks that both backends have the same files, except for those with a reason.

use std::collections::BTreeSet;

use super::super::source::is_test_file;
use super::home::rows;
use super::sources::Sources;

/// The files that only one backend has, below `cpu/` or `cuda/`, with reasons.
pub(super) const ALONE: &str = "tests/architecture/one_backend.tsv";

/// Returns the names of nouns below a backend: `region/noun`, without `.rs`, also if the noun is a folder.
pub(super) fn nouns(sources: &Sources, backend: &str) -> BTreeSet<String> {
    let below = |path: &str| -> Option<String> {
        if is_test_file(path) {
            return None;
        }
        let rest = path.strip_prefix(backend)?.strip_prefix('/')?.strip_suffix(".rs")?;
        let (region, noun) = rest.split_once('/')?;
        let noun = noun.split('/').next()?;
        Some(format!("{region}/{noun}"))
    };
    sources.iter().filter_map(|(path, _)| below(path)).collect()
}

/// Returns the files in the rows of the table that have a reason.
pub(super) fn exceptions(table: &str) -> BTreeSet<String> {
    let listed = rows(table).into_iter().filter(|(_, reason)| !reason.trim().is_empty());
    listed.flat_map(|(names, _)| names.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Returns nouns that only one backend has and that are not listed, and listed nouns that both backends or none have.
pub(super) fn violations(cpu: &BTreeSet<String>, cuda: &BTreeSet<String>, listed: &BTreeSet<String>) -> Vec<String> {
    let alone = |backend: &'static str, these: &BTreeSet<String>, others: &BTreeSet<String>| {
        these.difference(others).map(|noun| format!("{backend}/{noun}")).collect::<Vec<_>>()
    };
    let mut all: BTreeSet<String> = alone("cpu", cpu, cuda).into_iter().collect();
    all.extend(alone("cuda", cuda, cpu));
    let missing = all.difference(listed);
    let stale = listed.difference(&all);
    missing
        .map(|noun| format!("{noun} has no namesake; name both alike, or list it in {ALONE} with a reason"))
        .chain(stale.map(|noun| format!("{noun} is listed in {ALONE}, but has a namesake or is gone")))
        .collect()
}

#[cfg(test)]
#[path = "mirror_tests.rs"]
mod tests;
