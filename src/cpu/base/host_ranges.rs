//! Ranges of host addresses that the library knows, also after they were released to the system. They are page-locked
//! memory, and shared objects with variables that programs copy to and from: device memory outside of the device's
//! arena.

use crate::algo::map::address_map::{AddressMap, Range};
use crate::backend::base::hull::Hull;
use crate::backend::base::probe;
use crate::backend::memory::known;
use crate::backend::{Foreign, ForeignBlock, Place};

/// The ranges of all drivers of the process, and former ranges whose place is unused.
static RANGES: AddressMap = AddressMap::new();
/// The hull of all ranges. Most host memory is outside, and need not be looked up.
static HULL: Hull = Hull::new();
/// The state of a range: a mapping for blocks of host memory.
const MAPPED: u64 = 0;
/// The state of an object whose variables a program uses.
const LIVE: u64 = 1;
/// The state of an object that the program has unloaded. Calls no longer accept its variables as device memory, but
/// pending operations may still use them.
pub(crate) const LEAVING: u64 = 2;
/// The state of a range that is unmapped or unloaded. It is set before that, because another range may take its place
/// at once.
pub(crate) const GONE: u64 = 3;

fn add(base: usize, len: usize, words: [u64; 3]) -> bool {
    known::cover(base, base + len);
    HULL.add(base, base + len);
    // An overlapping range is gone.
    RANGES.replace(Range { base, len, words })
}

/// Adds a new mapping for blocks of host memory.
pub(crate) fn mapped(base: usize, len: usize) {
    // Without host memory for the map, the range stays unknown.
    add(base, len, [MAPPED, 0, 0]);
}

/// Adds an object, whose variables are memory on the device with this ordinal. Returns false if there is no memory for
/// the map.
#[must_use]
pub(crate) fn loaded(base: usize, len: usize, ordinal: u32) -> bool {
    add(base, len, [LIVE, u64::from(ordinal), 0])
}

/// Changes the state of the range that begins at `base`, if there is one.
pub(crate) fn becomes(base: usize, state: u64) {
    RANGES.update(base, [state, 0, 0]);
}

fn find(addr: usize) -> Option<Range> {
    if HULL.contains(addr) { RANGES.find(addr) } else { None }
}

/// Whether a pending operation may use a variable at this address.
pub(crate) fn has_variable(addr: usize) -> bool {
    find(addr).is_some_and(|range| matches!(range.words[0], LIVE | LEAVING))
}

/// Returns what is at an address that is in no live block.
pub(crate) fn at(addr: usize) -> Foreign {
    let Some(range) = find(addr) else { return Foreign::Unknown };
    match range.words[0] {
        LIVE => Foreign::Known(Place::Device(range.words[1] as u32)),
        // Other host memory may have taken the place.
        GONE if probe::is_readable(addr) => Foreign::Unknown,
        _ => Foreign::Stale,
    }
}

/// Returns the object whose variable is at this address.
pub(crate) fn block_at(addr: usize) -> Option<ForeignBlock> {
    let range = find(addr).filter(|range| range.words[0] == LIVE)?;
    Some(ForeignBlock { base: range.base, len: range.len, is_managed: false })
}

#[cfg(test)]
#[path = "host_ranges_tests.rs"]
mod tests;
