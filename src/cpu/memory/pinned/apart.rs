//! Page-locked memory with detection of accesses outside of allocations. Each allocation has a private mapping, which
//! stays without access for a while after it was freed.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{HOST, HostMemory, LARGE, no_memory, trim};
use crate::backend::memory::closed;
use crate::backend::{Access, Block, Result};
use crate::base::arena::{Arena, HUGE, UNIT};
use crate::base::pages::{self, Mapping, Source};
use crate::base::{files, host_ranges};
use crate::memory::bounds::{Bounds, Layout, announce};

/// The flag in the token of a block with a private mapping.
pub(super) const APART: u64 = LARGE | 1 << 40;
/// The number of bytes of freed mappings that stay mapped, so that an access to them is detected.
const MOST_FREED: usize = 64 << 20;

pub(super) struct Apart {
    pub(super) bounds: Arc<Bounds>,
    can_close: bool,
    /// The mappings of live allocations, by address.
    live: Mutex<HashMap<usize, Mapping>>,
    /// The freed mappings, in the order of their frees.
    freed: Mutex<VecDeque<Mapping>>,
}

impl Apart {
    pub(super) fn new(bounds: Arc<Bounds>, can_close: bool) -> Self {
        Self { bounds, can_close, live: Mutex::default(), freed: Mutex::default() }
    }

    /// Frees a block that nothing uses any more.
    pub(super) fn free_unused(&self, block: Block) {
        let mapping = self.live.lock().remove(&block.addr);
        mapping.iter().for_each(|mapping| end_views(block.addr, mapping));
        let damage = self.bounds.end(block);
        damage.iter().for_each(|damage| _ = announce(damage, "the freed memory was unmapped"));
        let Some(mapping) = mapping else { return };
        let mut freed = self.freed.lock();
        freed.push_back(mapping);
        let gone = trim(&mut freed, MOST_FREED);
        drop(freed);
        self.unmap(gone);
    }

    /// Unmaps mappings, whose addresses may then be reused.
    fn unmap(&self, mappings: Vec<Mapping>) {
        for mapping in mappings {
            self.bounds.forget(mapping.addr(), mapping.len());
        }
    }

    /// Unmaps freed mappings. Returns true if there were any.
    pub(super) fn release(&self) -> bool {
        let freed = std::mem::take(&mut *self.freed.lock());
        let some = !freed.is_empty();
        self.unmap(freed.into());
        some
    }

    /// Unmaps all mappings.
    pub(super) fn close(&self) {
        self.release();
        self.bounds.close();
        let live = std::mem::take(&mut *self.live.lock());
        live.iter().for_each(|(addr, mapping)| end_views(*addr, mapping));
    }
}

/// Closes the memory from a driver that was not shut down, because its addresses may be reused.
impl Drop for Apart {
    fn drop(&mut self) {
        self.close();
    }
}

/// Ends a block, and the library's view of it, if it has one.
fn end_views(addr: usize, mapping: &Mapping) {
    if mapping.own() != 0 {
        closed::end(addr);
        // A failure here only weakens the guard.
        let _ = pages::set_access(mapping.addr() + mapping.own(), mapping.len(), Access::None);
    }
}

/// Maps `len` bytes of a file in memory twice: for the program, and for the library.
fn map_twice(len: usize) -> io::Result<Mapping> {
    let file = files::sealed_file(c"portacl-shared", len as u64)?;
    // The distance is so large that an access past the end of one view does not reach the other.
    let own = len.next_multiple_of(HUGE as usize) + HUGE as usize;
    let mapping = Mapping::new(len, Source::File(file.get()?, 0), own)?;
    let used = len - UNIT as usize;
    pages::set_access(mapping.addr(), used, Access::ReadWrite)?;
    pages::set_access(mapping.addr() + own + used, UNIT as usize, Access::None)?;
    host_ranges::mapped(mapping.addr(), len);
    Ok(mapping)
}

impl HostMemory {
    /// Allocates a block with a private mapping. Returns `None` if there are too many of them.
    #[cold]
    pub(super) fn take_apart(&self, len: usize) -> Result<Option<Block>> {
        if !self.apart.bounds.has_room() {
            return Ok(None);
        }
        let block_len = Arena::block_len(len as u64);
        let too_large = || no_memory(len, "the length exceeds the address space");
        ensure!(block_len.checked_add(2 * UNIT).is_some_and(|all| all <= isize::MAX as u64), too_large());
        let layout = Layout::new(block_len, UNIT);
        let extent = layout.extent as usize;
        // A smaller block has no whole page. Without a file in memory, the block is allocated as without the check.
        let is_closable = self.apart.can_close && layout.lead == 0 && closed::has_room();
        let twice = is_closable.then(|| map_twice(extent).ok()).flatten();
        let mapping = twice.map_or_else(|| self.map_unlocked(extent), Ok)?;
        let (first, unit) = (mapping.addr(), UNIT as usize);
        let pages = mapping.len() - unit;
        self.note_lock_result(pages, pages::lock(first, pages));
        let addr = first + layout.lead as usize;
        let block = Block { addr, len: block_len as usize, token: HOST | APART };
        let begun = pages::set_access(first + pages, unit, Access::None)
            .and_then(|()| self.apart.bounds.begin(block, len, layout));
        begun.map_err(|error| no_memory(len, &format!("{error}; raise vm.max_map_count")))?;
        self.apart.bounds.reserve(block.len, u64::MAX);
        if mapping.own() != 0 {
            closed::begin(&block, len, mapping.own());
        }
        self.apart.live.lock().insert(addr, mapping);
        Ok(Some(block))
    }
}
