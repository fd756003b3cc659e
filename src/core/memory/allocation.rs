//! Allocations and registrations, by address.

pub mod advice;
pub mod backing;
mod kind;
mod pooled;
mod recent;
mod reuse;

use std::cell::Cell;
use std::sync::Arc;

use crate::algo::host::host_memory::claim::Claim;
use crate::algo::map::address_map::{AddressMap, Hint, InsertError, Range, Reach};
use crate::algo::map::slot_table::Handle;
use crate::algo::thread::per_thread::per_thread;
use crate::backend::{self, Block, Place};
use crate::base::error::{Code, Error, Result, error_with};
use crate::base::owner::Owner;
use crate::base::{handles, host_memory};
use crate::runtime;
use crate::runtime::device::Device;

pub use kind::{Kind, MemorySource};
pub use pooled::{PoolMemory, PoolTag};
use reuse::Class;
pub use reuse::Reuse;

/// Every live allocation and registration, by address. Pools enter their blocks themselves.
pub(crate) static ALLOCATIONS: AddressMap = AddressMap::new();

per_thread! {
    /// The allocations in which this thread found the two ends of its latest copy, or the destination of a later fill.
    static ENDS: [Cell<Hint<'static>>; 2] = [const { Cell::new(Hint::NONE) }; 2];
}

/// An end of a copy. A fill has a destination only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    /// The destination.
    Dst,
    /// The source.
    Src,
}

/// An allocation or registration as the address map keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The first byte.
    pub base: usize,
    /// The number of bytes that programs may use.
    pub len: usize,
    /// The kind of the allocation.
    pub kind: Kind,
    /// Its owner.
    pub owner: Owner,
    /// For memory of a backend: its block, with the class in the length. For pool memory: the pool and its note
    /// about the block. For a registration: its device address.
    origin: [u64; 2],
}

impl Allocation {
    /// Creates the entry of a backend's block, of which programs may use `len` bytes.
    pub(crate) fn of_block(block: Block, len: usize, kind: Kind, owner: Owner) -> Self {
        Self { base: block.addr, len, kind, owner, origin: [block.len as u64, block.token] }
    }

    /// Creates the entry of the caller's memory with the device address `device_addr`, or of memory that is mapped in a
    /// range of addresses.
    pub(crate) fn of_range(base: usize, len: usize, kind: Kind, owner: Owner, device_addr: usize) -> Self {
        Self { base, len, kind, owner, origin: [device_addr as u64, 0] }
    }

    fn to_range(self) -> Range {
        debug_assert!(
            self.pool().is_some() || self.origin[0] >> 56 != handles::Kind::PoolState as u64,
            "a word that only pools' memory has"
        );
        let first = Self::first_word(self.kind, self.owner);
        Range { base: self.base, len: self.len, words: [first, self.origin[0], self.origin[1]] }
    }

    fn first_word(kind: Kind, owner: Owner) -> u64 {
        u64::from(owner.0) << 32 | u64::from(kind.word())
    }

    #[inline(always)]
    fn from_range(range: &Range) -> Self {
        let [owner, first, second] = range.words;
        Self {
            base: range.base,
            len: range.len,
            kind: Kind::from_word(owner as u32),
            owner: Owner((owner >> 32) as u32),
            origin: [first, second],
        }
    }

    /// Returns the live allocation that contains `addr`.
    #[inline]
    pub fn find(addr: usize) -> Option<Self> {
        ALLOCATIONS.find(addr).as_ref().map(Self::from_range)
    }

    /// Returns the bytes from `addr` to the end of the live allocation that contains it, and its kind, for
    /// [`Kind::of`].
    ///
    /// Out of line: inlined for both ends of a copy, it would spill registers.
    #[inline(never)]
    pub fn reach(addr: usize) -> Option<Reach> {
        ALLOCATIONS.reach(addr)
    }

    /// Returns what [`Self::reach`] returns. Tries this thread's latest copy or fill first, because they often use the
    /// same memory.
    #[inline(always)]
    pub(crate) fn reach_end(end: CopyEnd, addr: usize) -> Option<Reach> {
        let hint = ENDS.with(|ends| ends[end as usize].get());
        hint.reach(addr).or_else(|| Self::reach_other_end(end, addr))
    }

    /// Returns the bytes from `addr` to the end of its allocation, and its kind, if the end is in other memory than
    /// that of the latest copy or fill.
    #[inline(never)]
    fn reach_other_end(end: CopyEnd, addr: usize) -> Option<Reach> {
        let (hint, found) = ALLOCATIONS.reach_with_hint(addr)?;
        ENDS.with(|ends| ends[end as usize].set(hint));
        Some(found)
    }

    /// Returns the allocation as [`Self::find`] does, except for registrations in progress.
    pub fn known(addr: usize) -> Option<Self> {
        Self::find(addr).filter(|found| found.kind != Kind::BEING_REGISTERED)
    }

