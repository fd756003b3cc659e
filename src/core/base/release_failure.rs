//! Failures of releases that no call can return: those of C++ destructors, which must not throw, and those of memory
//! that is freed during an unrelated call.
//!
//! They are counted, and the leak report has the first texts.

use parking_lot::Mutex;

use crate::base::error::name::error_name;
use crate::base::error::{self, Error};

/// Maximum number of texts that are kept. Further failures are only counted.
const MOST_TEXTS: usize = 64;

/// The number of failures since the process began, and the texts since the latest report.
static NOTED: Mutex<(u64, Vec<String>)> = Mutex::new((0, Vec::new()));

/// Notes that `call` failed with this code. Takes the error text from the calling thread, which will not fetch it.
pub fn note(call: &str, code: i32) {
    let said = error::take_recent_string().unwrap_or_default();
    let name = error_name(code).map_or("unknown code", |name| name.to_str().unwrap_or(""));
    let colon = if said.is_empty() { "" } else { ": " };
    keep(format!("{call} returned {code} ({name}){colon}{said}"));
}

/// Notes that something was not freed during an unrelated call, if it failed.
pub(crate) fn note_outcome<E: Into<Error>>(what: &str, freed: Result<(), E>) {
    if let Err(error) = freed {
        keep(format!("{what}: {}", error.into().text()));
    }
}

fn keep(text: String) {
    let (count, texts) = &mut *NOTED.lock();
    *count += 1;
    if texts.len() < MOST_TEXTS {
        texts.push(text);
    }
}

/// Returns the number of failures since the process began.
pub fn count() -> u64 {
    NOTED.lock().0
}

/// Returns and removes the texts that were kept since the previous call.
pub(crate) fn take_texts() -> Vec<String> {
    std::mem::take(&mut NOTED.lock().1)
}

#[cfg(test)]
#[path = "release_failure_tests.rs"]
mod tests;
