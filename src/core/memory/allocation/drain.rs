//! Removes all memory of an owner from the map, whether or not the host has memory for a list of it.

use super::{ALLOCATIONS, Allocation};
use crate::algo::map::address_map::Range;
use crate::core::base::owner::Owner;

impl Allocation {
    /// Removes all of an owner, and retired ranges, and calls `each` with every removed allocation.
    pub fn drain(owner: Owner, each: impl FnMut(Self)) {
        Self::drain_under(|drain| drain(), owner, each);
    }

    /// As [`Self::drain`], for memory of a pool: `lock` calls its argument under the pool's lock. `each` runs without
    /// the lock.
    pub fn drain_under(lock: impl Fn(&dyn Fn() -> Vec<Range>) -> Vec<Range>, owner: Owner, mut each: impl FnMut(Self)) {
        let drain = || ALLOCATIONS.drain(|range| Self::from_range(range).owner == owner);
        loop {
            let some = lock(&drain);
            if some.is_empty() {
                return;
            }
            some.iter().map(Self::from_range).for_each(&mut each);
        }
    }
}
