//! Allocations as lines of JSON, with the names and the order of CuPy's DebugPrintHook.

use serde::Serialize;

use super::{Event, Moment};

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
