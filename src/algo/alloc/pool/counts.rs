//! Counts of a part of a pool.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{GRAIN, Stats};

/// A number of blocks, and of their units.
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

    /// Raises a peak without a branch, which would be mispredicted in a growing pool.
    #[inline(always)]
    fn raise_to(&mut self, now: Self) {
        self.units = self.units.max(now.units);
        self.blocks = self.blocks.max(now.blocks);
    }
}

#[derive(Default)]
pub(super) struct Counts {
    /// The sum of all blocks so far.
    taken: Sum,
    /// The sum of the blocks in use.
    pub(super) used: Sum,
    /// The peak of `used`. With several parts, it is the known peak of all of them.
    most: Sum,
    /// The number of bytes of the part's segments.
    pub(super) reserved: u64,
    /// The peak of `reserved`, in the same way as `most`.
    reserved_high: u64,
    /// The totals, if there are several parts.
    pub(super) totals: Option<Arc<Totals>>,
    /// The number of this part.
    pub(super) part: u32,
}

impl Counts {
    pub(super) fn of_part(part: u32) -> Self {
        Self { part, ..Self::default() }
    }

    /// Whether the part has memory, and at most half of it is in use.
    pub(super) fn is_hardly_used(&self) -> bool {
        self.used.units <= self.reserved / (2 * GRAIN as u64) && self.reserved != 0
    }

    #[inline(always)]
    pub(super) fn take(&mut self, units: u32) {
        self.taken.add(units);
        self.used.add(units);
        self.most.raise_to(self.totals.as_ref().map_or(self.used, |totals| totals.take(units)));
    }

    #[inline(always)]
    pub(super) fn free(&mut self, units: u32) {
        let units = u64::from(units);
        self.used.units -= units;
        self.used.blocks -= 1;
        if let Some(totals) = &self.totals {
            totals.sub(Sum { units, blocks: 1 });
        }
    }

    pub(super) fn reserve(&mut self, bytes: u64) {
        self.reserved += bytes;
        let reserved = self
            .totals
            .as_ref()
            .map_or(self.reserved, |totals| totals.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes);
        self.reserved_high = self.reserved_high.max(reserved);
    }

    pub(super) fn release(&mut self, bytes: u64) {
        self.reserved -= bytes;
        if let Some(totals) = &self.totals {
            totals.reserved.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Sets the counts to 0, because all segments and their blocks are removed.
    pub(super) fn end(&mut self) {
        if let Some(totals) = &self.totals {
            totals.sub(self.used);
        }
        self.used = Sum::default();
        self.release(self.reserved);
    }

    /// Resets the peak. The caller holds the locks of all parts, as for the next function.
    pub(super) fn reset_reserved_high(&mut self) {
        let totals = self.totals.as_ref();
        self.reserved_high = totals.map_or(self.reserved, |totals| totals.reserved());
    }

    pub(super) fn reset_used_high(&mut self) {
        self.most = self.totals.as_ref().map_or(self.used, |totals| unpack(totals.taken.load(Ordering::Relaxed)));
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

/// The sums over several parts of a pool, for their common peak, which no part knows alone.
///
/// They are changed under the lock of some part. Contended writes are slow, so each change is one atomic step. The part
/// keeps its result if that is a new peak.
#[repr(align(128))]
pub(super) struct Totals {
    /// The units in use, and the number of blocks. Both change in one step.
    taken: AtomicU64,
    /// The number of bytes of segments.
    reserved: AtomicU64,
}

/// The number of bits of `taken` that count blocks. The other bits count the units of 47-bit addresses.
const BLOCK_BITS: u32 = 26;

fn pack(units: u64, blocks: u64) -> u64 {
    units << BLOCK_BITS | blocks
}

fn unpack(taken: u64) -> Sum {
    Sum { units: taken >> BLOCK_BITS, blocks: taken % (1 << BLOCK_BITS) }
}

impl Totals {
    /// Creates the sums of a pool with one part.
    pub(super) fn of(counts: &Counts) -> Self {
        let Sum { units, blocks } = counts.used;
        Self { taken: AtomicU64::new(pack(units, blocks)), reserved: AtomicU64::new(counts.reserved) }
    }

    /// Adds a block of this many units. Returns the new sum.
    fn take(&self, units: u32) -> Sum {
        let added = pack(units.into(), 1);
        unpack(self.taken.fetch_add(added, Ordering::Relaxed) + added)
    }

    /// Subtracts blocks and their units.
    fn sub(&self, Sum { units, blocks }: Sum) {
        self.taken.fetch_sub(pack(units, blocks), Ordering::Relaxed);
    }

    /// Returns the number of bytes of segments.
    pub(super) fn reserved(&self) -> u64 {
        self.reserved.load(Ordering::Relaxed)
    }
}
