//! Pools for tests, each over an address map of its own, which shows what the pool has entered.

use std::ops::Deref;
use std::sync::Mutex;

use super::{Back, Freed, Order, Pool, Segment, Shortage, StreamKey};
use crate::map::address_map::AddressMap;

/// The words of the pools' ranges.
const WORDS: [u64; 2] = [3, 5];

/// The maps that no pool uses. They live as long as the process.
static MAPS: Mutex<Vec<&'static AddressMap>> = Mutex::new(Vec::new());

/// A pool, and its map.
pub(super) struct TestPool {
    pool: Pool,
    map: &'static AddressMap,
}

/// A block, as its user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) addr: usize,
    pub(super) len: usize,
    pub(super) note: u64,
    /// The number of its place in the map.
    pub(super) number: u32,
}

impl Deref for TestPool {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        &self.pool
    }
}

impl TestPool {
    pub(super) fn new() -> Self {
        let spare = MAPS.lock().unwrap().pop();
        let map = spare.unwrap_or_else(|| Box::leak(Box::new(AddressMap::new())));
        let mut pool = Pool::new(map);
        pool.set_words(WORDS);
        Self { pool, map }
    }

    pub(super) fn add_segment(&self, segment: Segment, stream: StreamKey) {
        self.map.hold(segment.addr, segment.len).unwrap();
        self.pool.add_segment(segment, stream);
    }

    /// Returns the block at an address, which the map must show.
    fn block(&self, addr: usize) -> Block {
        let (entry, range) = self.map.find_start(addr).expect("a block is in the map before its user knows it");
        let [first, second, note] = range.words;
        assert_eq!(([first, second], range.base), (WORDS, addr));
        Block { addr, len: range.len, note, number: entry.index }
    }

    pub(super) fn alloc(&self, len: usize, stream: StreamKey, order: &impl Order) -> Result<Block, Shortage> {
        self.pool.alloc(len, stream, order).map(|addr| self.block(addr))
    }

    pub(super) fn alloc_at_home(&self, len: usize, stream: StreamKey, order: &impl Order) -> Option<Block> {
        self.pool.alloc_at_home(len, stream, order).map(|addr| self.block(addr))
    }

    pub(super) fn alloc_slow(&self, len: usize, stream: StreamKey, order: &impl Order) -> Option<Block> {
        self.pool.alloc_slow(len, stream, order).map(|addr| self.block(addr))
    }

    pub(super) fn alloc_or_follow(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<Block, Option<Freed>> {
        self.pool.alloc_or_follow(len, stream, order).map(|addr| self.block(addr))
    }

    /// Frees `block` at `position` of a stream, which has passed it or not.
    pub(super) fn free_at(&self, block: Block, freed: (StreamKey, u64), has_passed: bool) -> bool {
        let Some((entry, _)) = self.map.find_start(block.addr) else { return false };
        let place = self.map.place(block.number);
        let back = Back { note: block.note, place, has_passed };
        let freed = Freed { stream: freed.0, position: freed.1 };
        self.pool.free(back, freed, || place.hide(entry))
    }

    /// Frees it after all uses are complete.
    pub(super) fn free_unused(&self, block: Block) -> bool {
        let Some((entry, _)) = self.map.find_start(block.addr) else { return false };
        self.pool.free_now(block.note, block.len, || self.map.remove_held(entry))
    }

    /// Whether the map shows no block, and all its places are free.
    pub(super) fn has_left_the_map(&self) -> bool {
        self.map.is_empty()
    }
}

impl Drop for TestPool {
    fn drop(&mut self) {
        self.pool.drain();
        if !std::thread::panicking() {
            assert!(self.has_left_the_map(), "the pool keeps places of the map");
            MAPS.lock().unwrap().push(self.map);
        }
    }
}
