//! Sums over several parts of a pool: for their common peak, which no part knows alone.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::counts::{Counts, Sum};

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
        let Sum { units, blocks } = counts.used();
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
