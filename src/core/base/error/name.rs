//! The names of the API's return codes, for people who read a number.

use std::ffi::CStr;

/// Returns the name of a code, or `None` for a number that the API does not have.
pub fn error_name(code: i32) -> Option<&'static CStr> {
    let index = NAMES.binary_search_by_key(&code, |(code, _)| *code).ok()?;
    Some(NAMES[index].1)
}

/// The names by ascending code. `build.rs` generates them from the constants in `src/ffi/types`; a test compares them
/// with the table of the API's constants.
static NAMES: &[(i32, &CStr)] = include!(concat!(env!("OUT_DIR"), "/error_names.rs"));

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
