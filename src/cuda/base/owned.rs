//! Records the addresses that the driver returned to this backend, and what of them other processes can have.
//!
//! The driver knows an address before a program gets it and after the program has freed it. Between these times the
//! core knows it. Before and after them, this list shows that it is not memory from another library, about which the
//! backend queries the driver.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::backend::base::hull::Hull;

/// The hull of the memory that drivers of earlier sessions had allocated. Programs may still have such addresses.
static EARLIER: Hull = Hull::new();

/// The number of ranges that were ever added.
static RANGES: AtomicU64 = AtomicU64::new(0);

/// The ranges that are allocated or registered, whether or not a program has them.
pub(crate) struct Owned {
    ranges: RwLock<BTreeMap<usize, Range>>,
    /// The hull of all memory that was ever allocated.
    hull: Hull,
}

/// The way in which this backend got a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The driver allocated it.
    Allocated,
    /// The range is the caller's memory, and is registered.
    Registered,
}

struct Range {
    len: usize,
    origin: Origin,
    /// A number that differs from that of an earlier range at the same address.
    number: u64,
}

impl Default for Owned {
    fn default() -> Self {
        Self { ranges: RwLock::default(), hull: Hull::new() }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        EARLIER.add_all_of(&self.hull);
    }
}

impl Owned {
    /// Adds memory that the driver has just allocated.
    pub(crate) fn add(&self, base: usize, len: usize) {
        self.note(base, len);
        self.insert(base, len, Origin::Allocated);
    }

    /// Adds pool memory to the hull. The pool keeps its addresses itself.
    pub(crate) fn note(&self, base: usize, len: usize) {
        self.hull.add(base, base + len);
    }

    /// Inserts a range that the driver has just got, and that is not in the hull.
    pub(crate) fn insert(&self, base: usize, len: usize, origin: Origin) {
        // Relaxed: the number only has to be different from all others.
        let number = RANGES.fetch_add(1, Ordering::Relaxed);
        // An earlier range at this address is being freed, and not yet removed.
        self.ranges.write().insert(base, Range { len, origin, number });
    }

    /// Frees the range at `base` with `free`, and removes it.
    pub(crate) fn remove_after<R>(&self, base: usize, free: impl FnOnce() -> R) -> R {
        let number = self.ranges.read().get(&base).map(|range| range.number);
        let freed = free();
        let mut ranges = self.ranges.write();
        // Another thread may have got the address in the meantime.
        if ranges.get(&base).map(|range| range.number) == number {
            ranges.remove(&base);
        }
        freed
    }

    /// Returns the origin of the range that contains the address.
    pub(crate) fn origin(&self, addr: usize) -> Option<Origin> {
        let ranges = self.ranges.read();
        let (base, range) = ranges.range(..=addr).next_back()?;
        (addr - base < range.len).then_some(range.origin)
    }

    /// Whether the address may be one that the driver returned, in this session or an earlier one, and that was freed:
    /// it is between the first and the last of them. Host memory may be there too: the caller tests whether it can be
    /// read.
    pub(crate) fn was_near(&self, addr: usize) -> bool {
        self.hull.contains(addr) || EARLIER.contains(addr)
    }
}

#[cfg(test)]
#[path = "owned_tests.rs"]
mod tests;

/// An object that other processes can have. A value identifies it among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shared {
    Block(usize),
    Physical(u64),
    Pool(usize),
}

/// The objects that this process has exported or imported, until they are freed. The driver saves no process that has
/// some.
#[derive(Default)]
pub(crate) struct Sharing {
    shared: Mutex<BTreeSet<Shared>>,
    /// The number of imported blocks. One address may be imported several times.
    pub imported_blocks: AtomicUsize,
}

impl Sharing {
    pub(crate) fn add(&self, shared: Shared) {
        self.shared.lock().insert(shared);
    }

    /// Removes an object that is freed. It need not be shared.
    pub(crate) fn remove(&self, shared: Shared) {
        self.shared.lock().remove(&shared);
    }

    pub(crate) fn count(&self) -> usize {
        // Relaxed: calls of other threads are held.
        self.shared.lock().len() + self.imported_blocks.load(Ordering::Relaxed)
    }
}
