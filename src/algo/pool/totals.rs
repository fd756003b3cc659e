//! What all parts of a pool have together, where there are several: for the most that they had at one
//! moment, which no part knows.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{GRAIN, Stats};

/// Changed under the lock of some part.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Totals {
    /// Units in blocks that are taken, and the number of those blocks: both change in one step.
    taken: AtomicU64,
    used_high: AtomicU64,
    blocks_high: AtomicU64,
    reserved: AtomicU64,
    reserved_high: AtomicU64,
}

/// Bits of `taken` that count blocks. The others count units of the 47 bits of addresses that there are.
const BLOCK_BITS: u32 = 26;

fn pack(units: u64, blocks: u64) -> u64 {
    units << BLOCK_BITS | blocks
}

/// Looked at first: what many threads write is slow.
fn raise(most: &AtomicU64, now: u64) {
    if now > most.load(Ordering::Relaxed) {
        most.fetch_max(now, Ordering::Relaxed);
    }
}

impl Totals {
    /// Those of a pool's only part.
    pub(super) fn of(stats: &Stats) -> Self {
        Self {
            taken: AtomicU64::new(pack(stats.used / GRAIN as u64, stats.blocks)),
            used_high: AtomicU64::new(stats.used_high / GRAIN as u64),
            blocks_high: AtomicU64::new(stats.blocks_high),
            reserved: AtomicU64::new(stats.reserved),
            reserved_high: AtomicU64::new(stats.reserved_high),
        }
    }

    fn used(taken: u64) -> u64 {
        taken >> BLOCK_BITS
    }

    fn blocks(taken: u64) -> u64 {
        taken % (1 << BLOCK_BITS)
    }

    /// A block of so many units is taken.
    #[inline]
    pub(super) fn take(&self, units: u32) {
        let added = pack(units.into(), 1);
        let taken = self.taken.fetch_add(added, Ordering::Relaxed) + added;
        raise(&self.used_high, Self::used(taken));
        raise(&self.blocks_high, Self::blocks(taken));
    }

    /// Blocks of so many units are taken no more.
    #[inline]
    pub(super) fn give(&self, units: u64, blocks: u64) {
        self.taken.fetch_sub(pack(units, blocks), Ordering::Relaxed);
    }

    pub(super) fn reserve(&self, bytes: u64) {
        let reserved = self.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes;
        raise(&self.reserved_high, reserved);
    }

    pub(super) fn release(&self, bytes: u64) {
        self.reserved.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Under the locks of all parts, as the next two.
    pub(super) fn write_highs(&self, stats: &mut Stats) {
        stats.used_high = self.used_high.load(Ordering::Relaxed) * GRAIN as u64;
        stats.blocks_high = self.blocks_high.load(Ordering::Relaxed);
        stats.reserved_high = self.reserved_high.load(Ordering::Relaxed);
    }

    pub(super) fn reset_used_high(&self) {
        let taken = self.taken.load(Ordering::Relaxed);
        self.used_high.store(Self::used(taken), Ordering::Relaxed);
        self.blocks_high.store(Self::blocks(taken), Ordering::Relaxed);
    }

    pub(super) fn reset_reserved_high(&self) {
        let reserved = self.reserved.load(Ordering::Relaxed);
        self.reserved_high.store(reserved, Ordering::Relaxed);
    }
}
