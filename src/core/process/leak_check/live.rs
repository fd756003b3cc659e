//! Live allocations.

use super::Teardown;
use super::record::{AllocationSite, MEMORY, is_of_library};
use crate::memory::allocation::Allocation;
use crate::memory::memory_hook::{HOST, MemoryKind};
use crate::memory::request::hooks::ReportedMemory;
use crate::memory::virtual_memory;
use crate::pool::mem_pool::owned;
use crate::pool::mem_pool::pool::Pool;

/// A live allocation.
pub struct Live {
    /// The first byte; 0: it has no address.
    pub addr: usize,
    /// The handle of memory without an address, or 0.
    pub handle: u64,
    /// The length in bytes as statistics count it. The program may use fewer bytes.
    pub len: usize,
    /// Its kind.
    pub kind: MemoryKind,
    /// Its device; -1: host memory.
    pub device: i32,
    /// The handle of its pool, which may have been destroyed; 0: none.
    pub pool: u64,
    /// Its origin, if that was recorded.
    pub record: Option<AllocationSite>,
}

impl Live {
    /// Whether it belongs to a library beside this one, so that reports do not name it.
    pub(super) fn is_of_library(&self) -> bool {
        is_of_library(if self.addr == 0 { self.handle } else { self.addr as u64 })
    }

    /// Returns the bytes that the program asked for, if that was recorded; otherwise the length.
    pub(super) fn asked(&self) -> usize {
        self.record.as_ref().map_or(self.len, |record| record.size)
    }

    /// Whether the memory is released at this end. Memory that ends with a session does not exist any more when the
    /// process ends. Memory that ends with a graph is not reported, because the graph is.
    pub(super) fn ends_with(&self, end: Teardown<'_>) -> bool {
        if self.kind == MemoryKind::Graph && owned::goes_with_its_graph(self.addr) || self.is_of_library() {
            return false;
        }
        match end {
            Teardown::Context(_) => false,
            Teardown::Device(device) => self.device == device.id as i32,
            Teardown::Session | Teardown::Process => true,
        }
    }
}

/// Returns the number of live allocations.
pub fn count() -> usize {
    Allocation::all().filter_map(|found| MemoryKind::of(&found)).count() + virtual_memory::reported().len()
}

/// Returns the live allocations, by address. A concurrent call waits for this only while one allocation is read. The
/// list contains memory that is live during the whole call exactly once. It may contain memory that is allocated or
/// freed meanwhile.
pub fn snapshot() -> Vec<Live> {
    let live = |found: Allocation| {
        let (kind, device) = MemoryKind::of(&found)?;
        let (addr, record) = (found.base, MEMORY.lock().get(&(found.base as u64)).cloned());
        let pool = Pool::share_of(&found).map_or(0, |pool| pool.handle());
        Some(Live { addr, handle: 0, len: found.block().len, kind, device, pool, record })
    };
    let without_address = |piece: ReportedMemory| {
        let ReportedMemory { kind, addr, handle, len, device } = piece;
        let device = device.map_or(HOST, |id| id as i32);
        Live { addr, handle, len, kind, device, pool: 0, record: MEMORY.lock().get(&handle).cloned() }
    };
    let pieces = virtual_memory::reported();
    // The room for all is allocated at once: a long list that grows would be copied each time.
    let mut all = Vec::with_capacity(Allocation::at_most() + pieces.len());
    all.extend(Allocation::all().filter_map(live));
    all.extend(pieces.into_iter().map(without_address));
    all.sort_unstable_by_key(|live| (live.addr, live.handle));
    // The memory was freed and allocated again meanwhile.
    all.dedup_by_key(|live| (live.addr, live.handle));
    all
}
