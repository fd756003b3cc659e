//! What a part of a pool has counted. What was ever taken and what came back are counted apart: a block that
//! comes and goes then changes each count once.

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
    /// Those of them that came back.
    freed: Sum,
    /// The most at one time that it knows of: in all parts, where there are several.
    high: Sum,
    /// Bytes of its segments.
    pub(super) reserved: u64,
    /// The most of them, as `high`.
    reserved_high: u64,
    /// Where there are several parts.
    totals: Option<Arc<Totals>>,
}

impl Counts {
    /// Those of one part of several.
    pub(super) fn of_part(totals: Arc<Totals>) -> Self {
        Self { totals: Some(totals), ..Self::default() }
    }

    /// There are several parts from now on.
    pub(super) fn share(&mut self, totals: Arc<Totals>) {
        self.totals = Some(totals);
    }

    /// What is taken.
    #[inline]
    pub(super) fn used(&self) -> Sum {
        Sum {
            units: self.taken.units - self.freed.units,
            blocks: self.taken.blocks - self.freed.blocks,
        }
    }

    #[inline(always)]
    pub(super) fn take(&mut self, units: u32) {
        self.taken.units += u64::from(units);
        self.taken.blocks += 1;
        let used = match &self.totals {
            None => self.used(),
            Some(totals) => totals.take(units),
        };
        self.high.units = self.high.units.max(used.units);
        self.high.blocks = self.high.blocks.max(used.blocks);
    }

    #[inline(always)]
    pub(super) fn free(&mut self, units: u32) {
        let units = u64::from(units);
        self.freed.units += units;
        self.freed.blocks += 1;
        if let Some(totals) = &self.totals {
            totals.give(Sum { units, blocks: 1 });
        }
    }

    pub(super) fn reserve(&mut self, bytes: u64) {
        self.reserved += bytes;
        let reserved = match &self.totals {
            None => self.reserved,
            Some(totals) => totals.reserve(bytes),
        };
        self.reserved_high = self.reserved_high.max(reserved);
    }

    pub(super) fn release(&mut self, bytes: u64) {
        self.reserved -= bytes;
        if let Some(totals) = &self.totals {
            totals.release(bytes);
        }
    }

    /// All segments are gone, with what was in them.
    pub(super) fn end(&mut self) {
        if let Some(totals) = &self.totals {
            totals.give(self.used());
        }
        self.freed = self.taken;
        self.release(self.reserved);
    }

    /// Under the locks of all parts, as the next.
    pub(super) fn reset_reserved_high(&mut self) {
        let totals = self.totals.as_ref();
        self.reserved_high = totals.map_or(self.reserved, |totals| totals.reserved());
    }

    pub(super) fn reset_used_high(&mut self) {
        let totals = self.totals.as_ref();
        self.high = totals.map_or_else(|| self.used(), |totals| totals.taken());
    }

    /// Adds what is counted here to what other parts have.
    pub(super) fn add_to(&self, stats: &mut Stats) {
        let bytes = |units: u64| units * GRAIN as u64;
        let used = self.used();
        stats.reserved += self.reserved;
        stats.reserved_high = stats.reserved_high.max(self.reserved_high);
        stats.used += bytes(used.units);
        stats.used_high = stats.used_high.max(bytes(self.high.units));
        stats.taken += bytes(self.taken.units);
        stats.blocks_taken += self.taken.blocks;
        stats.blocks += used.blocks;
        stats.blocks_high = stats.blocks_high.max(self.high.blocks);
    }
}
