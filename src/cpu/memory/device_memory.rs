//! A device's memory: one sparse memory file, mapped once (in guard mode twice), divided by an arena.
//!
//! The file has nearly as many bytes as the machine's memory, and the mapping twice as many addresses, so that the gaps
//! before blocks that begin with a huge page are addresses without memory. `Shared::pointer` is the only place that
//! converts a program's address to one of the library's.

mod apart;
mod backing;
mod checked;
mod faults;
mod huge_pages;
mod opened;
mod shared_blocks;
mod snapshot;

use std::collections::HashMap;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::bounds::{Bounds, Check, announce};
use super::capacity::{Budget, Share};
use super::host_access::{self, Watch};
use crate::algo::sync::level::Level;
use crate::backend::{Access, Block, Fault, PagePolicy, Result};
use crate::base::arena::{Arena, ArenaBlock, HUGE, UNIT};
use crate::base::pages::{self, Mapping, Source, whole_pages};
use crate::memory::pending::Deferred;
use apart::Apart;
pub(crate) use apart::{OwnFile, Uses};
use backing::Backing;
use shared_blocks::SharedBlock;

/// The number of freed bytes after which whole free pages are released to the system. Until then, small blocks leave
/// their pages with the device.
const TRIM_EVERY: u64 = 64 << 20;

/// The flag in the token of a block in a separate file.
pub(crate) const SHARED: u64 = 1 << 61;
/// The flag in the token of a block of managed memory.
pub(crate) const MANAGED: u64 = 1 << 62;

/// The physical device memory.
pub(crate) struct DeviceMemory {
    pub ordinal: u32,
    size: u64,
    /// The number of bytes that are mapped: `size`, and more if accesses outside of allocations are detected.
    span: u64,
    pub bounds: Bounds,
    /// Freed blocks that operations may still use.
    pub deferred: Deferred,
    /// The number of bytes of blocks: the second is that of managed ones.
    bytes: [Level; 2],
    backing: Backing,
    /// The mapping, or `None` once closed.
    mapping: Mutex<Option<Mapping>>,
    base: usize,
    /// The distance of the library's view from an address of the program.
    library_view: usize,
    /// In guard mode, while the memory is open: explains faults.
    watch: Mutex<Option<Watch>>,
    arena: Mutex<Arena>,
    /// The number of bytes at the front that have access rights, or all where accesses outside of allocations are
    /// detected: then each block opens its pages. Written while `arena` is locked.
    opened: AtomicU64,
    /// The device's share of the memory on all devices.
    share: Share,
    /// Whether each 2 MiB page becomes a huge one at its first use.
    pages: Box<[AtomicBool]>,
    /// The number of pages that become huge. While it is 0, nothing need be checked.
    wanted: Arc<AtomicUsize>,
    freed_small: AtomicU64,
    huge_failures: AtomicU64,
    /// The blocks that are not in `backing`, by address.
    shared: Mutex<HashMap<usize, SharedBlock>>,
    /// The blocks that other processes may have.
    apart: Apart,
    /// The saved content, which is empty if no snapshot has saved it.
    saved: Mutex<Vec<snapshot::SavedRange>>,
}

impl DeviceMemory {
    /// Creates memory of `size` bytes (a multiple of 2 MiB), none of it in use. `own_view` is 0, or in guard mode at
    /// least [`Check::span`] of it.
    pub(crate) fn new(
        ordinal: u32,
        size: u64,
        library_view: usize,
        check: Check,
        wanted: Arc<AtomicUsize>,
        budget: Arc<Budget>,
    ) -> Result<Self> {
        let span = check.span(size);
        let backing = Backing::new(span);
        let guarded = library_view != 0;
        if guarded && let Backing::Private(why) = &backing {
            return Err(faults::guard_needs_file(ordinal, why));
        }
        wanted.store(0, Ordering::Relaxed);
        let len = usize::try_from(span).expect("64-bit machines only");
        let mapping = backing.source().and_then(|source| Mapping::closed(len, source, library_view));
        let mapping = mapping.map_err(|error| faults::no_addresses(ordinal, size, library_view, span, &error))?;
        let mut arena = Arena::default();
        arena.add_region(0, span);
        Ok(Self {
            ordinal,
            size,
            span,
            bounds: Bounds::new(check, library_view, format!("on device {ordinal}")),
            deferred: Deferred::new(),
            bytes: Default::default(),
            backing,
            base: mapping.addr(),
            library_view,
            watch: Mutex::new(guarded.then(|| Watch::new(mapping.addr(), len, library_view, ordinal))),
            mapping: Mutex::new(Some(mapping)),
            arena: Mutex::new(arena),
            opened: AtomicU64::new(if check.is_on() { span } else { 0 }),
            share: Share::new(budget),
            pages: (0..span / HUGE).map(|_| AtomicBool::new(false)).collect(),
            wanted,
            freed_small: AtomicU64::new(0),
            huge_failures: AtomicU64::new(0),
            shared: Mutex::default(),
            apart: Apart::default(),
            saved: Mutex::default(),
        })
    }

