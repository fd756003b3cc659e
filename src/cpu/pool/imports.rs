//! Maps memory from other processes.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::host::descriptor::Descriptor;
use crate::algo::sync::level::Level;
use crate::backend::{Block, Fault, Result};
use crate::base::arena::UNIT;
use crate::base::host_ranges;
use crate::base::pages::{self, Mapping, Source};
use crate::memory::host_access::{self, Watch};
use crate::memory::pending::{Deferred, REAP, Users};
use crate::memory::pinned::HOST;

/// The flag in the token of a block of another process's memory.
pub(crate) const IMPORTED: u64 = 1 << 60;

/// The imports of this process.
pub(crate) struct Imports {
    /// The distance of the library's view of devices' memory.
    library_view: usize,
    /// The imports by the address of the block.
    live: Mutex<BTreeMap<usize, Import>>,
    deferred: Deferred,
}

/// A block of another process.
struct Import {
    len: usize,
    /// Whether it is memory on a device.
    is_device: bool,
    #[expect(dead_code, reason = "in guard mode it explains faults until it is dropped")]
    watch: Option<Watch>,
    #[expect(dead_code, reason = "dropping it unmaps the block")]
    mapping: Mapping,
    /// The counter of the block's pool, if it is a pool's.
    counter: Arc<Level>,
}

impl Drop for Import {
    fn drop(&mut self) {
        self.counter.sub(self.len);
    }
}

impl Imports {
    pub(crate) fn new(library_view: usize) -> Self {
        Self { library_view, live: Mutex::default(), deferred: Deferred::new() }
    }

    /// Whether the address is in imported device memory, in the program's view.
    pub(crate) fn contains(&self, addr: usize) -> bool {
        let live = self.live.lock();
        let before = live.range(..=addr).next_back();
        before.is_some_and(|(base, import)| import.is_device && addr - base < import.len)
    }

    /// Maps `len` bytes at `at` in another process's file, as memory on the device with this ordinal, or on the host.
    pub(crate) fn map(
        &self,
        file: &Descriptor,
        (at, len): (u64, u64),
        ordinal: Option<u32>,
        counter: Arc<Level>,
    ) -> Result<Block> {
        self.reap(REAP);
        // The kernel's pages may be larger than units.
        let page = UNIT.max(pages::ordinary() as u64);
        let first = at & !(page - 1);
        let whole = ((at + len).next_multiple_of(page) - first) as usize;
        let own = if ordinal.is_some() { self.library_view } else { 0 };
        if own != 0 && whole > own {
            return Err(Fault::out_of_device_memory(format!(
                "{len} bytes from another process cannot be imported in guard mode; allowed: at most {own} bytes; set \
                 PORTACL_CPU_MEMORY to the same size in both processes"
            )));
        }
        let mapping = file.get().and_then(|file| Mapping::new(whole, Source::File(file, first), own));
        let mapping = mapping.map_err(|error| {
            Fault::out_of_host_memory(format!(
                "{len} bytes from another process cannot be mapped: {error}. If memory is missing, raise ulimit -v or \
                 vm.max_map_count"
            ))
        })?;
        let base = mapping.addr();
        host_ranges::mapped(base, whole);
        let (addr, len) = (base + (at - first) as usize, len as usize);
        let token = IMPORTED | ordinal.map_or(HOST, |ordinal| u64::from(ordinal) << 32);
        let block = Block { addr, len, token };
        let watch = ordinal.filter(|_| own != 0).map(|ordinal| Watch::new(base, whole, own, ordinal));
        if watch.is_some() {
            host_access::taken(&block, len);
        }
        counter.add(len);
        self.live.lock().insert(addr, Import { len, is_device: ordinal.is_some(), watch, mapping, counter });
        Ok(block)
    }

    /// Frees a block. Pending operations keep it until they are complete.
    pub(crate) fn free(&self, users: &Users, block: Block) {
        if block.token & HOST == 0 && self.library_view != 0 {
            host_access::becomes(block.addr, host_access::FREED);
        }
        let fence = users.fence(block.addr, block.len);
        self.deferred.free(block, fence, |block| self.free_unused(block));
    }

    fn free_unused(&self, block: Block) {
        let gone = self.live.lock().remove(&block.addr);
        // The blocks are dropped without the lock, because unmapping is slow.
        drop(gone);
    }

    /// Frees blocks that nothing uses any more. Checks at most `limit` blocks.
    pub(crate) fn reap(&self, limit: usize) {
        self.deferred.reap(limit, |block| self.free_unused(block));
    }

    /// Returns the number of blocks, including freed ones that operations still use.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.live.lock().len()
    }

    /// Unmaps all blocks that are left.
    pub(crate) fn close(&self) {
        drop(std::mem::take(&mut *self.live.lock()));
    }
}
