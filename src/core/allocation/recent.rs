//! Where a thread has seen memory of pools begin: who frees what it has allocated spares the way through the
//! pages of the address map. A thread's own, because what several write travels between processors.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

/// More than most threads have at a time.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 12;

/// What pools give begins at multiples of this.
const GRAIN_BITS: u32 = 8;

/// Numbers of records in the map; 0: none. Each in a place that its first address tells, until another one
/// needs that. Records are never freed: what is in one tells whether it is the one that is looked for. One
/// thread's at a time, which makes it when it first notes something; never freed. Not in thread-local memory
/// itself, which would be taken from the stack of every thread of the program.
type Table = [AtomicU32; PLACES];

thread_local! {
    static MINE: Cell<Option<&'static Table>> = const { Cell::new(None) };
    static LEAVING: Leaving = const { Leaving };
}

/// Tables of threads that have ended.
static SPARE: Mutex<Vec<&'static Table>> = Mutex::new(Vec::new());

/// Gives the thread's table back when the thread ends.
struct Leaving;

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(table) = MINE.take() {
            SPARE.lock().push(table);
        }
    }
}

#[inline(always)]
fn place_of(base: usize) -> usize {
    /// The golden ratio: it mixes well whatever the distances of the addresses are.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    ((base >> GRAIN_BITS) as u64).wrapping_mul(MIX) as usize >> (usize::BITS - PLACE_BITS)
}

/// The record of what this thread saw begin here, or of something else.
#[inline(always)]
pub fn record(base: usize) -> u32 {
    MINE.get().map_or(0, |table| table[place_of(base)].load(Ordering::Relaxed))
}

/// This thread has seen that memory begins here, with this record.
#[inline(always)]
pub fn note(base: usize, record: u32) {
    if let Some(table) = MINE.get().or_else(table) {
        table[place_of(base)].store(record, Ordering::Relaxed);
    }
}

/// A table for the thread, unless its end has begun: nobody would give it back.
#[cold]
#[inline(never)]
fn table() -> Option<&'static Table> {
    LEAVING.try_with(|_| ()).ok()?;
    let spare = SPARE.lock().pop();
    let table = spare.unwrap_or_else(|| Box::leak(Box::new([const { AtomicU32::new(0) }; PLACES])));
    MINE.set(Some(table));
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_last_is_told_by_the_same_thread() {
        note(0x10_0200, 7);
        note(0x10_0400, 8);
        assert_eq!((record(0x10_0200), record(0x10_0400)), (7, 8));
        note(0x10_0200, 9);
        assert_eq!(record(0x10_0200), 9);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(record(0x10_0200), 0));
        });
    }

    #[test]
    fn threads_have_the_tables_of_threads_that_have_ended() {
        // Threads of other tests may take one in between.
        let again = (0..100).any(|_| {
            let used = || {
                note(0x10_0200, 7);
                MINE.get().map(|table| table.as_ptr().addr())
            };
            let [one, other] = [(); 2].map(|()| std::thread::spawn(used).join().unwrap());
            one.is_some() && one == other
        });
        assert!(again);
    }

    #[test]
    fn places_are_far_apart_whatever_the_distance_of_addresses() {
        for distance in [512, 4096, 2 << 20, 3 << 20, 1 << 30] {
            let places: std::collections::BTreeSet<_> =
                (0..1000).map(|n| place_of(n * distance)).collect();
            assert!(places.len() > 700, "{} places for a distance of {distance}", places.len());
        }
    }
}
