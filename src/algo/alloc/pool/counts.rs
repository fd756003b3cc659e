//! Counts of a part of a pool.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::{GRAIN, Stats};

/// Blocks, and their units.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) units: u64,
    pub(super) blocks: u64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, units: u32) {
        self.units += u64::from(units);
        self.blocks += 1;
    }

    /// Raises a peak. Without a branch, which would be mispredicted in a growing pool.
    #[inline(always)]
    fn raise_to(&mut self, now: Self) {
        self.units = self.units.max(now.units);
        self.blocks = self.blocks.max(now.blocks);
    }
}

#[derive(Default)]
pub(super) struct Counts {
    /// All blocks so far.
    taken: Sum,
    /// The blocks in use.
    pub(super) used: Sum,
    /// The peak of these; with several parts, the known peak of all of them.
    most: Sum,
    /// Bytes of its segments.
    pub(super) reserved: u64,
    /// The peak of these, as `most`.
    reserved_high: u64,
    /// Set if there are several parts.
    totals: Option<Arc<Totals>>,
    /// The number of this part, and whether the others see it as hardly used.
    pub(super) part: u32,
    is_idle: bool,
}

impl Counts {
    pub(super) fn of_part(part: u32) -> Self {
        Self { part, ..Self::default() }
    }

    /// The pool has several parts from now on.
    pub(super) fn share(&mut self, totals: Arc<Totals>) {
        self.totals = Some(totals);
        self.note_idle();
    }

    /// It has memory, and no more than half of it is in use.
    fn is_hardly_used(&self) -> bool {
        self.used.units <= self.reserved / (2 * GRAIN as u64) && self.reserved != 0
    }

    /// Publishes to the other parts whether this has changed.
    #[inline]
    fn note_idle(&mut self) {
        let is_idle = self.is_hardly_used();
        if is_idle != self.is_idle
            && let Some(totals) = &self.totals
        {
            totals.set_idle(self.part, is_idle);
            self.is_idle = is_idle;
        }
    }

    #[inline(always)]
    pub(super) fn take(&mut self, units: u32) {
        self.taken.add(units);
        self.used.add(units);
        match &self.totals {
            None => self.most.raise_to(self.used),
            Some(totals) => {
                self.most.raise_to(totals.take(units));
                self.note_idle();
            }
        }
    }

    #[inline(always)]
    pub(super) fn free(&mut self, units: u32) {
        let units = u64::from(units);
        self.used.units -= units;
        self.used.blocks -= 1;
        if let Some(totals) = &self.totals {
            totals.sub(Sum { units, blocks: 1 });
            self.note_idle();
        }
    }

    pub(super) fn reserve(&mut self, bytes: u64) {
        self.reserved += bytes;
        let reserved = match &self.totals {
            None => self.reserved,
            Some(totals) => totals.reserve(bytes),
        };
        self.reserved_high = self.reserved_high.max(reserved);
        self.note_idle();
    }

    pub(super) fn release(&mut self, bytes: u64) {
        self.reserved -= bytes;
        if let Some(totals) = &self.totals {
            totals.release(bytes);
        }
        self.note_idle();
    }

    /// All segments and their blocks are removed.
    pub(super) fn end(&mut self) {
        if let Some(totals) = &self.totals {
            totals.sub(self.used);
        }
        self.used = Sum::default();
        self.release(self.reserved);
    }

    /// Under the locks of all parts, as the next.
    pub(super) fn reset_reserved_high(&mut self) {
        let totals = self.totals.as_ref();
        self.reserved_high = totals.map_or(self.reserved, |totals| totals.reserved());
    }

    pub(super) fn reset_used_high(&mut self) {
        self.most = self.totals.as_ref().map_or(self.used, |totals| totals.taken());
    }

    /// Whether the published state is right.
    #[cfg(debug_assertions)]
    pub(super) fn is_published(&self) -> bool {
        let are_idle = |totals: &Arc<Totals>| totals.is_idle(self.part as usize);
        self.totals.as_ref().is_none_or(|totals| are_idle(totals) == self.is_hardly_used())
    }

    /// Adds the counts of this part to those of others.
    pub(super) fn add_to(&self, stats: &mut Stats) {
        let bytes = |units: u64| units * GRAIN as u64;
        stats.reserved += self.reserved;
        stats.reserved_high = stats.reserved_high.max(self.reserved_high);
        stats.used += bytes(self.used.units);
        stats.used_high = stats.used_high.max(bytes(self.most.units));
        stats.taken += bytes(self.taken.units);
        stats.blocks_taken += self.taken.blocks;
        stats.blocks += self.used.blocks;
        stats.blocks_high = stats.blocks_high.max(self.most.blocks);
    }
}

/// Sums over several parts of a pool: for their common peak, which no part knows alone.
///
/// Changed under the lock of some part. Contended writes are slow: each change is one atomic step, whose result the
/// part keeps if it is a new peak.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Totals {
    /// Units in use, and the number of blocks: both change in one step.
    taken: AtomicU64,
    /// Bytes of segments.
    reserved: AtomicU64,
    /// A bit for each part that is hardly used. On a separate cache line, because it rarely changes.
    idle: CachePadded<AtomicU32>,
}

/// Bits of `taken` that count blocks. The others count the units of 47-bit addresses.
const BLOCK_BITS: u32 = 26;

fn pack(units: u64, blocks: u64) -> u64 {
    units << BLOCK_BITS | blocks
}

fn unpack(taken: u64) -> Sum {
    Sum { units: taken >> BLOCK_BITS, blocks: taken % (1 << BLOCK_BITS) }
}

impl Totals {
    /// The sums of a pool with one part.
    pub(super) fn of(counts: &Counts) -> Self {
        let Sum { units, blocks } = counts.used;
        Self {
            taken: AtomicU64::new(pack(units, blocks)),
            reserved: AtomicU64::new(counts.reserved),
            idle: CachePadded::default(),
        }
    }

    /// Adds a block of this many units. Returns the new sum.
    pub(super) fn take(&self, units: u32) -> Sum {
        let added = pack(units.into(), 1);
        unpack(self.taken.fetch_add(added, Ordering::Relaxed) + added)
    }

    /// Subtracts blocks and their units.
    pub(super) fn sub(&self, Sum { units, blocks }: Sum) {
        self.taken.fetch_sub(pack(units, blocks), Ordering::Relaxed);
    }

    /// The blocks in use.
    pub(super) fn taken(&self) -> Sum {
        unpack(self.taken.load(Ordering::Relaxed))
    }

    /// Adds memory. Returns the new sum.
    pub(super) fn reserve(&self, bytes: u64) -> u64 {
        self.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    pub(super) fn release(&self, bytes: u64) {
        self.reserved.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Sets whether a part is hardly used.
    #[cold]
    pub(super) fn set_idle(&self, part: u32, is_idle: bool) {
        match is_idle {
            true => self.idle.fetch_or(1 << part, Ordering::Relaxed),
            false => self.idle.fetch_and(!(1 << part), Ordering::Relaxed),
        };
    }

    /// Whether a part was hardly used when that was last published.
    pub(super) fn is_idle(&self, part: usize) -> bool {
        self.idle.load(Ordering::Relaxed) & 1 << part != 0
    }

    /// The bytes of segments.
    pub(super) fn reserved(&self) -> u64 {
        self.reserved.load(Ordering::Relaxed)
    }
}
