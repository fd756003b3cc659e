//! Hooks that write a line for each allocation and release.

use std::io::Write;
use std::time::Instant;

use parking_lot::Mutex;
use serde::Serialize;

use super::{Event, MemoryHook, Moment, Refusal, note_failure};
use crate::backend::thread_number;

/// The output of a hook that writes lines.
struct Lines(Mutex<Box<dyn Write + Send>>);

impl Lines {
    /// Writes a line. It is formatted under the lock: times ascend from line to line.
    fn write(&self, line: impl FnOnce() -> String, flushes: bool) {
        let mut to = self.0.lock();
        let written = to.write_all(line().as_bytes());
        if let Err(why) = written.and_then(|()| if flushes { to.flush() } else { Ok(()) }) {
            note_failure(&format!("a line of the hook's output could not be written: {why}"));
        }
    }
}

/// Prints each allocation and release after it was done, as lines of JSON with the names and the order of CuPy's
/// DebugPrintHook. Flushes each line.
pub struct DebugPrint(Lines);

impl DebugPrint {
    /// Creates the hook, which prints to `to`.
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        Self(Lines(Mutex::new(to)))
    }
}

impl MemoryHook for DebugPrint {
    fn after(&self, moment: Moment, event: &Event) {
        self.0.write(|| to_json(moment, event) + "\n", true);
    }
}

#[derive(Serialize)]
struct Line {
    hook: &'static str,
    device_id: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    mem_size: usize,
    mem_ptr: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pmem_id: Option<String>,
}

/// Returns one line, without its end.
pub fn to_json(moment: Moment, event: &Event) -> String {
    let line = Line {
        hook: moment.name(),
        device_id: event.device,
        size: (moment == Moment::Malloc).then_some(event.size),
        mem_size: event.rounded,
        mem_ptr: event.addr,
        pmem_id: (moment != Moment::Alloc).then(|| format!("{:#x}", event.memory_id())),
    };
    serde_json::to_string(&line).expect("a line has no members that can fail")
}

/// Writes a log that can be replayed, in the order in which events ended: docs/allocation_log.md has its format.
pub struct Logging {
    began: Instant,
    lines: Lines,
}

impl Logging {
    /// Creates the hook, which writes to `to`.
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        Self { began: Instant::now(), lines: Lines(Mutex::new(to)) }
    }

    fn line(&self, moment: Moment, event: &Event) -> String {
        let (what, time) = (moment.name(), self.began.elapsed().as_nanos());
        let size = match moment {
            Moment::Malloc => format!("\"size\": {}, ", event.size),
            Moment::Alloc | Moment::Free => String::new(),
        };
        format!(
            "{{\"event\": \"{what}\", \"time\": {time}, \"pointer\": \"{:#x}\", {size}\"rounded\": {}, \
             \"stream\": \"{:#x}\", \"thread\": {}, \"device\": {}, \"kind\": \"{}\"}}\n",
            event.memory_id(),
            event.rounded,
            event.stream,
            thread_number(),
            event.device,
            event.kind.name()
        )
    }
}

impl MemoryHook for Logging {
    // A release is logged before it is done: afterwards another thread may have the address again, and its line would
    // come first.
    fn before(&self, moment: Moment, event: &Event) -> Result<(), Refusal> {
        if moment == Moment::Free {
            self.lines.write(|| self.line(moment, event), false);
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment != Moment::Free {
            self.lines.write(|| self.line(moment, event), false);
        }
    }
}
