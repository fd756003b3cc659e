//! Ranges of host addresses that the library knows, also after they were released to the system: page-locked memory,
//! and shared objects with variables that programs copy to and from, which are device memory outside of the device's
//! arena.

use crate::algo::map::address_map::{AddressMap, Range};
use crate::backend::base::hull::Hull;
use crate::backend::base::probe;
use crate::backend::memory::known;
use crate::backend::{Foreign, ForeignBlock, Place};

/// The ranges of all drivers of the process, and those that are gone and whose place is unused.
static RANGES: AddressMap = AddressMap::new();
/// Around all of them: most host memory is outside, and need not be looked up.
static HULL: Hull = Hull::new();
/// What a range is: a mapping for blocks of host memory.
const MAPPED: u64 = 0;
/// An object whose variables a program uses.
const LIVE: u64 = 1;
/// An object that the program has unloaded: calls do not accept its variables as device memory any more. Queued
/// operations may still use them.
pub const LEAVING: u64 = 2;
/// Unmapped, or unloaded. Set before that, because another range may take its place at once.
pub const GONE: u64 = 3;

fn add(base: usize, len: usize, words: [u64; 3]) -> bool {
    known::cover(base, base + len);
    HULL.add(base, base + len);
    // An overlapping range is gone.
    RANGES.replace(Range { base, len, words })
}

/// Adds a new mapping for blocks of host memory.
pub fn mapped(base: usize, len: usize) {
    // Without memory for the map, less is known.
    add(base, len, [MAPPED, 0, 0]);
}

/// Adds an object, with its variables as memory of the device with this ordinal; false: there is no memory for the map.
#[must_use]
pub fn loaded(base: usize, len: usize, ordinal: u32) -> bool {
    add(base, len, [LIVE, u64::from(ordinal), 0])
}

/// The range that begins there, if there is one, is something else now.
pub fn becomes(base: usize, state: u64) {
    RANGES.update(base, [state, 0, 0]);
}

fn find(addr: usize) -> Option<Range> {
    if HULL.contains(addr) { RANGES.find(addr) } else { None }
}

/// Whether an operation that was queued may use a variable there.
pub fn has_variable(addr: usize) -> bool {
    find(addr).is_some_and(|range| matches!(range.words[0], LIVE | LEAVING))
}

/// What an address is that is in no live block.
pub fn at(addr: usize) -> Foreign {
    let Some(range) = find(addr) else { return Foreign::Unknown };
    match range.words[0] {
        LIVE => Foreign::Known(Place::Device(range.words[1] as u32)),
        // The place may have been taken by host memory.
        GONE if probe::is_readable(addr) => Foreign::Unknown,
        _ => Foreign::Stale,
    }
}

/// The object whose variable an address is in.
pub fn block_at(addr: usize) -> Option<ForeignBlock> {
    let range = find(addr).filter(|range| range.words[0] == LIVE)?;
    Some(ForeignBlock { base: range.base, len: range.len, is_managed: false })
}

#[cfg(test)]
#[path = "host_ranges_tests.rs"]
mod tests;
