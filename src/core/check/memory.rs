//! Allocations and releases: each begins or ends the use of memory.

use super::operation::What;
use super::races::{self, By};
use crate::core::base::error::Result;
use crate::core::memory::memory_hook::{self, Event, MemoryHook, MemoryKind, Moment, Refusal, Scope};

/// The hook that checks.
struct Watcher;

impl MemoryHook for Watcher {
    // Not afterwards, when another thread may have the address again.
    fn before(&self, moment: Moment, event: &Event) -> std::result::Result<(), Refusal> {
        if moment == Moment::Free && is_checked(event) {
            races::uses(By::of(event.stream), What::Frees, event.addr, event.rounded);
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment == Moment::Malloc && !event.failed && is_checked(event) {
            races::uses(By::of(event.stream), What::Allocates, event.addr, event.rounded);
        }
    }
}

/// Memory of graphs is allocated and freed by their runs, and not by the calls that are reported here.
fn is_checked(event: &Event) -> bool {
    event.addr != 0 && event.kind != MemoryKind::Graph
}

/// Watches all memory from now on.
pub fn watch() -> Result<()> {
    memory_hook::register("portacl's checker", Scope::Process, Box::new(Watcher)).map(drop)
}
