//! Checks that each `SAFETY` comment names what makes its block sound. Blocks that rely on the same invariant may have
//! the same reason. The same holds for each `allow` and `expect`; clippy finds those without a reason
//! (allow_attributes_without_reason).

#[path = "source/mod.rs"]
mod source;

use source::{read, rust_files};

/// Beginnings of reasons that only refer: to another comment, or to the caller without what it promises.
const EMPTY: [&str; 21] = [
    "as above",
    "as before",
    "as below",
    "as for ",
    "as in ",
    "as there",
    "as with ",
    "likewise",
    "same as ",
    "the same as ",
    "see above",
    "see below",
    "see there",
    "ditto",
    "the caller's promise",
    "the caller promises.",
    "the caller vouches.",
    "as promised by the caller",
    "as the caller ",
    "by the contract of the c boundary.",
    "by the contract of the function.",
];

/// Returns the reasons of a file's `SAFETY` comments, with their lines.
fn reasons(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(first) = line.strip_prefix("// SAFETY:") else { continue };
        let mut reason = first.trim().to_owned();
        let more = lines[index + 1..].iter().map_while(|line| line.strip_prefix("//"));
        for line in more.take_while(|line| !line.trim_start().starts_with("SAFETY:")) {
            reason.push(' ');
            reason.push_str(line.trim());
        }
        found.push((index + 1, reason));
    }
    found
}

/// Returns the reasons of a file's `allow` and `expect` attributes, with their lines. clippy finds those without one.
fn lint_reasons(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(index, line)| {
        let line = line.trim();
        let is_attribute = line.starts_with("#[allow(")
            || line.starts_with("#![allow(")
            || line.starts_with("#[expect(")
            || line.starts_with("#![expect(")
            || line.starts_with("#[cfg_attr(")
            || line.starts_with("#![cfg_attr(")
            || line.starts_with("reason = ");
        let (_, rest) = line.split_once("reason = \"").filter(|_| is_attribute)?;
        Some((index + 1, rest[..rest.rfind('"')?].to_owned()))
    });
    found.collect()
}

/// Returns the violations in these files.
fn violations<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources {
        for (line, reason) in reasons(text).into_iter().chain(lint_reasons(text)) {
            let plain = reason.to_lowercase();
            if EMPTY.iter().any(|phrase| plain.starts_with(phrase)) || plain.len() < 10 {
                found.push(format!("{path}:{line}: \"{reason}\" is no reason"));
            }
        }
    }
    found
}

#[test]
fn every_unsafe_block_has_a_reason() {
    let paths = rust_files();
    let texts: Vec<String> = paths.iter().map(|path| read(path)).collect();
    let sources = paths.iter().map(String::as_str).zip(texts.iter().map(String::as_str));
    let count: usize = texts.iter().map(|text| reasons(text).len()).sum();
    assert!(count > 400, "only {count} SAFETY comments found");
    let found = violations(sources);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn empty_reasons_are_seen() {
    let good =
        "// SAFETY: the lock is held.\nunsafe {}\n    // SAFETY: the block has\n    // `len` bytes.\nunsafe {}\n";
    // Two blocks may rely on one invariant.
    assert_eq!(violations([("a.rs", good), ("b.rs", good)]), Vec::<String>::new());
    let lint = "#[allow(dead_code, reason = \"the C header decides\")]\n";
    let long = "#[expect(\n    dead_code,\n    reason = \"the C header decides\"\n)]\n";
    assert_eq!(violations([("a.rs", lint), ("b.rs", long)]), Vec::<String>::new());
    let empty_lint = "#[expect(\n    dead_code,\n    reason = \"see above\"\n)]\n";
    assert_eq!(violations([("a.rs", empty_lint)]).len(), 1);
    for empty in ["as above.", "See there; it is open.", "see above", "", "yes"] {
        let text = format!("// SAFETY: {empty}\nunsafe {{}}");
        assert_eq!(violations([("a.rs", text.as_str())]).len(), 1, "{empty}");
    }
    let concrete = "// SAFETY: as large as an i32, and the caller promises that it is open.\nunsafe {}";
    assert_eq!(violations([("a.rs", concrete)]), Vec::<String>::new());
}
