//! Statistics of memory: what programs have, had at most and ever got, and what that takes.
//!
//! Device memory that is freed and handed out again without the device is counted by the cache that
//! it waits in, under the lock that is held there anyway; all else is counted where memory comes from
//! the device or goes back to it.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::algo::map::typed_slots::Key;
use crate::algo::sync::biased_lock::BiasedLock;
use crate::backend::Usage;
use crate::core::memory::allocation::Reuse;
use crate::core::runtime::Session;
use crate::core::runtime::device::Device;

/// Allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Their bytes.
    pub bytes: u64,
    /// How many.
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

    /// The larger of both, each number for itself.
    pub fn max(self, other: Self) -> Self {
        Self { bytes: self.bytes.max(other.bytes), count: self.count.max(other.count) }
    }
}

/// What is known of some memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Allocations that are live.
    pub current: Amount,
    /// The most at one moment.
    pub peak: Amount,
    /// All that were made.
    pub total: Amount,
    /// Requests that could not be served.
    pub failures: u64,
    /// Bytes that this takes from the device, or the system.
    pub reserved: Usage,
    /// Of those the bytes that wait for the next request.
    pub kept: u64,
    /// Pages of 2 MiB that were wanted and could not be had.
    pub huge_page_fallbacks: u64,
    /// Bytes that were to be locked and could not be.
    pub unlocked: u64,
}

/// Counts allocations of one kind, where making and freeing one takes longer than this.
#[derive(Default)]
pub struct Tally {
    /// One lock for all numbers: a locked instruction for each would take longer.
    counts: BiasedLock<Counts>,
    failures: AtomicU64,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    current: Amount,
    peak: Amount,
    total: Amount,
}

impl Tally {
    /// An allocation of so many bytes was made.
    #[inline]
    pub fn made(&self, bytes: usize) {
        let made = Amount { bytes: bytes as u64, count: 1 };
        let mut counts = self.counts.lock();
        counts.total += made;
        // Another thread may have freed it already.
        counts.current = counts.current.wrapping_add(made);
        counts.peak = counts.peak.max(counts.current);
    }

    /// It came to nothing after all.
    #[cold]
    pub fn unmade(&self, bytes: usize) {
        let made = Amount { bytes: bytes as u64, count: 1 };
        let mut counts = self.counts.lock();
        counts.total = counts.total.wrapping_sub(made);
        counts.current = counts.current.wrapping_sub(made);
    }

    /// One was freed.
    pub fn freed(&self, bytes: usize) {
        self.freed_if(bytes, || true);
    }

    /// As [`Self::freed`], if `end`, which runs under the lock, says so.
    #[inline]
    pub fn freed_if(&self, bytes: usize, end: impl FnOnce() -> bool) -> bool {
        let mut counts = self.counts.lock();
        let ended = end();
        if ended {
            counts.current = counts.current.wrapping_sub(Amount { bytes: bytes as u64, count: 1 });
        }
        ended
    }

    /// Runs this while nobody counts.
    pub fn paused<T>(&self, run: impl FnOnce() -> T) -> T {
        let _counts = self.counts.lock();
        run()
    }

    /// A request could not be served.
    pub fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// The peaks begin again with what is live.
    pub fn restart_peak(&self) {
        let mut counts = self.counts.lock();
        counts.peak = counts.current;
    }

    /// What was counted. All that is live is taken from somewhere.
    pub fn read(&self) -> Stats {
        let Counts { current, peak, total } = *self.counts.lock();
        Stats {
            current,
            peak,
            total,
            failures: self.failures.load(Ordering::Relaxed),
            reserved: Usage { current: current.bytes, peak: peak.bytes },
            ..Stats::default()
        }
    }
}

/// What a device has counted since it was opened.
#[derive(Default)]
pub struct DeviceTallies {
    /// Blocks of device memory, those included that wait for the next request of their size, and
    /// memory without an address, which may end later than the device.
    pub device: Arc<Tally>,
    /// Managed memory.
    pub managed: Tally,
    /// Memory of other processes, without that of pools.
    pub imported: Arc<Tally>,
}

static DEVICE_TALLIES: Key<DeviceTallies> = Key::new();

impl DeviceTallies {
    /// Those of a device.
    #[inline]
    pub fn of(device: &Device) -> &Self {
        DEVICE_TALLIES.of(&device.features)
    }
}

/// What a session has counted of host memory.
#[derive(Default)]
pub struct HostTallies {
    /// Page-locked memory, with or without an address.
    pub pinned: Arc<Tally>,
    /// Memory of other processes, without that of pools.
    pub imported: Arc<Tally>,
}

static HOST_TALLIES: Key<HostTallies> = Key::new();

impl HostTallies {
    /// Those of a session.
    #[inline]
    pub fn of(session: &Session) -> &Self {
        HOST_TALLIES.of(&session.features)
    }
}

/// Of ordinary memory of a device. What waits for its next use is not live, and was handed out once
/// more each time that it was used.
pub fn of_device(device: &Device) -> Stats {
    let kept = Reuse::of(device).contents();
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
