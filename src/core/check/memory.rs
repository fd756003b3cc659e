//! Allocations and releases: each begins or ends the use of memory.

use super::submissions::{allocates, frees};
use crate::core::memory::memory_hook::{self, Event, HOST, MemoryKind, Watcher};

/// Checks all memory.
struct Checks;

impl Watcher for Checks {
    fn is_allocated(&self, event: &Event) {
        if is_checked(event) {
            // Only operations write it: not the program itself, and no other process.
            let is_unwritten = event.device != HOST && matches!(event.kind, MemoryKind::Device | MemoryKind::Pool);
            allocates(stream_of(event), event.addr, event.rounded, is_unwritten);
        }
    }

    fn is_freed(&self, event: &Event) {
        if is_checked(event) {
            frees(stream_of(event), event.addr, event.rounded);
        }
    }
}

/// Memory of graphs is allocated and freed by their runs, and not by the calls that are reported here.
fn is_checked(event: &Event) -> bool {
    event.addr != 0 && event.kind != MemoryKind::Graph
}

/// The stream in whose order it happens; `None`: at once.
fn stream_of(event: &Event) -> Option<u64> {
    (event.stream != 0).then_some(event.stream)
}

/// Watches all memory from now on.
pub fn watch() {
    memory_hook::watch(&Checks);
}
