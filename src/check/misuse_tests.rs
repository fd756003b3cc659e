use super::*;
use crate::core::base::error::name::error_name;

const PAGE: &str = include_str!("../../docs/checking_codes.md");

fn name(code: Code) -> String {
    let name = error_name(code.value()).expect("a code of the API").to_str().unwrap();
    format!("| {} `{name}` |", code.value())
}

/// Returns the rows of the table of answers.
fn answers() -> Vec<String> {
    let of_functions = ANSWERS.iter().map(|(code, calls, meaning)| {
        let calls: Vec<String> = calls.iter().map(|call| format!("`{call}`")).collect();
        format!("{} {} | {meaning} |", name(*code), calls.join(", "))
    });
    let of_all = MEANINGS.into_iter().filter_map(|(code, meaning)| match meaning {
        Answer(text) => Some(format!("{} all | {text} |", name(code))),
        Mistake(_) => None,
    });
    of_functions.chain(of_all).collect()
}

#[test]
fn the_page_has_the_tables_of_answers_and_mistakes() {
    let mistakes = MEANINGS.into_iter().filter_map(|(code, meaning)| match meaning {
        Mistake(advice) => Some(format!("{} {advice} |", name(code))),
        Answer(_) => None,
    });
    let rows: Vec<String> = answers().into_iter().chain(mistakes).collect();
    let missing: Vec<&String> = rows.iter().filter(|row| !PAGE.lines().any(|line| line == *row)).collect();
    assert!(missing.is_empty(), "docs/checking_codes.md lacks these rows:\n{}", text(&missing));
    let is_row = |line: &&str| line.starts_with("| ") && line.contains(" `ACL_ERROR_");
    let stale: Vec<&str> = PAGE.lines().filter(is_row).filter(|line| !rows.iter().any(|row| row == line)).collect();
    assert!(stale.is_empty(), "docs/checking_codes.md has these rows too many: {stale:?}");
}

fn text(rows: &[&String]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

#[test]
fn the_list_of_codes_is_complete() {
    let source = include_str!("../core/base/error.rs");
    let body = source.split("pub enum Code {").nth(1).unwrap().split('}').next().unwrap();
    let count = body.lines().filter(|line| line.contains(" = ")).count();
    assert_eq!(MEANINGS.len(), count);
    let mut values = MEANINGS.map(|(code, _)| code.value());
    values.sort_unstable();
    assert!(values.windows(2).all(|pair| pair[0] != pair[1]), "{values:?}");
}

#[test]
fn answers_are_those_of_their_functions() {
    let is_mistake = |call, code| matches!(Meaning::of(call, code), Some(Mistake(_)));
    for (call, code) in [
        ("aclrtProcessReport", 107_012),
        ("aclrtProcessReport", 507_012),
        ("aclrtGetDevice", 107_002),
        ("aclInit", 100_002),
        ("aclrtSynchronizeStreamWithTimeout", 507_046),
        ("aclrtSynchronizeEventWithTimeout", 507_047),
        ("aclrtMalloc", 207_001),
        ("aclrtMalloc", 207_000),
        ("aclmdlRIGetStreams", 107_039),
    ] {
        assert!(!is_mistake(call, code), "{call} {code}");
    }
    for (call, code) in [
        ("aclrtSubscribeReport", 107_012),
        ("aclrtMalloc", 107_002),
        ("aclrtMalloc", 100_000),
        ("aclrtFree", 107_000),
        ("aclrtHostUnregister", 507_911),
        ("aclnnAdd", 161_002),
    ] {
        assert!(is_mistake(call, code), "{call} {code}");
    }
    assert_eq!(Meaning::of("aclrtMalloc", 77), None, "a number that a hook of the program chose");
}

#[test]
fn advice_is_more_than_a_reference_to_the_text() {
    for (code, Answer(text) | Mistake(text)) in MEANINGS {
        assert!(text.len() >= 9 && !text.contains("see the text") && !text.ends_with('.'), "{code:?}: {text}");
    }
}
