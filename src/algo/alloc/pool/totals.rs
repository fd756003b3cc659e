//! What all parts of a pool have together, where there are several: for the most that they had at one
//! moment, which no part knows.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::counts::{Counts, Sum};

/// Changed under the lock of some part. What many threads write is slow: each change is one step, whose
/// answer the part keeps if it is the most that it has seen.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Totals {
    /// Units in blocks that are taken, and the number of those blocks: both change in one step.
    taken: AtomicU64,
    /// Bytes of segments.
    reserved: AtomicU64,
    idle: Idle,
}

/// A bit for each part that has memory and hardly uses it. Apart from the rest, as it seldom changes.
#[derive(Default)]
#[repr(align(128))]
struct Idle(AtomicU32);

/// Bits of `taken` that count blocks. The others count units of the 47 bits of addresses that there are.
const BLOCK_BITS: u32 = 26;

fn pack(units: u64, blocks: u64) -> u64 {
    units << BLOCK_BITS | blocks
}

fn unpack(taken: u64) -> Sum {
    Sum { units: taken >> BLOCK_BITS, blocks: taken % (1 << BLOCK_BITS) }
}

impl Totals {
    /// Those of a pool's only part.
    pub(super) fn of(counts: &Counts) -> Self {
        let Sum { units, blocks } = counts.used();
        Self {
            taken: AtomicU64::new(pack(units, blocks)),
            reserved: AtomicU64::new(counts.reserved),
            idle: Idle::default(),
        }
    }

    /// A block of so many units is taken: what is taken now.
    #[inline]
    pub(super) fn take(&self, units: u32) -> Sum {
        let added = pack(units.into(), 1);
        unpack(self.taken.fetch_add(added, Ordering::Relaxed) + added)
    }

    /// Blocks of so many units are taken no more.
    #[inline]
    pub(super) fn give(&self, Sum { units, blocks }: Sum) {
        self.taken.fetch_sub(pack(units, blocks), Ordering::Relaxed);
    }

    /// What is taken.
    pub(super) fn taken(&self) -> Sum {
        unpack(self.taken.load(Ordering::Relaxed))
    }

    /// Memory was added: what there is now.
    pub(super) fn reserve(&self, bytes: u64) -> u64 {
        self.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    pub(super) fn release(&self, bytes: u64) {
        self.reserved.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether a part is hardly used, from now on.
    #[cold]
    pub(super) fn set_idle(&self, part: u32, is_idle: bool) {
        match is_idle {
            true => self.idle.0.fetch_or(1 << part, Ordering::Relaxed),
            false => self.idle.0.fetch_and(!(1 << part), Ordering::Relaxed),
        };
    }

    /// Whether a part was hardly used when it was looked at.
    pub(super) fn is_idle(&self, part: usize) -> bool {
        self.idle.0.load(Ordering::Relaxed) & 1 << part != 0
    }

    /// What there is.
    pub(super) fn reserved(&self) -> u64 {
        self.reserved.load(Ordering::Relaxed)
    }
}
