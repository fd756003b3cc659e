//! Hints: the record in which a range was found is tried first at the next look-up, which skips the pages when one
//! range is looked up repeatedly.

use super::{AddressMap, Reach, Record};
use crate::algo::sync::primitives::atomic::Ordering;

/// A record that had a range. It is never freed, and its live range, which may be another one by now, is in the map:
/// the record contains the range of an address, or it does not.
#[derive(Clone, Copy, Default)]
pub struct Hint<'a>(Option<&'a Record>);

impl<'a> Hint<'a> {
    /// No record.
    pub const NONE: Self = Self(None);

    /// As [`AddressMap::reach`], if the range is there.
    #[inline]
    pub fn reach(self, addr: usize) -> Option<Reach> {
        self.0?.reach(addr)
    }
}

impl AddressMap {
    /// The number of the record of the range that begins at this very address.
    pub fn record_of(&self, base: usize) -> Option<u32> {
        let (index, record) = self.record_at(base)?;
        let (_, begins) = record.read_part(|| record.base.load(Ordering::Relaxed))?;
        (begins == base).then_some(index)
    }

    /// As [`Self::reach`], with the record.
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
