//! Statistics of memory: current, peak and total allocations, and the memory reserved for them.
//!
//! Device memory that the cache serves is counted by the cache, under its lock. All other memory is counted where it is
//! allocated from the device or freed to it.

use std::ops::AddAssign;
use std::sync::Arc;

use crate::algo::map::typed_slots;
use crate::algo::sync::spin_lock::SpinLock;
use crate::backend::Usage;
use crate::memory::allocation::Reuse;
use crate::runtime::Session;
use crate::runtime::device::Device;

/// A number of allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Their bytes.
    pub bytes: u64,
    /// Their number.
    pub count: u64,
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.count += other.count;
    }
}

impl Amount {
    fn wrapping_add(self, other: Self) -> Self {
        let bytes = self.bytes.wrapping_add(other.bytes);
        Self { bytes, count: self.count.wrapping_add(other.count) }
    }

    fn wrapping_sub(self, other: Self) -> Self {
        let bytes = self.bytes.wrapping_sub(other.bytes);
        Self { bytes, count: self.count.wrapping_sub(other.count) }
    }

    /// Returns the larger of both, for each number separately.
    pub fn max(self, other: Self) -> Self {
        Self { bytes: self.bytes.max(other.bytes), count: self.count.max(other.count) }
    }
}

/// The statistics of one kind of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The allocations that are live.
    pub current: Amount,
    /// The largest values at one moment.
    pub peak: Amount,
    /// All allocations so far.
    pub total: Amount,
    /// The number of requests that failed.
    pub failures: u64,
    /// The bytes that are reserved from the device or the system.
    pub reserved: Usage,
    /// The cached bytes among the reserved ones.
    pub kept: u64,
    /// The number of pages of 2 MiB that were requested and not available.
    pub huge_page_fallbacks: u64,
    /// The bytes that should have been locked and were not.
    pub unlocked: u64,
}

/// Counts allocations of one kind of which each takes longer than the count. One lock protects all numbers: a locked
/// instruction for each would take longer.
#[derive(Default)]
pub struct Tally(SpinLock<Stats>);

impl Tally {
    /// Counts an allocation of this many bytes.
    #[inline]
    pub fn made(&self, bytes: usize) {
        let made = Amount { bytes: bytes as u64, count: 1 };
        let mut counts = self.0.lock();
        counts.total += made;
        // Another thread may have freed the memory already.
        counts.current = counts.current.wrapping_add(made);
        counts.peak = counts.peak.max(counts.current);
    }

    /// Undoes a count, because the allocation failed.
    #[cold]
    pub(crate) fn unmade(&self, bytes: usize) {
        let made = Amount { bytes: bytes as u64, count: 1 };
        let mut counts = self.0.lock();
        counts.total = counts.total.wrapping_sub(made);
        counts.current = counts.current.wrapping_sub(made);
    }

    /// Counts a release.
    pub fn freed(&self, bytes: usize) {
        self.freed_if(bytes, || true);
    }

    /// Counts a release if `end`, which runs under the lock, returns true.
    #[inline]
    pub(crate) fn freed_if(&self, bytes: usize, end: impl FnOnce() -> bool) -> bool {
        let mut counts = self.0.lock();
        let ended = end();
        if ended {
            counts.current = counts.current.wrapping_sub(Amount { bytes: bytes as u64, count: 1 });
        }
        ended
    }

    /// Runs `run` under the lock of the counts.
    pub(crate) fn paused<T>(&self, run: impl FnOnce() -> T) -> T {
        let _counts = self.0.lock();
        run()
    }

    /// Counts a failed request.
    pub fn failed(&self) {
        self.0.lock().failures += 1;
    }

    /// Resets the peaks to the live memory.
    pub fn restart_peak(&self) {
        let mut counts = self.0.lock();
        counts.peak = counts.current;
    }

    /// Returns the statistics. All live memory is reserved memory.
    pub fn read(&self) -> Stats {
        let counts = *self.0.lock();
        Stats { reserved: Usage { current: counts.current.bytes, peak: counts.peak.bytes }, ..counts }
    }
}

/// The counts of a device since it was opened.
#[derive(Default)]
pub struct DeviceTallies {
    /// Blocks of device memory, including cached ones, and memory without an address, which may outlive the device.
    pub device: Arc<Tally>,
    /// Managed memory.
    pub managed: Tally,
    /// Memory from other processes, without that of pools.
    pub imported: Arc<Tally>,
}

/// The counts of a session's host memory.
#[derive(Default)]
pub struct HostTallies {
    /// Page-locked memory, with or without an address.
    pub pinned: Arc<Tally>,
    /// Memory from other processes, without that of pools.
    pub imported: Arc<Tally>,
}

typed_slots::state! {
    /// The counts of a device.
    pub DeviceTallies::of(Device);
    /// The counts of a session.
    pub HostTallies::of(Session);
}

/// Returns the statistics of a device's own allocations. Cached memory is not live, and each reuse counts as an
/// allocation.
pub fn of_device(device: &Device) -> Stats {
    let kept = Reuse::of(device).cache.contents();
    let tallied = DeviceTallies::of(device).device.read();
    let usage = device.native.memory_usage();
    Stats {
        current: Amount {
            bytes: tallied.current.bytes.saturating_sub(kept.bytes),
            count: tallied.current.count.saturating_sub(kept.blocks),
        },
        total: Amount {
            bytes: tallied.total.bytes + kept.served_bytes,
            count: tallied.total.count + kept.served_blocks,
        },
        reserved: usage.device,
        kept: kept.bytes,
        huge_page_fallbacks: usage.huge_page_fallbacks,
        ..tallied
    }
}
