//! Words for people on the standard error stream.

use std::fmt::Display;
use std::io::{Write, stderr};

/// Writes a text, whole lines, in one piece. Where nothing can be written there (it is full, or nobody
/// reads it any more), nothing is: the standard library's macros panic in that case.
pub fn notice(text: impl Display) {
    // One write, so that lines of several threads do not mix.
    let _ = stderr().write_all(text.to_string().as_bytes());
}
