//! The places of the library's page-locked memory, also after it was released to the system.

use crate::algo::map::address_map::{AddressMap, Range};
use crate::backend::base::hull::Hull;
use crate::backend::base::probe;
use crate::backend::memory::known;

/// Mappings of all drivers of the process, and those that were unmapped and whose place is unused.
static MAPPINGS: AddressMap = AddressMap::new();
/// Around all of them: most host memory is outside, and need not be looked up.
static HULL: Hull = Hull::new();

const UNMAPPED: [u64; 3] = [0; 3];
const MAPPED: [u64; 3] = [1, 0, 0];

/// Adds a new mapping for blocks of host memory.
pub fn mapped(base: usize, len: usize) {
    // An overlapping mapping was unmapped. Without memory for the map, less is known.
    MAPPINGS.replace(Range { base, len, words: MAPPED });
    known::cover(base, base + len);
    HULL.add(base, base + len);
}

/// A mapping is about to be unmapped, of host memory or not. Called before that, because another one may take its place
/// at once.
pub fn unmapped(base: usize) {
    MAPPINGS.update(base, UNMAPPED);
}

/// Whether an address that is in no live block lies where blocks of host memory are, or were and nothing else was
/// mapped since.
pub fn is_stale(addr: usize) -> bool {
    HULL.contains(addr) && look_up(addr)
}

#[cold]
fn look_up(addr: usize) -> bool {
    MAPPINGS.find(addr).is_some_and(|range| range.words == MAPPED || !probe::is_readable(addr))
}
