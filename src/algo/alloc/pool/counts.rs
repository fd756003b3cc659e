//! Counts of a part of a pool. The use is counted as the difference to its peak, which changes only when the use
//! reaches a new peak.

use std::sync::Arc;

use super::totals::Totals;
use super::{GRAIN, Stats};

/// Blocks, and their units.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) units: u64,
    pub(super) blocks: u64,
}

#[derive(Default)]
pub(super) struct Counts {
    /// All blocks so far.
    taken: Sum,
    /// The peak of the blocks in use.
    most: Sum,
    /// The difference to the blocks in use now.
    below: Sum,
    /// With several parts, the known peak of all of them.
    high: Sum,
    /// Bytes of its segments.
    pub(super) reserved: u64,
    /// The peak of these, as `high`.
    reserved_high: u64,
    /// Set if there are several parts.
    totals: Option<Arc<Totals>>,
    /// The number of this part, and whether the others see it as hardly used.
    part: u32,
    is_idle: bool,
}

impl Counts {
    /// For one of several parts.
    pub(super) fn of_part(part: u32, totals: Arc<Totals>) -> Self {
        Self { totals: Some(totals), part, ..Self::default() }
    }

    /// The pool has several parts from now on.
    pub(super) fn share(&mut self, totals: Arc<Totals>) {
        if self.totals.is_none() {
            self.high = self.most;
        }
        self.totals = Some(totals);
        self.note_idle();
    }

    /// The blocks in use.
    pub(super) fn used(&self) -> Sum {
        Sum { units: self.most.units - self.below.units, blocks: self.most.blocks - self.below.blocks }
    }

    /// It has memory, and no more than half of it is in use.
    fn is_hardly_used(&self) -> bool {
        self.used().units <= self.reserved / (2 * GRAIN as u64) && self.reserved != 0
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
        self.taken.units += u64::from(units);
        self.taken.blocks += 1;
        grow(&mut self.most.units, &mut self.below.units, units.into());
        grow(&mut self.most.blocks, &mut self.below.blocks, 1);
        if let Some(totals) = &self.totals {
            let taken = totals.take(units);
            self.high.units = self.high.units.max(taken.units);
            self.high.blocks = self.high.blocks.max(taken.blocks);
            self.note_idle();
        }
    }

    #[inline(always)]
    pub(super) fn free(&mut self, units: u32) {
        let units = u64::from(units);
        self.below.units += units;
        self.below.blocks += 1;
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
            totals.sub(self.used());
        }
        self.below = self.most;
        self.release(self.reserved);
    }

    /// Under the locks of all parts, as the next.
    pub(super) fn reset_reserved_high(&mut self) {
        let totals = self.totals.as_ref();
        self.reserved_high = totals.map_or(self.reserved, |totals| totals.reserved());
    }

    pub(super) fn reset_used_high(&mut self) {
        (self.most, self.below) = (self.used(), Sum::default());
        if let Some(totals) = &self.totals {
            self.high = totals.taken();
        }
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
        let used = self.used();
        let high = if self.totals.is_some() { self.high } else { self.most };
        stats.reserved += self.reserved;
        stats.reserved_high = stats.reserved_high.max(self.reserved_high);
        stats.used += bytes(used.units);
        stats.used_high = stats.used_high.max(bytes(high.units));
        stats.taken += bytes(self.taken.units);
        stats.blocks_taken += self.taken.blocks;
        stats.blocks += used.blocks;
        stats.blocks_high = stats.blocks_high.max(high.blocks);
    }
}

/// Adds to the use, and to the peak if it is exceeded. Without a branch, which would be mispredicted in a growing pool.
#[inline(always)]
fn grow(most: &mut u64, below: &mut u64, by: u64) {
    *most += by.saturating_sub(*below);
    *below = below.saturating_sub(by);
}
