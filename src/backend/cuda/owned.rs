//! What this backend has from the driver.
//!
//! The driver knows an address from before a program gets it until after the program has given it
//! back. In between the core knows it; before and after it is nobody's, and above all not memory of
//! another library, for which the driver is asked.

use std::collections::BTreeMap;

use parking_lot::RwLock;

/// Ranges that were allocated and have not been freed, whether or not a program has them.
#[derive(Default)]
pub(super) struct Owned(RwLock<Ranges>);

#[derive(Default)]
struct Ranges {
    by_base: BTreeMap<usize, Range>,
    /// How many there have been.
    count: u64,
}

struct Range {
    len: usize,
    /// Tells a range from an earlier one at the same address.
    number: u64,
}

impl Owned {
    /// The driver has just given this.
    pub(super) fn add(&self, base: usize, len: usize) {
        let mut ranges = self.0.write();
        ranges.count += 1;
        let number = ranges.count;
        // One that was there is being freed, and its end not yet noted.
        ranges.by_base.insert(base, Range { len, number });
    }

    /// Frees the range at `base` by `free`. Until then it is in here, and no longer than that.
    pub(super) fn remove_after<R>(&self, base: usize, free: impl FnOnce() -> R) -> R {
        let number = self.0.read().by_base.get(&base).map(|range| range.number);
        let freed = free();
        let mut ranges = self.0.write();
        // Another thread may have been given the address meanwhile.
        if ranges.by_base.get(&base).map(|range| range.number) == number {
            ranges.by_base.remove(&base);
        }
        freed
    }

    pub(super) fn contains(&self, addr: usize) -> bool {
        let ranges = self.0.read();
        let before = ranges.by_base.range(..=addr).next_back();
        before.is_some_and(|(base, range)| addr - base < range.len)
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
        let inside = |addrs: &[usize]| addrs.iter().all(|addr| owned.contains(*addr));
        assert!(inside(&[1000, 1099, 2000]));
        assert!(![999, 1100, 1999, 2001].iter().any(|addr| owned.contains(*addr)));
        assert!(owned.remove_after(1000, || owned.contains(1050)), "while it is being freed");
        assert!(!owned.contains(1050) && owned.contains(2000));
    }

    #[test]
    fn an_address_that_is_given_out_again_at_once_stays() {
        let owned = Owned::default();
        owned.add(1000, 100);
        owned.remove_after(1000, || owned.add(1000, 200));
        assert!(owned.contains(1150));
        owned.remove_after(1000, || ());
        assert!(!owned.contains(1000));
    }
}
