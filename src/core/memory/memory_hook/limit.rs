//! Refuses what goes beyond a budget.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::{Event, MemoryHook, MemoryKind, Moment, Refusal};
use crate::core::base::error::Code;

/// Lets a program have so many bytes at a time, of what it allocates while the hook is registered.
pub struct Limit {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes that are handed out or about to be.
    used: usize,
    /// What each live allocation counts, by what tells it apart.
    live: HashMap<u64, usize>,
    /// As `live`, of those that are about to be given back.
    leaving: HashMap<u64, usize>,
}

impl Limit {
    /// So many bytes at most.
    pub fn new(most: usize) -> Self {
        Self { most, state: Mutex::default() }
    }
}

impl State {
    fn release(&mut self, id: u64) -> Option<usize> {
        let bytes = self.live.remove(&id)?;
        self.used -= bytes;
        Some(bytes)
    }
}

impl MemoryHook for Limit {
    fn before(&self, moment: Moment, event: &Event) -> Result<(), Refusal> {
        // Memory of another process takes nothing here.
        if event.kind == MemoryKind::Imported {
            return Ok(());
        }
        let mut state = self.state.lock();
        match moment {
            Moment::Alloc => Ok(()),
            // Not afterwards, when another thread may have the address again.
            Moment::Free => {
                if let Some(bytes) = state.release(event.memory_id()) {
                    state.leaving.insert(event.memory_id(), bytes);
                }
                Ok(())
            }
            Moment::Malloc => {
                let used = state.used.checked_add(event.rounded).filter(|used| *used <= self.most);
                let text = format!("{} of its {} bytes are in use", state.used, self.most);
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
                // An address that comes again went with its device before.
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
