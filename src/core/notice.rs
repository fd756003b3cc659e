//! Lines that the library writes to the standard error stream by itself.

use std::io::{self, Write};

use parking_lot::Mutex;

/// So many different lines are remembered.
const MOST_LINES: usize = 64;

/// The lines that [`write_once`] has written.
static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Writes a text of whole lines. Nothing fails where the stream is closed or full.
pub fn write(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes "portacl: " and this as a line, unless it was written before in this process.
pub fn write_once(line: &str) {
    {
        let mut written = WRITTEN.lock();
        if written.len() >= MOST_LINES || written.iter().any(|known| known == line) {
            return;
        }
        written.push(line.to_owned());
    }
    write(&format!("portacl: {line}\n"));
}
