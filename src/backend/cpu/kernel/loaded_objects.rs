//! Loaded shared objects with variables that programs copy to and from: device memory outside of the device's arena.

use crate::algo::map::address_map::{AddressMap, Range};
use crate::backend::base::hull::Hull;
use crate::backend::base::probe;
use crate::backend::{Foreign, ForeignBlock, Place};

/// All of the process, by the addresses that the loader chose.
static OBJECTS: AddressMap = AddressMap::new();
/// Around all of them: most host memory is outside, and need not be looked up.
static HULL: Hull = Hull::new();

/// A program uses its variables.
const LIVE: u64 = 0;
/// Unloaded by the program: calls do not accept its variables as device memory any more. Queued operations may still
/// use them.
pub const LEAVING: u64 = 1;
/// Unloaded. Set before that, because another object may take its place at once.
pub const GONE: u64 = 2;

/// Registers an object's variables as memory of the device with this ordinal; false: there is no memory for the map.
#[must_use]
pub fn add(base: usize, len: usize, ordinal: u32) -> bool {
    // An overlapping object was unloaded.
    let is_added = OBJECTS.replace(Range { base, len, words: [LIVE, u64::from(ordinal), 0] });
    if is_added {
        HULL.add(base, base + len);
    }
    is_added
}

/// The object is in another state now.
pub fn becomes(base: usize, state: u64) {
    if let Some(found) = OBJECTS.find(base) {
        OBJECTS.update(base, [state, found.words[1], 0]);
    }
}

fn find(addr: usize) -> Option<Range> {
    if HULL.contains(addr) { OBJECTS.find(addr) } else { None }
}

/// Whether an operation that was queued may use a variable there.
pub fn contain(addr: usize) -> bool {
    find(addr).is_some_and(|range| range.words[0] != GONE)
}

/// What an address is.
#[inline]
pub fn at(addr: usize) -> Foreign {
    let Some(range) = find(addr) else { return Foreign::Unknown };
    match range.words[0] {
        LIVE => Foreign::Known(Place::Device(range.words[1] as u32)),
        LEAVING => Foreign::Stale,
        // The place may have been taken by host memory.
        _ if probe::is_readable(addr) => Foreign::Unknown,
        _ => Foreign::Stale,
    }
}

/// The object whose variable an address is in.
pub fn block_at(addr: usize) -> Option<ForeignBlock> {
    let range = find(addr).filter(|range| range.words[0] == LIVE)?;
    Some(ForeignBlock { base: range.base, len: range.len, is_managed: false })
}

#[cfg(test)]
#[path = "loaded_objects_tests.rs"]
mod tests;
