//! Allocations and releases: each begins or ends the use of memory.

use super::submissions::{By, allocates, frees};
use crate::core::memory::memory_hook::{self, Event, HOST, MemoryHook, MemoryKind, Moment, Refusal};

/// The hook that checks.
struct Watcher;

impl MemoryHook for Watcher {
    // Not afterwards, when another thread may have the address again.
    fn before(&self, moment: Moment, event: &Event) -> std::result::Result<(), Refusal> {
        if moment != Moment::Free || !is_checked(event) {
            return Ok(());
        }
        let Event { addr, rounded: len, stream, .. } = *event;
        frees(By::of(stream), addr, len);
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment != Moment::Malloc || event.failed || !is_checked(event) {
            return;
        }
        let Event { addr, rounded: len, stream, .. } = *event;
        allocates(By::of(stream), addr, len, has_no_contents(event));
    }
}

/// Memory of graphs is allocated and freed by their runs, and not by the calls that are reported here.
fn is_checked(event: &Event) -> bool {
    event.addr != 0 && event.kind != MemoryKind::Graph
}

/// Whether only operations write it: not the program itself, and no other process.
fn has_no_contents(event: &Event) -> bool {
    event.device != HOST && matches!(event.kind, MemoryKind::Device | MemoryKind::Pool)
}

/// Watches all memory from now on.
pub fn watch() {
    memory_hook::watch(&Watcher);
}
