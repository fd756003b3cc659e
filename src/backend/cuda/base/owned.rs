//! Addresses that the driver returned to this backend, and what of them other processes can have.
//!
//! The driver knows an address before a program gets it and after the program has freed it. In between the core knows
//! it. Before and after, this list shows that it is not memory of another library, about which the backend queries
//! the driver.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::backend::base::hull::Hull;

/// Where drivers of earlier sessions had allocated. Programs may still have such addresses.
static EARLIER: Hull = Hull::new();

/// How many ranges there have been.
static RANGES: AtomicU64 = AtomicU64::new(0);

/// Ranges that are allocated or registered, whether or not a program has them.
pub struct Owned {
    ranges: RwLock<BTreeMap<usize, Range>>,
    /// Everything that was ever allocated.
    hull: Hull,
}

/// How this backend got a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The driver allocated it.
    Allocated,
    /// It is the caller's memory, registered.
    Registered,
}

struct Range {
    len: usize,
    origin: Origin,
    /// Differs from that of an earlier range at the same address.
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
    /// The driver has just allocated this.
    pub fn add(&self, base: usize, len: usize) {
        self.note(base, len);
        self.insert(base, len, Origin::Allocated);
    }

    /// A pool has just allocated this. It keeps its addresses itself.
    pub fn note(&self, base: usize, len: usize) {
        self.hull.add(base, base + len);
    }

    /// The driver has just got this range, which is not in the hull.
    pub fn insert(&self, base: usize, len: usize, origin: Origin) {
        // Relaxed: the number only has to be different from all others.
        let number = RANGES.fetch_add(1, Ordering::Relaxed);
        // An earlier range there is being freed, and not yet removed.
        self.ranges.write().insert(base, Range { len, origin, number });
    }

    /// Frees the range at `base` with `free`, and removes it.
    pub fn remove_after<R>(&self, base: usize, free: impl FnOnce() -> R) -> R {
        let number = self.ranges.read().get(&base).map(|range| range.number);
        let freed = free();
        let mut ranges = self.ranges.write();
        // Another thread may have got the address in the meantime.
        if ranges.get(&base).map(|range| range.number) == number {
            ranges.remove(&base);
        }
        freed
    }

    /// The origin of the range that contains the address.
    pub fn origin(&self, addr: usize) -> Option<Origin> {
        let ranges = self.ranges.read();
        let (base, range) = ranges.range(..=addr).next_back()?;
        (addr - base < range.len).then_some(range.origin)
    }

    /// The address may be one that the driver returned, in this session or an earlier one, and that was freed: it is
    /// between the first and the last of them. Host memory may be there too; the caller tests whether it can be read.
    pub fn was_near(&self, addr: usize) -> bool {
        self.hull.contains(addr) || EARLIER.contains(addr)
    }
}

#[cfg(test)]
#[path = "owned_tests.rs"]
mod tests;

/// Something that other processes can have. A value identifies it among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    Block(usize),
    Physical(u64),
    Pool(usize),
}

/// What this process has exported or imported, until it is freed: the driver saves no process that has some.
#[derive(Default)]
pub struct Sharing {
    shared: Mutex<BTreeSet<Shared>>,
    /// How many blocks are imported; one address may be imported several times.
    pub imported_blocks: AtomicUsize,
}

impl Sharing {
    pub fn add(&self, shared: Shared) {
        self.shared.lock().insert(shared);
    }

    /// It is freed. It may not be shared.
    pub fn remove(&self, shared: Shared) {
        self.shared.lock().remove(&shared);
    }

    pub fn count(&self) -> usize {
        // Relaxed: calls of other threads are held.
        self.shared.lock().len() + self.imported_blocks.load(Ordering::Relaxed)
    }
}
