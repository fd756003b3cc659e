//! Prints each allocation and release after it was done.

use std::io::Write;

use parking_lot::Mutex;

use super::{Event, MemoryHook, Moment, to_json};
use crate::core::memory::memory_hook::note_failure;

/// Lines of JSON in the format of CuPy's DebugPrintHook, each of them flushed.
pub struct DebugPrint {
    to: Mutex<Box<dyn Write + Send>>,
}

impl DebugPrint {
    /// Prints to this.
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        Self { to: Mutex::new(to) }
    }
}

impl MemoryHook for DebugPrint {
    fn after(&self, moment: Moment, event: &Event) {
        let mut line = to_json(moment, event);
        line.push('\n');
        let mut to = self.to.lock();
        if let Err(why) = to.write_all(line.as_bytes()).and_then(|()| to.flush()) {
            note_failure(&format!("a line could not be written: {why}"));
        }
    }
}
