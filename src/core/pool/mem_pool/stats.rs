//! Statistics of pools: of each pool, and the sums of a place.

use std::sync::Arc;

use parking_lot::Mutex;

use super::pool::{Inner, Pool};
use crate::algo::alloc::pool as core_pool;
use crate::algo::map::typed_slots;
use crate::backend::{PoolAttribute, Usage};
use crate::base::error::Result;
use crate::memory::allocation::backing::PoolUse;
use crate::memory::memory_stats::{Amount, Stats};
use crate::runtime::Session;
use crate::runtime::device::Device;

/// The statistics of the ended pools of one place and use.
pub type Ended = Mutex<EndedPools>;

/// The number of pools that are summed for each pool that ends.
const SUMMED: usize = 64;

/// Statistics of ended pools. To sum the peaks of all pools beside each one that ends would take time in proportion to
/// their number. So up to one pool of `SUMMED` counts as beside those that end soon after it.
#[derive(Default)]
pub struct EndedPools {
    /// The sums. The peaks are the largest sums of all pools, as far as they include ended ones.
    sums: Stats,
    /// The sums of the pools that ended after the latest sum of peaks, and their number.
    latest: (Stats, usize),
}

/// The statistics of ended pools, of a device or of host memory, by the use of the pools.
#[derive(Default)]
pub struct PoolTallies([Arc<Ended>; 3]);

typed_slots::state! {
    /// The tallies of a device.
    pub PoolTallies::of(Device);
    /// The tallies of host memory in a session.
    pub PoolTallies::of_host(Session);
}

impl PoolTallies {
    /// Returns the tallies of the device, or of host memory if there is no device.
    pub(crate) fn of_place<'a>(device: Option<&'a Arc<Device>>, session: &'a Session) -> &'a Self {
        device.map_or_else(|| Self::of_host(session), |device| Self::of(device))
    }

    /// Returns the statistics of ended pools with this use.
    pub(crate) fn of_use(&self, pool_use: PoolUse) -> &Arc<Ended> {
        &self.0[pool_use as usize]
    }
}

/// A pool and its statistics.
pub struct Row {
    /// Its handle, which may be destroyed.
    pub handle: u64,
    /// True if it was destroyed, and some of its memory is still live.
    pub is_destroyed: bool,
    /// True if it was imported from another process.
    pub is_imported: bool,
    /// Its statistics.
    pub stats: Stats,
}

impl Pool {
    /// Returns the counts of the pool, without a query of the driver.
    fn counted(&self) -> Stats {
        let stats = match &self.inner {
            Inner::Core(own) => of_core(own.stats()),
            Inner::Driver(driver) => driver.tally.read(),
        };
        Stats { failures: self.failures(), ..stats }
    }

    /// Returns the counts of the pool and its reserved memory. The reserved memory in an imported pool belongs to the
    /// exporting process.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.counted();
        if let Inner::Driver(_) = &self.inner
            && !self.is_imported()
        {
            stats.reserved = Usage {
                current: self.attribute(PoolAttribute::ReservedCurrent)?,
                peak: self.attribute(PoolAttribute::ReservedHigh)?,
            };
        }
        stats.kept = stats.reserved.current.saturating_sub(stats.current.bytes);
        Ok(stats)
    }

    fn restart_peak(&self) -> Result<()> {
        if let Inner::Driver(driver) = &self.inner {
            driver.tally.restart_peak();
            if self.is_imported() {
                return Ok(());
            }
        }
        self.set_attribute(PoolAttribute::UsedHigh, 0)?;
        self.set_attribute(PoolAttribute::ReservedHigh, 0)
    }

    /// Adds the counts of the pool, which ends, to those of its place.
    pub(crate) fn note_end(&self) {
        let stats = self.counted();
        let latest = {
            let EndedPools { sums, latest } = &mut *self.ended.lock();
            sums.total += stats.total;
            sums.failures += stats.failures;
            *latest = (sum([latest.0, stats]), latest.1 + 1);
            if latest.1 * SUMMED < Self::count() {
                return;
            }
            std::mem::take(latest).0
        };
        let beside = |pool: &Arc<Self>| pool.home.opening == self.home.opening && pool.used_by == self.used_by;
        let others = Self::all().into_iter().filter(beside);
        let together = sum(others.map(|pool| pool.counted()).chain([latest]));
        let sums = &mut self.ended.lock().sums;
        sums.peak = sums.peak.max(together.peak);
        sums.reserved.peak = sums.reserved.peak.max(together.reserved.peak);
    }
}

