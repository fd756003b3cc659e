//! Memory of pools in the address map.

use super::{ALLOCATIONS, Allocation, Kind, Owner, not_registered, recent};
use crate::algo::alloc::pool::Taken;
use crate::algo::map::address_map::{Entry, HeldPlace, InsertError, Range};
use crate::algo::map::slot_table::Handle;
use crate::backend::Block;
use crate::core::base::error::Result;

/// What the address map keeps of all memory of one pool.
#[derive(Clone, Copy)]
pub struct PoolTag([u64; 2]);

impl PoolTag {
    /// Of a pool whose memory is of this kind.
    pub fn new(kind: Kind, owner: Owner, pool: Handle) -> Self {
        Self([Allocation::first_word(kind, owner), pool.raw()])
    }
}

/// Memory of a pool, as whoever frees it finds it: no more of it than that takes.
#[derive(Clone, Copy)]
pub struct PoolMemory {
    /// For [`Allocation::retire`] and its likes.
    pub entry: Entry,
    /// Its place, if the pool is the core's own.
    pub place: HeldPlace<'static>,
    /// First byte.
    pub base: usize,
    /// Bytes.
    pub len: usize,
    /// The pool's handle.
    pub pool: u64,
    /// The pool's own word.
    pub note: u64,
}

impl PoolMemory {
    /// What the pool gave.
    pub fn block(&self) -> Block {
        Block { addr: self.base, len: self.len, token: self.note }
    }
}

impl Allocation {
    /// Puts in what a driver gave for its pool, quicker where the same was there before and
    /// [rests](Self::retire).
    #[inline(always)]
    pub fn register_of_pool(block: Block, tag: PoolTag) -> Result<()> {
        let Block { addr: base, len, token } = block;
        let PoolTag([first, pool]) = tag;
        if ALLOCATIONS
            .wake_in(recent::record(base), Range { base, len, words: [first, pool, token] })
        {
            return Ok(());
        }
        Self::register_new(base, len, first, pool, token)
    }

    /// As [`Self::register_of_pool`], of a block that does not rest where this thread saw the last one there.
    #[inline(never)]
    fn register_new(base: usize, len: usize, first: u64, pool: u64, token: u64) -> Result<()> {
        let range = Range { base, len, words: [first, pool, token] };
        ALLOCATIONS.insert_again(range).map_err(move |why| not_registered(base, len, why))
    }

    /// Makes room for parts of a backend's block that a pool of the core's own cuts up.
    pub fn hold(addr: usize, len: usize) -> std::result::Result<(), InsertError> {
        ALLOCATIONS.hold(addr, len)
    }

    /// Gives records for such parts, some at a time; none where there is no memory for them.
    pub fn claim_held(records: &mut Vec<u32>) {
        ALLOCATIONS.claim_held(records);
    }

    /// The block goes, and no part of it is in use.
    pub fn remove_segment(addr: usize, len: usize) {
        ALLOCATIONS.let_go(addr, len);
    }

    /// Puts in such a part, under the pool's lock, in a record of the pool's. False: it is 0, or there is no
    /// memory for it.
    #[inline(always)]
    pub fn enter_held(record: u32, taken: Taken, tag: PoolTag) -> bool {
        let (Taken { addr: base, len, room, note }, PoolTag([first, pool])) = (taken, tag);
        recent::note(base, record);
        let range = Range { base, len, words: [first, pool, note] };
        ALLOCATIONS.insert_held(record, &range, room)
    }

    /// The place of a part with this record.
    #[inline(always)]
    pub fn held_place(record: u32) -> HeldPlace<'static> {
        ALLOCATIONS.place(record)
    }

    /// Takes out such a part that was found as this entry, under the pool's lock; false: another
    /// thread was faster.
    pub fn leave_held(entry: Entry) -> bool {
        ALLOCATIONS.remove_held(entry)
    }

    /// Takes the records of a pool back, with what is still in them.
    pub fn release_held(records: Vec<u32>) {
        ALLOCATIONS.release_held(records);
    }

    /// As [`Self::find_start`], of memory of a pool; of other memory, with something that is no handle of a
    /// pool: nothing else has a word like that there.
    #[inline(always)]
    pub fn find_pools(addr: usize) -> Option<PoolMemory> {
        let mut record = recent::record(addr);
        let (place, entry, range) = loop {
            match ALLOCATIONS.find_place(record, addr) {
                Some(found) => break found,
                None => record = Self::find_record(addr)?,
            }
        };
        let Range { base, len, words: [_, pool, note] } = range;
        Some(PoolMemory { entry, place, base, len, pool, note })
    }

    /// The record of the live one that begins at `addr`, where this thread did not see it last.
    #[inline(never)]
    fn find_record(addr: usize) -> Option<u32> {
        let record = ALLOCATIONS.record_of(addr)?;
        recent::note(addr, record);
        Some(record)
    }

    /// Ends what was found as this entry, under the pool's lock. It rests until the same comes again, or something
    /// else in its place; false: another thread was faster.
    #[inline]
    pub fn retire(entry: Entry) -> bool {
        ALLOCATIONS.rest(entry)
    }
}
