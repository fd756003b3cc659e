//! Writes a log that can be replayed: docs/allocation_log.md has its format.

use std::io::Write;
use std::time::Instant;

use parking_lot::Mutex;

use super::{Event, MemoryHook, Moment, note_failure, thread};

/// A line for each allocation and release, in the order in which they ended.
pub struct Logging {
    began: Instant,
    to: Mutex<Box<dyn Write + Send>>,
}

impl Logging {
    /// Writes to this.
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        Self { began: Instant::now(), to: Mutex::new(to) }
    }

    fn line(&self, moment: Moment, event: &Event) -> String {
        let (what, time) = (moment.name(), self.began.elapsed().as_nanos());
        let size = match moment {
            Moment::Malloc => format!("\"size\": {}, ", event.size),
            _ => String::new(),
        };
        format!(
            "{{\"event\": \"{what}\", \"time\": {time}, \"pointer\": \"{:#x}\", {size}\"rounded\": {}, \
             \"stream\": \"{:#x}\", \"thread\": {}, \"device\": {}, \"kind\": \"{}\"}}\n",
            event.memory_id(),
            event.rounded,
            event.stream,
            thread(),
            event.device,
            event.kind.name()
        )
    }

    fn write(&self, moment: Moment, event: &Event) {
        let mut to = self.to.lock();
        // Formatted under the lock: times ascend from line to line.
        let line = self.line(moment, event);
        if let Err(why) = to.write_all(line.as_bytes()) {
            note_failure(&format!("a line could not be written: {why}"));
        }
    }
}

impl MemoryHook for Logging {
    // A release is logged before it is done: afterwards another thread may have the address again, and its line would
    // come first.
    fn before(&self, moment: Moment, event: &Event) -> Result<(), super::Refusal> {
        if moment == Moment::Free {
            self.write(moment, event);
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment != Moment::Free {
            self.write(moment, event);
        }
    }
}
