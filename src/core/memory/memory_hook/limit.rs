//! Refuses allocations beyond a budget.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::{Event, MemoryHook, MemoryKind, Moment, Refusal};
use crate::base::error::Code;

/// Limits the bytes that a program may hold at a time, of what it allocates while the hook is registered.
pub struct Limit {
    most: usize,
    state: Mutex<Usage>,
}

#[derive(Default)]
struct Usage {
    /// The bytes that are allocated or about to be.
    used: usize,
    /// Counted bytes of each live allocation, by its identity.
    live: HashMap<u64, usize>,
    /// The same for allocations that are about to be freed.
    leaving: HashMap<u64, usize>,
}

impl Limit {
    /// Creates a hook with a limit of `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { most, state: Mutex::default() }
    }
}

impl Usage {
    fn release(&mut self, id: u64) -> Option<usize> {
        let bytes = self.live.remove(&id)?;
        self.used -= bytes;
        Some(bytes)
    }
}

impl MemoryHook for Limit {
    fn before(&self, moment: Moment, event: &Event) -> Result<(), Refusal> {
        // Memory from another process takes no memory of this one.
        if event.kind == MemoryKind::Imported {
            return Ok(());
        }
        let mut state = self.state.lock();
        match moment {
            Moment::Alloc => Ok(()),
            // This is done before the free: afterwards another thread may have the address again.
            Moment::Free => {
                if let Some(bytes) = state.release(event.memory_id()) {
                    state.leaving.insert(event.memory_id(), bytes);
                }
                Ok(())
            }
            Moment::Malloc => {
                let used = state.used.checked_add(event.rounded).filter(|used| *used <= self.most);
                let text = format!("{} of the allowed {} bytes are in use", state.used, self.most);
                state.used = used.ok_or(Refusal { code: Code::MemoryAllocation.value(), text })?;
                Ok(())
            }
        }
    }

    fn after(&self, moment: Moment, event: &Event) {
        if event.kind == MemoryKind::Imported {
            return;
        }
        let mut state = self.state.lock();
        match (moment, event.failed) {
            (Moment::Malloc, true) => state.used -= event.rounded,
            (Moment::Malloc, false) => {
                // If the address was live before, it was released with its device.
                state.release(event.memory_id());
                state.live.insert(event.memory_id(), event.rounded);
            }
            (Moment::Free, failed) => {
                if let Some(bytes) = state.leaving.remove(&event.memory_id())
                    && failed
                {
                    state.used += bytes;
                    state.live.insert(event.memory_id(), bytes);
                }
            }
            (Moment::Alloc, _) => {}
        }
    }
}