fn of_core(stats: core_pool::Stats) -> Stats {
    Stats {
        current: Amount { bytes: stats.used, count: stats.blocks },
        peak: Amount { bytes: stats.used_high, count: stats.blocks_high },
        total: Amount { bytes: stats.taken, count: stats.blocks_taken },
        reserved: Usage { current: stats.reserved, peak: stats.reserved_high },
        ..Stats::default()
    }
}

/// Returns the pools on this device, or in host memory.
fn in_place(device: Option<&Device>) -> impl Iterator<Item = Arc<Pool>> + use<'_> {
    Pool::all().into_iter().filter(move |pool| pool.home.opening == device.map(|device| device.owner))
}

/// Returns the device of each pool (`None` for host memory), the pool's handle, and the bytes that programs have of it.
pub(crate) fn in_use() -> impl Iterator<Item = (Option<u32>, u64, u64)> {
    let pools = Pool::all().into_iter().filter(|pool| pool.used_by != PoolUse::Graphs);
    pools.map(|pool| (pool.home.device(), pool.handle(), pool.counted().current.bytes))
}

/// Returns the sum of several statistics. Peaks are added although pools reach them at different moments, so their sum
/// is an upper bound.
pub fn sum(all: impl IntoIterator<Item = Stats>) -> Stats {
    let mut sum = Stats::default();
    for stats in all {
        sum.current += stats.current;
        sum.peak += stats.peak;
        sum.total += stats.total;
        sum.failures += stats.failures;
        sum.reserved.current += stats.reserved.current;
        sum.reserved.peak += stats.reserved.peak;
        sum.kept += stats.kept;
    }
    sum
}

/// Returns the sum of these pools on this device, or in host memory, including ended pools, which are in `tallies`.
pub fn of_all(device: Option<&Device>, pool_use: PoolUse, tallies: &PoolTallies) -> Result<Stats> {
    let all = in_place(device).filter(|pool| pool.used_by == pool_use);
    let all = all.map(|pool| pool.stats()).collect::<Result<Vec<_>>>()?;
    let mut stats = sum(all);
    let EndedPools { sums, latest: (latest, _) } = &*tallies.of_use(pool_use).lock();
    stats.total += sums.total;
    stats.failures += sums.failures;
    stats.peak += latest.peak;
    stats.peak = stats.peak.max(sums.peak);
    stats.reserved.peak = (stats.reserved.peak + latest.reserved.peak).max(sums.reserved.peak);
    Ok(stats)
}

/// Resets the peaks of the same pools.
pub(crate) fn restart_peaks(device: Option<&Device>, pool_use: PoolUse, tallies: &PoolTallies) -> Result<()> {
    {
        let EndedPools { sums, latest } = &mut *tallies.of_use(pool_use).lock();
        (sums.peak, sums.reserved.peak) = (Amount::default(), 0);
        *latest = <(Stats, usize)>::default();
    }
    let mut all = in_place(device).filter(|pool| pool.used_by == pool_use);
    all.try_for_each(|pool| pool.restart_peak())
}

/// Returns each pool on this device, or in host memory, the oldest handle first. Pools that serve graphs have no row.
pub fn rows(device: Option<&Device>) -> Result<Vec<Row>> {
    let mut rows = in_place(device)
        .filter(|pool| pool.used_by != PoolUse::Graphs)
        .map(|pool| {
            Ok(Row {
                handle: pool.handle(),
                is_destroyed: pool.is_retired(),
                is_imported: pool.is_imported(),
                stats: pool.stats()?,
            })
        })
        .collect::<Result<Vec<_>>>()?;
    rows.sort_by_key(|row| row.handle);
    Ok(rows)
}
