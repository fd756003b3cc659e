//! Checks that thread-local values are in one place, and that the component for C++ goes through the C API. Cargo
//! checks the order of the layers, and `forbid(unsafe_code)` the core.

use std::collections::BTreeMap;

use super::check;
use super::source::{files, is_test_file, read, without_comments};

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

/// The file in which thread-local values are declared, none of which is destroyed before the thread ends.
const PER_THREAD: &str = "src/algo/thread/per_thread.rs";

/// Returns thread-local values of product code outside of [`PER_THREAD`]: access to them panics in late destructors of
/// the program. Tests and the loom model may have others.
fn other_thread_values(path: &str, text: &str) -> Vec<String> {
    let is_module = |(at, mark): &(usize, &str)| text[at + mark.len()..].trim_start().starts_with("mod ");
    let inline = || text.match_indices("#[cfg(test)]").find(is_module).map_or(text, |(at, _)| &text[..at]);
    let product = if is_test_file(path) { "" } else { inline() };
    without_comments(product)
        .lines()
        .enumerate()
        .filter(|(_, code)| {
            let plain = code.replace("loom::thread_local!", "");
            path != PER_THREAD
                && ["thread_local!", "LocalKey", "#[thread_local]"].iter().any(|word| plain.contains(word))
        })
        .map(|(line, _)| format!("{path}:{}: a thread-local value that is not per_thread!", line + 1))
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

#[test]
fn values_of_threads_last_to_their_ends() {
    check("src", other_thread_values);
    check("cxx/src", other_thread_values);
    let place = read(PER_THREAD);
    assert!(place.contains("assert!(!::std::mem::needs_drop::<$type>()"), "{PER_THREAD}");
    assert!(!place.split("#[cfg(all(test").next().unwrap().contains("END.with("), "{PER_THREAD}");
    let forbidden = read("clippy.toml");
    for function in ["std::thread::current", "std::thread::park", "std::thread::park_timeout"] {
        assert!(forbidden.contains(&format!("\"{function}\"")), "clippy.toml allows {function}");
    }
}

/// Checks that the component contains no core: it calls the C API, in one file.
#[test]
fn the_component_goes_through_the_c_api() {
    const CALLS: &str = "cxx/src/c_api.rs";
    check("cxx", |path, text| if path == CALLS { Vec::new() } else { with_unsafe(path, text) });
    let found = differing_declarations(&read(CALLS), &definitions());
    assert!(found.is_empty(), "{}", found.join("\n"));
    let manifest = read("cxx/Cargo.toml");
    assert!(!manifest.contains("path"), "cxx/Cargo.toml has a dependency in this tree");
    assert!(!read("Cargo.toml").contains("\ncxx"), "Cargo.toml has a dependency on cxx");
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