    /// Returns the number of bytes that can still be allocated, as far as the other devices have left them.
    pub(crate) fn free_bytes(&self) -> u64 {
        let used = if self.bounds.is_on() { self.bounds.used() } else { self.arena.lock().used() };
        (self.size - used).min(self.share.left())
    }

    /// Returns the number of bytes of real memory that it uses.
    #[cfg(test)]
    pub(crate) fn resident_bytes(&self) -> u64 {
        crate::base::files::file_bytes(self.file().expect("a file"))
    }

    /// Returns the first address of the whole memory, and its length in addresses.
    pub(crate) fn range(&self) -> (usize, usize) {
        (self.base, self.span as usize)
    }

    /// Whether the program's view contains this address.
    pub(crate) fn contains(&self, addr: usize) -> bool {
        addr.wrapping_sub(self.base) < self.span as usize
    }

    /// Allocates a block of at least `len` bytes. Returns `None` if there is no room: the caller may reap deferred
    /// frees and retry.
    pub(crate) fn take(&self, len: usize, policy: PagePolicy) -> Result<Option<Block>> {
        let block = self.take_block(len, policy)?;
        if let Some(block) = &block
            && self.is_guarded()
        {
            host_access::taken(block, len);
        }
        Ok(block)
    }

    /// Returns the source from which a block without a separate file is mapped another time.
    pub(crate) fn another(&self, addr: usize) -> Source<'_> {
        self.backing.another(self.own(addr), self.offset(addr))
    }

    /// Returns a fault if the memory is no file, and cannot be mapped at other addresses.
    pub(crate) fn check_file(&self) -> Result<()> {
        self.backing.check_file(self.ordinal)
    }

    /// Returns the file of blocks without a separate one, or a fault if there is none, or none any more.
    pub(crate) fn file(&self) -> Result<BorrowedFd<'_>> {
        self.backing.file(self.ordinal)
    }

    /// Returns the offset of a block in its file.
    pub(crate) fn offset(&self, addr: usize) -> u64 {
        (addr - self.base) as u64
    }

    /// Marks a block that the program has freed and must not use any more.
    pub(crate) fn freed(&self, block: &Block) {
        if self.is_guarded() {
            host_access::becomes(block.addr, host_access::FREED);
        }
    }

    /// Allows or forbids the host to use a block of whole pages. Without guard mode the host always can.
    pub(crate) fn set_host_access(&self, block: &Block, allowed: bool) -> Result<()> {
        if !self.is_guarded() {
            return Ok(());
        }
        let access = if allowed { Access::ReadWrite } else { Access::None };
        pages::set_access(block.addr, block.len, access).map_err(|error| self.access_not_changed(block.len, &error))
    }

    /// Whether the host has no access to the memory, so that a violation is reported.
    pub(crate) fn is_guarded(&self) -> bool {
        self.library_view != 0
    }

    /// Locks the arena, and makes room for the bookkeeping of another block.
    fn arena_with_room(&self) -> Result<MutexGuard<'_, Arena>> {
        let mut arena = self.arena.lock();
        if arena.make_room() {
            return Ok(arena);
        }
        Err(Fault::out_of_host_memory("no host memory is left to keep track of another allocation; free host memory"))
    }

    /// Returns the length of the block that [`Self::take`] returns.
    pub(crate) fn block_len(len: usize, policy: PagePolicy) -> usize {
        let rounded = Self::rounded(len, policy).unwrap_or(len);
        Arena::block_len(rounded as u64) as usize
    }

    fn take_block(&self, len: usize, policy: PagePolicy) -> Result<Option<Block>> {
        let huge = HUGE as usize;
        ensure!(policy != PagePolicy::Huge1GOnly, self.no_1g_pages());
        let wants_huge = Self::wants_huge(len, policy);
        let Some(rounded) = Self::rounded(len, policy).filter(|&r| r as u64 <= self.size) else {
            return Ok(None);
        };
        let align = match rounded {
            // Small pages need no 2 MiB alignment, which would leave gaps after sizes that are not whole 2 MiB pages.
            r if r >= huge && policy != PagePolicy::NormalOnly => HUGE,
            r if r as u64 >= UNIT => UNIT,
            _ => 1,
        };
        let whole = Arena::block_len(rounded as u64);
        if !self.share.take(whole) {
            return Ok(None);
        }
        let block = match self.bounds.is_on() {
            true => self.take_checked(len, rounded, align),
            false => self.take_unchecked(whole, align),
        };
        let Ok(Some(block)) = block else {
            self.share.release(whole);
            return block;
        };
        debug_assert_eq!(block.len as u64, whole);
        if policy == PagePolicy::HugeOnly {
            if let Err(fault) = self.make_huge(block) {
                self.free_unused(block);
                return Err(fault);
            }
        } else if wants_huge {
            self.want_huge(block);
        }
        Ok(Some(block))
    }

    /// Returns the counter of the bytes of managed blocks, or of the others.
    pub(crate) fn counter(&self, managed: bool) -> &Level {
        &self.bytes[usize::from(managed)]
    }

    /// Frees blocks that nothing uses any more. Checks at most `limit` blocks. Returns true if there were any.
    pub(crate) fn reap(&self, limit: usize) -> bool {
        self.deferred.reap(limit, |block| self.release(block))
    }

    /// Frees a block that is counted and that nothing uses any more.
    pub(crate) fn release(&self, block: Block) {
        self.counter(block.token & MANAGED != 0).sub(block.len);
        self.free_unused(block);
    }

    fn free_unused(&self, block: Block) {
        if block.token & SHARED != 0 {
            return self.free_shared(block);
        }
        // The check comes before the block's pages, and the bytes beside it, are released or replaced.
        if self.bounds.is_on() {
            // No call can return this damage.
            let damage = self.bounds.end(block);
            damage.iter().for_each(|damage| _ = announce(damage, "the freed memory was released"));
        }
        if !self.map_back(block) {
            return;
        }
        let (first, last) = whole_pages(block.addr, block.len);
        if first < last {
            self.forget_pages(first, last);
            // The block is still allocated, so that its pages cannot be allocated while they are released.
            self.discard(self.offset(first), self.offset(last));
        }
        let Some(mut arena) = self.free_arena(block) else { return };
        arena.free(self.offset(block.addr), block.token as u32);
        drop(arena);
        self.share.release(block.len as u64);
        let len = (block.len - (last - first)) as u64;
        if len != 0 && self.freed_small.fetch_add(len, Ordering::Relaxed) + len >= TRIM_EVERY {
            self.freed_small.store(0, Ordering::Relaxed);
            self.trim();
        }
    }

    /// Returns the page size that the kernel confirms for a live block.
    pub(crate) fn page_size(&self, block: Block) -> usize {
        self.prepare(block.addr, block.len);
        if self.mapping.lock().is_none() {
            return pages::ordinary();
        }
        pages::page_size(self.own(block.addr), block.len)
    }

    /// Unmaps the memory and releases it to the system. The caller guarantees that nothing uses it.
    pub(crate) fn close(&self) {
        self.wanted.store(0, Ordering::Relaxed);
        *self.watch.lock() = None;
        // Other processes may use shared blocks, which are mapped in between.
        for (first, end) in self.without(&self.shared_ranges(), 0, self.opened()) {
            self.discard(first, end);
        }
        *self.mapping.lock() = None;
        self.shared.lock().clear();
        self.forget_files();
        self.share.close();
    }

    fn block(&self, taken: ArenaBlock) -> Block {
        Block {
            addr: self.base + taken.offset as usize,
            len: taken.len as usize,
            token: u64::from(self.ordinal) << 32 | u64::from(taken.note),
        }
    }

    /// Returns the address in the library's view of an address of the program.
    fn own(&self, addr: usize) -> usize {
        addr + self.library_view
    }

    /// Releases the pages of a range to the system. They cannot be allocated meanwhile.
    fn discard(&self, first: u64, end: u64) {
        // The lock is held because these addresses do not belong to the library after a close.
        let mapping = self.mapping.lock();
        if mapping.is_some() {
            self.backing.discard(self.own(self.base + first as usize), (first, end));
        }
    }

    /// Releases the pages of large free ranges to the system.
    fn trim(&self) {
        // The arena stays locked: a range must not be allocated while its pages are released.
        let arena = self.arena.lock();
        for (offset, len) in arena.free_ranges(HUGE) {
            let len = len.min(self.opened().saturating_sub(offset));
            let (first, last) = whole_pages(offset as usize, len as usize);
            if first < last {
                self.discard(first as u64, last as u64);
            }
        }
    }
}
