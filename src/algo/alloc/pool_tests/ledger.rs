//! Books for tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::{Back, Books, Card, Enter, Freed, Place, Pool, StreamKey, Taken};
use crate::map::chunked::{Blank, Chunked};

/// Books that all tests share.
pub struct Ledger;

/// A place in the books.
pub struct Row {
    card: Card,
    number: AtomicU64,
    addr: AtomicUsize,
    note: AtomicU64,
    /// Whether the block can be seen.
    is_shown: AtomicBool,
}

// SAFETY: atomics; all zeros is a row that nothing was entered in.
unsafe impl Blank for Row {}

static ROWS: Chunked<Row, SIDE, SIDE> = Chunked::new();
/// The number of rows in a chunk. Miri visits all atomics of a chunk when a row is used.
const SIDE: usize = if cfg!(miri) { 128 } else { 4096 };
/// The first unused number.
static NEXT: Mutex<u32> = Mutex::new(1);

impl Books for Ledger {
    type Place = &'static Row;

    fn supply(numbers: &mut Vec<u32>) {
        let mut next = NEXT.lock().unwrap();
        for _ in 0..4 {
            let row = ROWS.ensure(*next as usize).expect("there is memory for tests");
            row.number.store((*next).into(), Ordering::Relaxed);
            numbers.push(*next);
            *next += 1;
        }
    }

    fn place(number: u32) -> &'static Row {
        assert_ne!(number, 0);
        &ROWS[number as usize]
    }
}

impl Place for &'static Row {
    fn card(&self) -> &Card {
        &self.card
    }

    fn vacate(self) {
        assert!(!self.is_shown.load(Ordering::Relaxed), "a block vanishes under its user");
        assert_ne!(self.addr.swap(0, Ordering::Relaxed), 0, "there is no block");
    }
}

/// A block, as its user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub addr: usize,
    pub len: usize,
    pub note: u64,
    pub number: u32,
    /// Whether the block was hidden and is allocated again.
    pub again: bool,
}

/// Enters blocks.
#[derive(Clone, Copy)]
pub(super) struct Plainly;

impl Enter<&'static Row> for Plainly {
    type Entered = Block;

    fn new_block(self, Taken { addr, len, note, .. }: Taken, number: u32) -> Block {
        let row = Ledger::place(number);
        assert!(!row.is_shown.swap(true, Ordering::Relaxed));
        assert_eq!(row.addr.swap(addr, Ordering::Relaxed), 0, "the place is another block's");
        row.note.store(note, Ordering::Relaxed);
        Block { addr, len, note, number, again: false }
    }

    fn again(self, row: &'static Row, len: usize) -> Block {
        assert!(!row.is_shown.swap(true, Ordering::Relaxed));
        let (addr, note) = (row.addr.load(Ordering::Relaxed), row.note.load(Ordering::Relaxed));
        let number = row.number.load(Ordering::Relaxed) as u32;
        Block { addr, len, note, number, again: true }
    }
}

impl Pool<Ledger> {
    /// Frees `block` at `position` of a stream, which has passed it or not.
    pub fn free_at(&self, block: Block, freed: (StreamKey, u64), has_passed: bool) -> bool {
        let Block { note, number, .. } = block;
        let back = Back { note, place: Ledger::place(number), number, has_passed };
        let freed = Freed { stream: freed.0, position: freed.1 };
        self.free(back, freed, || back.place.is_shown.swap(false, Ordering::Relaxed))
    }

    /// Frees it after all uses are complete.
    pub fn free_unused(&self, block: Block) -> bool {
        let place = Ledger::place(block.number);
        self.free_now(block.note, block.len, || {
            let shown = place.is_shown.swap(false, Ordering::Relaxed);
            if shown {
                place.vacate();
            }
            shown
        })
    }
}
