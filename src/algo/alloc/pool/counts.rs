//! What a part of a pool has counted. What it has in use is counted as what is missing from the most of it: that
//! changes only where it grows.

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
    /// All that were ever taken.
    taken: Sum,
    /// The most of them at one time that were not back.
    most: Sum,
    /// So much less they are now.
    below: Sum,
    /// Where there are several parts, the most in all of them at one time that it knows of.
    high: Sum,
    /// Bytes of its segments.
    pub(super) reserved: u64,
    /// The most of them, as `high`.
    reserved_high: u64,
    /// Where there are several parts.
    totals: Option<Arc<Totals>>,
    /// Which of them it is, and whether the others think that it is hardly used.
    part: u32,
    is_idle: bool,
}

impl Counts {
    /// Those of one part of several.
    pub(super) fn of_part(part: u32, totals: Arc<Totals>) -> Self {
        Self { totals: Some(totals), part, ..Self::default() }
    }

    /// There are several parts from now on.
    pub(super) fn share(&mut self, totals: Arc<Totals>) {
        if self.totals.is_none() {
            self.high = self.most;
        }
        self.totals = Some(totals);
        self.note_idle();
    }

    /// What is taken.
    #[inline]
    pub(super) fn used(&self) -> Sum {
        Sum {
            units: self.most.units - self.below.units,
            blocks: self.most.blocks - self.below.blocks,
        }
    }

    /// There is memory, and no more than half of it is taken.
    #[inline]
    fn is_hardly_used(&self) -> bool {
        self.used().units <= self.reserved / (2 * GRAIN as u64) && self.reserved != 0
    }

    /// Tells other parts if this has changed.
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
            totals.give(Sum { units, blocks: 1 });
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

    /// All segments are gone, with what was in them.
    pub(super) fn end(&mut self) {
        if let Some(totals) = &self.totals {
            totals.give(self.used());
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

    /// Whether the other parts think rightly of this one.
    #[cfg(debug_assertions)]
    pub(super) fn are_told(&self) -> bool {
        let told = |totals: &Arc<Totals>| totals.is_idle(self.part as usize);
        self.totals.as_ref().is_none_or(|totals| told(totals) == self.is_hardly_used())
    }

    /// Adds what is counted here to what other parts have.
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

/// So much is taken again, or is more than ever before. Without a branch: in a pool that grows it would be guessed
/// wrong.
#[inline(always)]
fn grow(most: &mut u64, below: &mut u64, by: u64) {
    *most += by.saturating_sub(*below);
    *below = below.saturating_sub(by);
}