    /// Returns the place of its memory for copies.
    #[inline]
    pub fn place(&self) -> Place {
        self.kind.place()
    }

    /// Returns the block of the backend or the pool; not for registrations and mappings.
    pub fn block(&self) -> Block {
        let len = if self.kind.source() == MemorySource::Pool { self.len } else { Class::unpack(self.origin[0]).1 };
        Block { addr: self.base, len, token: self.origin[1] }
    }

    /// Returns the pool, if it is pool memory.
    #[inline]
    pub fn pool(&self) -> Option<Handle> {
        if self.kind.source() == MemorySource::Pool { Handle::from_raw(self.origin[0]) } else { None }
    }

    /// Returns the device address of a registration.
    pub fn device_addr(&self) -> usize {
        self.origin[0] as usize
    }

    /// Returns the device of the memory. A reset does not free the memory while the caller holds it; `None` if a reset
    /// does so now.
    pub fn device(&self) -> Option<Arc<Device>> {
        let Place::Device(id) = self.place() else { return None };
        open_device(id).filter(|device| {
            if self.kind.source() == MemorySource::Pool {
                (backing::backing().is_on)(self, device.owner)
            } else {
                device.owner == self.owner
            }
        })
    }

    /// Returns all allocations and registrations, in no order.
    pub fn all() -> impl Iterator<Item = Self> {
        ALLOCATIONS.live_ranges().map(|range| Self::from_range(&range))
    }

    /// Claims host memory for lists of all of them, with at most 1 KiB for each.
    pub fn claim_lists() -> Result<Claim> {
        host_memory::claim("entries in a list of allocations", Self::at_most(), 1024)
    }

    /// Returns the number of allocations and registrations, including those that are being released.
    pub(crate) fn at_most() -> usize {
        ALLOCATIONS.count()
    }

    /// Inserts the allocation. Fails with the allocation that overlaps it.
    pub fn insert(self) -> std::result::Result<(), InsertError> {
        ALLOCATIONS.insert(self.to_range())
    }

    /// Inserts a block that a backend allocated.
    pub fn register(self) -> Result<()> {
        self.insert().map_err(|why| not_registered(self.base, self.len, why))
    }

    /// Inserts a block that a backend allocated. After a failure, frees it by `undo`.
    pub(crate) fn register_or(self, undo: impl FnOnce() -> backend::Result<()>) -> Result<()> {
        self.register().inspect_err(|_| {
            // The first failure is returned.
            let _ = undo();
        })
    }

    /// Replaces the allocation of the same address and length, which the caller inserted. A concurrent lookup may find
    /// neither.
    pub fn replace(self) {
        ALLOCATIONS.update(self.base, self.to_range().words);
    }

    /// Removes the allocation that starts at `addr`, if `wanted` returns true for it. `wanted` may not look up others.
    pub fn take(addr: usize, wanted: impl Fn(&Self) -> bool) -> Option<Self> {
        let range = ALLOCATIONS.remove_if(addr, |range| wanted(&Self::from_range(range)))?;
        Some(Self::from_range(&range))
    }

    /// Removes all allocations of an owner, and retired ranges. Calls `each` with every removed allocation, even if the
    /// host has no memory for a list of them.
    pub fn drain(owner: Owner, each: impl FnMut(Self)) {
        Self::drain_under(|drain| drain(), owner, each);
    }

    /// Removes all allocations of an owner that are pool memory: `lock` calls its argument under the pool's lock.
    /// `each` runs for every one, without the lock.
    pub(crate) fn drain_under(
        lock: impl Fn(&dyn Fn() -> Vec<Range>) -> Vec<Range>,
        owner: Owner,
        mut each: impl FnMut(Self),
    ) {
        let drain = || ALLOCATIONS.drain(|range| Self::from_range(range).owner == owner);
        loop {
            let some = lock(&drain);
            if some.is_empty() {
                return;
            }
            some.iter().map(Self::from_range).for_each(&mut each);
        }
    }
}

/// Returns the error for an allocation that cannot be inserted.
#[cold]
fn not_registered(base: usize, len: usize, why: InsertError) -> Error {
    let code = match why {
        InsertError::Full => Code::BadAlloc,
        InsertError::Overlap { .. } | InsertError::Unaddressable | InsertError::Empty => Code::InternalError,
    };
    error_with!(code, "the library's list of allocations cannot hold the {len} bytes allocated at {base:#x}: {why}")
}

/// Returns the device if it is open. The caller holds it briefly.
pub fn open_device(id: u32) -> Option<Arc<Device>> {
    runtime::existing_session()?.devices.get(id as usize)?.device()
}

#[cfg(test)]
#[path = "allocation_tests.rs"]
mod tests;
