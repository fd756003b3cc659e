//! Allocations as lines of JSON, with the names and the order of CuPy's DebugPrintHook.

use std::fmt::Write;

use super::{Event, Moment};

/// One line, without its end.
pub fn to_json(moment: Moment, event: &Event) -> String {
    let mut line = format!("{{\"hook\":\"{}\",\"device_id\":{}", moment.name(), event.device);
    let mut put = |text: std::fmt::Arguments<'_>| line.write_fmt(text).expect("a text takes all");
    if moment == Moment::Malloc {
        put(format_args!(",\"size\":{}", event.size));
    }
    put(format_args!(",\"mem_size\":{},\"mem_ptr\":{}", event.rounded, event.addr));
    if moment != Moment::Alloc {
        put(format_args!(",\"pmem_id\":\"{:#x}\"", event.memory_id()));
    }
    put(format_args!("}}"));
    line
}
