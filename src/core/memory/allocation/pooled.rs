//! Pool memory in the address map.

use super::{ALLOCATIONS, Allocation, Kind, Owner, not_registered, recent};
use crate::algo::map::address_map::{HeldPlace, Range, RangeEntry};
use crate::algo::map::slot_table::Handle;
use crate::backend::Block;
use crate::base::error::Result;

/// The fields that are equal for all memory in one pool.
#[derive(Clone, Copy)]
pub struct PoolTag([u64; 2]);

impl PoolTag {
    /// Creates the tag of a pool whose memory is of this kind.
    pub fn new(kind: Kind, owner: Owner, pool: Handle) -> Self {
        Self([Allocation::first_word(kind, owner), pool.raw()])
    }

    /// Returns the first two words of its ranges in the address map; the third is the pool's note.
    pub fn words(self) -> [u64; 2] {
        self.0
    }
}

/// Pool memory, with the fields that a free needs.
#[derive(Clone, Copy)]
pub struct PoolMemory {
    /// Its entry in the address map.
    pub entry: RangeEntry,
    /// Its place in the address map, for a pool of the core.
    pub place: HeldPlace<'static>,
    /// The first byte.
    pub base: usize,
    /// The length in bytes.
    pub len: usize,
    /// The pool's handle.
    pub pool: u64,
    /// A word that the pool defines.
    pub note: u64,
}

impl PoolMemory {
    /// Returns the pool's block.
    pub fn block(&self) -> Block {
        Block { addr: self.base, len: self.len, token: self.note }
    }
}

impl Allocation {
    /// Inserts a driver's block for its pool. It is faster if the same range is retired there.
    #[inline(always)]
    pub(crate) fn register_of_pool(block: Block, tag: PoolTag) -> Result<()> {
        let Block { addr: base, len, token } = block;
        let PoolTag([first, pool]) = tag;
        if ALLOCATIONS.revive_in(recent::record(base), Range { base, len, words: [first, pool, token] }) {
            return Ok(());
        }
        Self::register_new(base, len, first, pool, token)
    }

    /// Inserts a driver's block for its pool that is not retired where this thread saw it last.
    #[inline(never)]
    fn register_new(base: usize, len: usize, first: u64, pool: u64, token: u64) -> Result<()> {
        let range = Range { base, len, words: [first, pool, token] };
        ALLOCATIONS.insert_again(range).map_err(move |why| not_registered(base, len, why))
    }

    /// Returns the live pool memory that begins at `addr`. For other memory the pool's field is not a handle of a
    /// pool.
    #[inline(always)]
    pub(crate) fn find_pools(addr: usize) -> Option<PoolMemory> {
        let (place, entry, range) = Self::find_place(addr)?;
        let Range { base, len, words: [_, pool, note] } = range;
        Some(PoolMemory { entry, place, base, len, pool, note })
    }

    /// Returns the live range that begins at `addr`, with its place; faster for memory that this thread has freed
    /// before.
    #[inline(always)]
    pub(super) fn find_place(addr: usize) -> Option<(HeldPlace<'static>, RangeEntry, Range)> {
        let mut record = recent::record(addr);
        loop {
            match ALLOCATIONS.find_place(record, addr) {
                Some(found) => return Some(found),
                None => record = Self::find_record(addr)?,
            }
        }
    }

    /// Returns the record of the live range that begins at `addr`, if this thread did not see it last.
    #[inline(never)]
    fn find_record(addr: usize) -> Option<u32> {
        let record = ALLOCATIONS.record_of(addr)?;
        recent::note(addr, record);
        Some(record)
    }
}
