//! Writes messages to the standard error stream.

use std::fmt::Display;
use std::io::{Write, stderr};

use parking_lot::Mutex;

use super::standard_stream::has_errors;

/// Writes whole lines in one write. If that fails (the device is full, or the pipe has no reader), nothing is written;
/// the standard library's macros would panic. A file of the program with the number of the stream is not written to.
pub fn notice(text: impl Display) {
    if !has_errors() {
        return;
    }
    // One write, so that lines of several threads do not mix.
    let _ = stderr().write_all(text.to_string().as_bytes());
}

/// The number of different lines that are remembered.
const MOST_LINES: usize = 64;

/// The lines that [`notice_once`] has written.
static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Writes "portacl: " and this as a line, unless it was written before in this process.
pub fn notice_once(line: &str) {
    let mut written = WRITTEN.lock();
    if written.len() < MOST_LINES && !written.iter().any(|known| known == line) {
        written.push(line.to_owned());
        drop(written);
        notice(format_args!("portacl: {line}\n"));
    }
}
