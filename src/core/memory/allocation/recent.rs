//! A cache, in each thread, of the records in which pool memory and cached device memory begin: a thread that
//! frees what it allocated skips the pages of the address map. Private to the thread, because shared cache lines travel
//! between processors.

use std::cell::Cell;
use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::algo::map::address_map::MAX_RECORDS;
use crate::algo::thread::per_thread::{at_thread_end, per_thread};

/// Number of pairs of places. They take 32 KiB, more than most threads need at a time.
const PAIRS: usize = 1 << PAIR_BITS;
const PAIR_BITS: u32 = 12;

/// Blocks of pools begin at multiples of this power of two.
const GRAIN_BITS: u32 = 8;

/// Bits of a record's number; above them, in the same word, is a part of the address.
const RECORD_BITS: u32 = MAX_RECORDS.ilog2();
const _: () = assert!(MAX_RECORDS.is_power_of_two());

/// Numbers of records in the map; 0: none. The address selects a pair, in which the newer number is the lower word, so
/// that two colliding addresses both stay. Records are never freed, and a record's content shows whether it is the
/// right one. A table belongs to one thread at a time, which allocates it when it first notes something; tables are
/// never freed. It is not in thread-local memory itself, which would take it from the stack of every thread of the
/// program.
type Table = [AtomicU64; PAIRS];

per_thread! {
    static MINE: Cell<&'static Table> = Cell::new(&NONE);
}

at_thread_end! {
    /// Releases the thread's table when the thread ends.
    fn is_released() -> bool => release;
}

/// The table of threads that have noted nothing: it stays empty.
static NONE: Table = [const { AtomicU64::new(0) }; PAIRS];

/// All tables. They are listed so that a leak checker sees them in use, also those of threads that end with the
/// process.
static ALL: Mutex<Vec<&'static Table>> = Mutex::new(Vec::new());

/// Tables of threads that have ended.
static SPARE: Mutex<Vec<&'static Table>> = Mutex::new(Vec::new());

fn release() {
    let table = MINE.replace(&NONE);
    if !is_none(table) {
        SPARE.lock().push(table);
    }
}

/// Returns the pair of an address, and the mark above the number of its record.
#[inline(always)]
fn place_of(base: usize) -> (usize, u32) {
    /// The golden ratio: it spreads addresses at any distance.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = ((base >> GRAIN_BITS) as u64).wrapping_mul(MIX);
    // The highest bits select the pair, those below them are the mark.
    let below = (mixed >> (u32::BITS - PAIR_BITS)) as u32;
    ((mixed >> (u64::BITS - PAIR_BITS)) as usize, below >> RECORD_BITS)
}

/// Returns the record in which this thread saw memory begin here, or the record of another address.
#[inline(always)]
pub(super) fn record(base: usize) -> u32 {
    let (place, mark) = place_of(base);
    let pair = MINE.get()[place].load(Ordering::Relaxed);
    let (newer, older) = (pair as u32, (pair >> u32::BITS) as u32);
    // The result is nearly random, so a branch would be mispredicted.
    select_unpredictable(newer >> RECORD_BITS == mark, newer, older) & (MAX_RECORDS - 1)
}

/// Notes that memory begins here, with this record.
#[inline(always)]
pub(super) fn note(base: usize, record: u32) {
    let mut table = MINE.get();
    if is_none(table) {
        let Some(made) = new_table() else { return };
        table = made;
    }
    let (place, mark) = place_of(base);
    let pair = table[place].load(Ordering::Relaxed);
    let (newer, older) = (pair as u32, pair >> u32::BITS);
    // Most likely the same address is noted again.
    let other = select_unpredictable(newer >> RECORD_BITS == mark, older, newer.into());
    let new = mark << RECORD_BITS | record;
    table[place].store(other << u32::BITS | u64::from(new), Ordering::Relaxed);
}

#[inline(always)]
fn is_none(table: &'static Table) -> bool {
    std::ptr::eq(table, &NONE)
}

/// Allocates a table for the thread, unless the thread is already ending: it would not be released then.
#[cold]
#[inline(never)]
fn new_table() -> Option<&'static Table> {
    if !is_released() {
        return None;
    }
    let spare = SPARE.lock().pop();
    let table = match spare {
        Some(spare) => spare,
        None => {
            // An array would first be on the stack, and the caller may have a small one.
            let pairs: Box<[AtomicU64]> = (0..PAIRS).map(|_| AtomicU64::new(0)).collect();
            let table: &'static Table = Box::leak(pairs.try_into().ok()?);
            ALL.lock().push(table);
            table
        }
    };
    MINE.set(table);
    Some(table)
}

#[cfg(test)]
#[path = "recent_tests.rs"]
mod tests;
