//! Hints: the next lookup first tries the record in which a range was found. So repeated lookups of one range skip
//! the pages.

use super::{AddressMap, Reach, Record};
use crate::sync::primitives::atomic::Ordering;

/// A record that had a range. The record is never freed. Its live range, which may be another one by now, is in the
/// map: it contains an address, or it does not.
#[derive(Clone, Copy, Default)]
pub struct Hint<'a>(Option<&'a Record>);

impl<'a> Hint<'a> {
    /// The hint without a record.
    pub const NONE: Self = Self(None);

    /// Returns what [`AddressMap::reach`] does, if the range is in the record.
    #[inline]
    pub fn reach(self, addr: usize) -> Option<Reach> {
        self.0?.reach(addr)
    }
}

impl AddressMap {
    /// Returns the number of the record of the range that begins exactly at this address.
    pub fn record_of(&self, base: usize) -> Option<u32> {
        let (index, record) = self.record_at(base)?;
        let (_, begins) = record.read_part(|| record.base.load(Ordering::Relaxed))?;
        (begins == base).then_some(index)
    }

    /// Returns what [`Self::reach`] does, with a hint to the record.
    #[inline]
    pub fn reach_with_hint(&self, addr: usize) -> Option<(Hint<'_>, Reach)> {
        self.look_up_by(addr, move |index| {
            let record = self.record(index)?;
            Some((Hint(Some(record)), record.reach(addr)?))
        })
    }
}

#[cfg(all(test, not(loom)))]
#[path = "hint_tests.rs"]
mod tests;

#[cfg(loom)]
#[cfg(test)]
#[path = "hint_models.rs"]
mod loom_hint;
