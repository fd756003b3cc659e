//! Prints each allocation and release after it was done, with the names and the order of CuPy's DebugPrintHook.

use std::io::Write;

use parking_lot::Mutex;
use serde::Serialize;

use super::{Event, MemoryHook, Moment, note_failure};

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

/// One line, without its end.
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
