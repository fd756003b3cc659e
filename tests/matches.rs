//! Checks that a `match` on an enum of this tree names every variant, so that the compiler lists each place that has to
//! handle a new one. clippy::wildcard_enum_match_arm finds a `_` arm beside a variant; not in a tuple or an `Option`.

#[path = "source/mod.rs"]
mod source;

use std::collections::BTreeSet;

use source::{is_test_file, read, rust_files, without_comments};

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the names of the enums that a text declares.
fn enums(text: &str) -> Vec<&str> {
    let behind = text.match_indices("enum ").map(|(at, word)| &text[at + word.len()..]);
    behind.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()).collect()
}

/// Whether a pattern names a variant of one of the enums, as `Name::Variant`.
fn names_variant(pattern: &str, own: &BTreeSet<String>) -> bool {
    pattern.match_indices("::").any(|(at, _)| {
        let name = pattern[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
        let is_variant = pattern[at + 2..].starts_with(|c: char| c.is_uppercase());
        is_variant && (name == "Self" || own.contains(name))
    })
}

/// Returns the places where an arm `_ =>`, or a tuple of them, follows an arm that names a variant.
fn wildcards(path: &str, code: &str, own: &BTreeSet<String>) -> Vec<String> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((pattern, _)) = line.split_once(" =>") else { continue };
        if !pattern.contains('_') || pattern.chars().any(|c| !" (),_".contains(c)) {
            continue;
        }
        // The arms before it begin with the same indentation, and their patterns may have several lines.
        let block = lines[..at].iter().rev();
        let arms: Vec<&str> = block.take_while(|arm| arm.is_empty() || indent(arm) >= indent(line)).copied().collect();
        let mut is_pattern = true;
        let named = arms.iter().rev().any(|arm| {
            let is_head = indent(arm) == indent(line);
            is_pattern = is_head && !arm.trim_start().starts_with('}') || is_pattern;
            let (pattern, rest) = arm.split_once("=>").map_or((*arm, None), |(pattern, rest)| (pattern, Some(rest)));
            let guarded = pattern.split(" if ").next().unwrap();
            let named = is_pattern && names_variant(guarded, own);
            is_pattern = is_pattern && rest.is_none() && !pattern.contains(" if ");
            named
        });
        if named {
            found.push(format!("{path}:{}: {}", at + 1, line.trim()));
        }
    }
    found
}

#[test]
fn matches_name_every_variant() {
    let files = rust_files().into_iter().filter(|path| path.starts_with("src/") && !is_test_file(path));
    let sources: Vec<_> = files.map(|path| (without_comments(&read(&path)), path)).collect();
    let own: BTreeSet<String> = sources.iter().flat_map(|(code, _)| enums(code)).map(str::to_owned).collect();
    assert!(own.len() > 150 && own.contains("Op"), "{own:?}");
    let found: Vec<_> = sources.iter().flat_map(|(code, path)| wildcards(path, code, &own)).collect();
    assert!(found.is_empty(), "{}\nname the variants", found.join("\n"));
}

#[test]
fn a_wildcard_is_found() {
    let own = BTreeSet::from(["Place".to_owned()]);
    for arms in [
        "(Place::Device(a), Place::Device(b)) if a != b => c(),\n        _ => None,",
        "Some(Place::Pinned) => {\n            d();\n        }\n        _ => e(),",
        "(\n            Place::Pinned,\n            _,\n        ) => f(),\n        (_, _) => g(),",
        "Some(Self::Small) => 1,\n        _ => 2,",
    ] {
        assert_eq!(wildcards("a.rs", &format!("    match x {{\n        {arms}\n    }}\n"), &own).len(), 1, "{arms}");
    }
    for arms in [
        "Some(Other::Pinned) => 1,\n        _ => 2,",
        "n if n == Place::LARGEST => 1,\n        _ => 2,",
        "1 => Some(Place::Pinned),\n        _ => None,",
        "1 => {\n            a(Place::Pinned);\n        }\n        _ => b(),",
        "_ if a() => 1,\n        Place::Pinned | Place::Pageable => 2,",
    ] {
        assert_eq!(wildcards("a.rs", &format!("    match x {{\n        {arms}\n    }}\n"), &own), [""; 0], "{arms}");
    }
}
