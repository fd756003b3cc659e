//! Addresses that the driver returned to this backend.
//!
//! The driver knows an address before a program gets it and after the program has freed it. In between the core knows
//! it. Before and after, this list shows that it is not memory of another library, about which the backend queries
//! the driver.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use crate::backend::base::hull::Hull;

/// Where drivers of earlier sessions had allocated. Programs may still have such addresses.
static EARLIER: Hull = Hull::new();

/// Ranges that are allocated or registered, whether or not a program has them.
pub struct Owned {
    ranges: RwLock<Ranges>,
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

#[derive(Default)]
struct Ranges {
    by_base: BTreeMap<usize, Range>,
    /// How many there have been.
    count: u64,
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
        self.hull.add(base, base + len);
        self.insert(base, len, Origin::Allocated);
    }

    /// A pool has just allocated this. It keeps its addresses itself.
    pub fn note(&self, base: usize, len: usize) {
        self.hull.add(base, base + len);
    }

    /// The driver has just registered this.
    pub fn add_registered(&self, base: usize, len: usize) {
        self.insert(base, len, Origin::Registered);
    }

    fn insert(&self, base: usize, len: usize, origin: Origin) {
        let mut ranges = self.ranges.write();
        ranges.count += 1;
        let number = ranges.count;
        // An earlier range there is being freed, and not yet removed.
        ranges.by_base.insert(base, Range { len, origin, number });
    }

    /// Frees the range at `base` with `free`, and removes it.
    pub fn remove_after<R>(&self, base: usize, free: impl FnOnce() -> R) -> R {
        let number = self.ranges.read().by_base.get(&base).map(|range| range.number);
        let freed = free();
        let mut ranges = self.ranges.write();
        // Another thread may have got the address in the meantime.
        if ranges.by_base.get(&base).map(|range| range.number) == number {
            ranges.by_base.remove(&base);
        }
        freed
    }

    /// The origin of the range that contains the address.
    pub fn origin(&self, addr: usize) -> Option<Origin> {
        let ranges = self.ranges.read();
        let (base, range) = ranges.by_base.range(..=addr).next_back()?;
        (addr - base < range.len).then_some(range.origin)
    }

    /// The address may be one that the driver returned, in this session or an earlier one, and that was freed: it is
    /// between the first and the last of them. Host memory may be there too; the caller tests whether it can be read.
    pub fn was_near(&self, addr: usize) -> bool {
        self.hull.contains(addr) || EARLIER.contains(addr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_in_until_it_is_freed() {
        let owned = Owned::default();
        owned.add(1000, 100);
        owned.add(2000, 1);
        let inside = |addrs: &[usize]| addrs.iter().all(|addr| owned.origin(*addr).is_some());
        assert!(inside(&[1000, 1099, 2000]));
        assert!(![999, 1100, 1999, 2001].iter().any(|addr| owned.origin(*addr).is_some()));
        assert!(owned.remove_after(1000, || owned.origin(1050).is_some()), "while it is being freed");
        assert!(owned.origin(1050).is_none() && owned.origin(2000).is_some());
    }

    #[test]
    fn an_address_that_is_given_out_again_at_once_stays() {
        let owned = Owned::default();
        owned.add(1000, 100);
        owned.remove_after(1000, || owned.add(1000, 200));
        assert!(owned.origin(1150).is_some());
        owned.remove_after(1000, || ());
        assert!(owned.origin(1000).is_none());
    }

    #[test]
    fn what_was_allocated_once_is_in_the_window() {
        let owned = Owned::default();
        owned.add_registered(500, 100);
        assert!(![0, 500, 599].iter().any(|addr| owned.hull.contains(*addr)));
        owned.add(1000, 100);
        owned.add(3000, 100);
        owned.remove_after(1000, || ());
        owned.remove_after(3000, || ());
        assert_eq!((owned.origin(550), owned.origin(1050)), (Some(Origin::Registered), None));
        assert!([1000, 1099, 2000, 3099].iter().all(|addr| owned.was_near(*addr)));
        assert!(![0, 550, 999, 3100].iter().any(|addr| owned.hull.contains(*addr)));
        drop(owned);
        assert!(Owned::default().was_near(2000), "in the next life, too");
    }
}
