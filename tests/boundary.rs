//! Checks the functions that C can call: each runs in the guard, they are those of the API, their comments and codes
//! are right, and the component for C++ calls nothing else.

#[path = "source/mod.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};

use source::{exported_functions, files, is_test_file, read, table, without_comments};

/// Runs a check on all sources below `folder`.
fn check(folder: &str, violations: impl Fn(&str, &str) -> Vec<String>) {
    let found: Vec<String> = files(folder, &["rs"]).iter().flat_map(|path| violations(path, &read(path))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Functions that return errors or only compute: a forked child may call them as well.
const ANYWHERE: [&str; 9] = [
    "aclDataTypeSize",
    "aclFloat16ToFloat",
    "aclFloatToFloat16",
    "aclGetRecentErrMsg",
    "aclrtGetLastError",
    "aclrtPeekAtLastError",
    "portaclErrorName",
    "portaclLeakCheckPause",
    "portaclLeakCheckResume",
];

/// Returns the text after the bracket that closes the one at the start of `text`.
fn behind_bracket(text: &str) -> Option<&str> {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' if depth == 1 => return Some(&text[at + 1..]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the functions that C can call and that are not one call of the guard with their name.
fn unguarded(path: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    for function in exported_functions(text) {
        // It takes arguments like printf; its C body jumps to Rust.
        if function.name == "aclAppLog" && function.attributes == ["#[unsafe(naked)]"] {
            continue;
        }
        let body = function.body.trim();
        let (guard, arguments) = body.split_at(body.find('(').unwrap_or(0));
        let known = match guard {
            "guard" | "guard_optional" | "guard_out" | "guard_outs" | "guard_value" | "guard_unsupported" => true,
            "guard_value_anywhere" => ANYWHERE.contains(&function.name.as_str()),
            _ => false,
        };
        let named = arguments.trim_start_matches(['(', ' ', '\n']).starts_with(&format!("\"{}\",", function.name));
        let alone = behind_bracket(arguments).is_some_and(str::is_empty);
        if !(known && named && alone) {
            violations.push(format!(
                "{path}:{}: {} is not one call of guard or guard_value with its own name",
                function.line, function.name
            ));
        }
    }
    let entries = ["acl", "portacl"]
        .map(|prefix| text.matches(&format!("extern \"C\" fn {prefix}")).count())
        .iter()
        .sum::<usize>();
    if entries != exported_functions(text).len() && path != "src/ffi/mod.rs" {
        violations.push(format!("{path}: {entries} entries, but not all of them are exported"));
    }
    violations
}

/// Returns functions with a wrong comment. It must say that a function returns 207000 without a condition if, and only
/// if, the function does nothing else.
fn wrongly_documented(path: &str, text: &str) -> Vec<String> {
    exported_functions(text)
        .iter()
        .filter(|function| {
            let says_missing = function.comment.contains("aclGetRecentErrMsg returns what is missing");
            function.comment.is_empty() || says_missing != function.is_unsupported()
        })
        .map(|function| {
            format!(
                "{path}:{}: the comment of {} does not say what it does: 207000 or not",
                function.line, function.name
            )
        })
        .collect()
}

/// Returns the differences to the functions of the API and of portacl's interface.
fn differing_exports(exported: &[String], wanted: &BTreeSet<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut violations = Vec::new();
    for name in exported {
        if !seen.insert(name.clone()) {
            violations.push(format!("{name} is defined twice"));
        } else if !wanted.contains(name) && !name.starts_with("portacl") {
            violations.push(format!("{name} is not in tests/data/acl-functions.tsv"));
        }
    }
    violations.extend(wanted.difference(&seen).map(|name| format!("{name} is not defined")));
    violations
}

/// Returns the variants of `Code` that lack the name or the number of a constant of the API.
fn wrong_codes(text: &str, constants: &BTreeMap<String, i32>) -> Vec<String> {
    let body = text.split("pub enum Code {").nth(1).expect("the enum").split('}').next().unwrap();
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let variants: Vec<(&str, i32)> = without_comments(body)
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(" = "))
        .map(|(name, number)| (name.to_owned().leak() as &str, number.replace('_', "").parse().unwrap()))
        .collect();
    assert!(variants.len() > 10, "the variants of Code are not where they were");
    variants
        .iter()
        .filter(|(name, number)| {
            !constants.iter().any(|(constant, value)| {
                let rest = constant.strip_prefix("ACL_ERROR_").unwrap_or_default();
                let short = rest.strip_prefix("RT_").unwrap_or(rest);
                value == number && [rest, short].iter().any(|known| plain(known) == plain(name))
            })
        })
        .map(|(name, number)| format!("Code::{name} = {number} is no constant of the API"))
        .collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

/// Returns uses of `unsafe`, except in tests.
fn with_unsafe(path: &str, text: &str) -> Vec<String> {
    let product = if is_test_file(path) { "" } else { text.split("#[cfg(test)]\nmod ").next().unwrap() };
    without_comments(product)
        .lines()
        .enumerate()
        .filter(|(_, code)| words(code).contains(&"unsafe"))
        .map(|(line, _)| format!("{path}:{}: unsafe", line + 1))
        .collect()
}

/// Returns `fn name(arguments) -> result` of each function that the text declares or defines, as words without blanks.
fn signatures(text: &str) -> BTreeMap<String, String> {
    let code = without_comments(text);
    code.split(" fn ")
        .skip(1)
        .filter_map(|rest| {
            let name = rest.split('(').next()?;
            let signature: String = rest.split([';', '{']).next()?.split_whitespace().collect::<Vec<_>>().concat();
            Some((name.to_owned(), signature.replace(",)", ")")))
        })
        .collect()
}

/// Returns the functions that `portacl::cxx` declares and that differ from the library's definitions.
fn differing_declarations(declared: &str, defined: &BTreeMap<String, String>) -> Vec<String> {
    let (_, block) = declared.split_once("unsafe extern \"C\" {").expect("a block of functions");
    let (block, _) = block.split_once("\n}").expect("its end");
    let declared = signatures(block);
    assert!(declared.len() > 5, "the functions of the component are not where they were");
    declared
        .iter()
        .filter(|(name, signature)| defined.get(*name) != Some(signature))
        .map(|(name, signature)| format!("{name} is declared as {signature}"))
        .collect()
}

fn definitions() -> BTreeMap<String, String> {
    files("src/ffi", &["rs"]).iter().flat_map(|path| signatures(&read(path))).collect()
}

fn constants() -> BTreeMap<String, i32> {
    table("acl-constants.tsv")
        .into_iter()
        .filter(|row| row[1].starts_with("ACL_ERROR_"))
        .map(|row| (row[1].clone(), row[2].parse().unwrap()))
        .collect()
}

#[test]
fn every_entry_is_guarded() {
    check("src/ffi", unguarded);
}

#[test]
fn comments_say_what_is_missing() {
    check("src/ffi", wrongly_documented);
}

#[test]
fn exactly_the_api_is_exported() {
    let exported: Vec<String> = files("src", &["rs"])
        .iter()
        .flat_map(|path| exported_functions(&read(path)))
        .map(|function| function.name)
        .collect();
    let wanted = table("acl-functions.tsv").into_iter().map(|row| row[1].clone()).collect();
    let found = differing_exports(&exported, &wanted);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn codes_are_those_of_the_api() {
    let found = wrong_codes(&read("src/core/base/error.rs"), &constants());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Checks that the component contains no core: it calls the C API, in one file.
#[test]
fn the_component_goes_through_the_c_api() {
    const CALLS: &str = "integrations/cxx/src/c_api.rs";
    check("integrations/cxx", |path, text| if path == CALLS { Vec::new() } else { with_unsafe(path, text) });
    let found = differing_declarations(&read(CALLS), &definitions());
    assert!(found.is_empty(), "{}", found.join("\n"));
    let manifest = read("integrations/cxx/Cargo.toml");
    assert!(!manifest.contains("path"), "integrations/cxx/Cargo.toml has a dependency in this tree");
    assert!(!read("Cargo.toml").contains("\ncxx"), "Cargo.toml has a dependency on cxx");
}

#[path = "boundary/violations.rs"]
mod violations;
