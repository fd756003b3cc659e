//! What a part of a pool has counted. What was ever taken and what came back are counted apart: a block that
//! comes and goes then changes each count once.

use super::{GRAIN, Stats};

/// Blocks, and their units.
#[derive(Clone, Copy, Default)]
struct Sum {
    units: u64,
    blocks: u64,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    /// All that were ever taken.
    taken: Sum,
    /// Those of them that came back.
    freed: Sum,
    /// The most at one time.
    high: Sum,
    /// Bytes of its segments, and the most of them.
    pub(super) reserved: u64,
    reserved_high: u64,
}

impl Counts {
    /// Units of blocks that are taken.
    #[inline]
    pub(super) fn used(&self) -> u64 {
        self.taken.units - self.freed.units
    }

    /// How many are taken.
    #[inline]
    pub(super) fn blocks(&self) -> u64 {
        self.taken.blocks - self.freed.blocks
    }

    #[inline]
    pub(super) fn take(&mut self, units: u32) {
        self.taken.units += u64::from(units);
        self.taken.blocks += 1;
    }

    /// There may be more at this time than ever.
    #[inline]
    pub(super) fn raise(&mut self) {
        self.high.units = self.high.units.max(self.used());
        self.high.blocks = self.high.blocks.max(self.blocks());
    }

    #[inline]
    pub(super) fn free(&mut self, units: u32) {
        self.freed.units += u64::from(units);
        self.freed.blocks += 1;
    }

    /// All segments are gone, with what was in them.
    pub(super) fn end(&mut self) {
        self.freed = self.taken;
        self.reserved = 0;
    }

    pub(super) fn raise_reserved(&mut self) {
        self.reserved_high = self.reserved_high.max(self.reserved);
    }

    pub(super) fn reset_reserved_high(&mut self) {
        self.reserved_high = self.reserved;
    }

    pub(super) fn reset_used_high(&mut self) {
        self.high = Sum { units: self.used(), blocks: self.blocks() };
    }

    pub(super) fn stats(&self) -> Stats {
        let bytes = |units: u64| units * GRAIN as u64;
        Stats {
            reserved: self.reserved,
            reserved_high: self.reserved_high,
            used: bytes(self.used()),
            used_high: bytes(self.high.units),
            taken: bytes(self.taken.units),
            blocks_taken: self.taken.blocks,
            blocks: self.blocks(),
            blocks_high: self.high.blocks,
        }
    }
}
