//! The places of the library's page-locked memory, also after it was released to the system.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::algo::map::address_map::{AddressMap, InsertError, Range};
use crate::backend::base::probe;
use crate::backend::memory::known;

/// Mappings of all drivers of the process, and those that were unmapped and whose place is unused.
static MAPPINGS: AddressMap = AddressMap::new();
/// All of them lie from here on, ...
static FIRST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// ... and below this: most host memory is outside, and need not be looked up.
static END: AtomicUsize = AtomicUsize::new(0);

const UNMAPPED: [u64; 3] = [0; 3];
const MAPPED: [u64; 3] = [1, 0, 0];

/// Adds a new mapping for blocks of host memory.
pub fn mapped(base: usize, len: usize) {
    let range = Range { base, len, words: MAPPED };
    // An overlapping mapping was unmapped. Without memory for the map, less is known.
    while let Err(InsertError::Overlap { base, .. }) = MAPPINGS.insert(range) {
        MAPPINGS.remove(base);
    }
    known::cover(base, base + len);
    // Relaxed: a thread that races with this has no address of it.
    FIRST.fetch_min(base, Ordering::Relaxed);
    END.fetch_max(base + len, Ordering::Relaxed);
}

/// A mapping is about to be unmapped, of host memory or not. Called before that, because another one may take its place
/// at once.
pub fn unmapped(base: usize) {
    MAPPINGS.update(base, UNMAPPED);
}

/// Whether an address that is in no live block lies where blocks of host memory are, or were and nothing else was
/// mapped since.
pub fn is_stale(addr: usize) -> bool {
    addr >= FIRST.load(Ordering::Relaxed) && addr < END.load(Ordering::Relaxed) && look_up(addr)
}

#[cold]
fn look_up(addr: usize) -> bool {
    MAPPINGS.find(addr).is_some_and(|range| range.words == MAPPED || !probe::is_readable(addr))
}
