//! Data of a program as marks in its streams.

use crate::backend::trace::Note;
use crate::base::error::{Result, invalid_param};
use crate::stream;

/// Maximum number of bytes of one mark.
pub const MOST_BYTES: i32 = 1024;

/// Checks the length of a mark.
pub fn check_length(length: i32) -> Result<usize> {
    let allowed = 1..=MOST_BYTES;
    ensure!(allowed.contains(&length), invalid_param!("length is {length}; allowed: from 1 to {MOST_BYTES} bytes"));
    Ok(length as usize)
}

/// Implements aclrtProfTrace.
pub fn mark(data: &[u8], stream: u64) -> Result<()> {
    stream::resolve(stream)?.note(|| Note::Mark(in_words(data)));
    Ok(())
}

/// Returns a text as it is, and other data as numbers.
fn in_words(data: &[u8]) -> String {
    let text = data.strip_suffix(&[0]).unwrap_or(data);
    match std::str::from_utf8(text) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => "data".to_owned() + &data.iter().map(|byte| format!(" {byte:02x}")).collect::<String>(),
    }
}

#[cfg(test)]
#[path = "prof_trace_tests.rs"]
mod tests;
