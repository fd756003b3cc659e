//! Allocations and releases: each begins or ends the use of memory.

use super::operation::What;
use super::submissions::{By, allocates_or_frees};
use super::{init, is_on, races};
use crate::core::base::config::check::Check;
use crate::core::base::error::Result;
use crate::core::memory::memory_hook::{self, Event, HOST, MemoryHook, MemoryKind, Moment, Refusal, Scope};

/// The hook that checks.
struct Watcher;

impl MemoryHook for Watcher {
    // Not afterwards, when another thread may have the address again.
    fn before(&self, moment: Moment, event: &Event) -> std::result::Result<(), Refusal> {
        if moment != Moment::Free || !is_checked(event) {
            return Ok(());
        }
        let Event { addr, rounded: len, stream, .. } = *event;
        allocates_or_frees(By::of(stream), What::Frees, addr, len);
        races::freed(addr, len, stream == 0);
        init::is_freed(addr, len);
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment != Moment::Malloc || event.failed || !is_checked(event) {
            return;
        }
        let Event { addr, rounded: len, stream, .. } = *event;
        races::allocated(addr, len);
        let operation = allocates_or_frees(By::of(stream), What::Allocates, addr, len);
        if let Some(operation) = operation.filter(|_| is_on(Check::Init) && has_no_contents(event)) {
            init::allocates(addr, len, operation);
        }
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
pub fn watch() -> Result<()> {
    memory_hook::register("portacl's checker", Scope::Process, Box::new(Watcher)).map(drop)
}
