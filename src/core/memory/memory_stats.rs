//! Statistics of memory: what programs have, had at most and ever got, and what that takes.
//!
//! Device memory that is freed and handed out again without the device is counted by the cache that
//! it waits in, under the lock that is held there anyway; all else is counted where memory comes from
//! the device or goes back to it.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::algo::map::typed_slots::Key;
use crate::algo::sync::biased_lock::BiasedLock;
use crate::backend::Usage;
use crate::core::base::error::{Code, Error, Result};
use crate::core::memory::allocation::Allocation;
use crate::core::memory::allocation::Reuse;
use crate::core::memory::memory_hook::{HOST, MemoryKind};
use crate::core::pool::mem_pool;
use crate::core::pool::mem_pool::current::DevicePools;
use crate::core::pool::mem_pool::stats::Whose;
use crate::core::runtime::device::{self, Device};
use crate::core::runtime::thread;
use crate::core::runtime::{self, Session};

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
    /// Pools that were there.
    pub ended_pools: Arc<mem_pool::stats::Ended>,
    /// Pools of other processes that were there.
    pub ended_imports: Arc<mem_pool::stats::Ended>,
    /// Pools for graphs that were there.
    pub ended_graphs: Arc<mem_pool::stats::Ended>,
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
    /// Pools that were there.
    pub ended_pools: Arc<mem_pool::stats::Ended>,
    /// Pools of other processes that were there.
    pub ended_imports: Arc<mem_pool::stats::Ended>,
    /// Pools for graphs that were there.
    pub ended_graphs: Arc<mem_pool::stats::Ended>,
}

static HOST_TALLIES: Key<HostTallies> = Key::new();

impl HostTallies {
    /// Those of a session.
    #[inline]
    pub fn of(session: &Session) -> &Self {
        HOST_TALLIES.of(&session.features)
    }
}

/// Where memory is that statistics are about.
enum Place {
    Host(Arc<Session>),
    Device(Arc<Device>),
    /// Of a device that is not in use: it has none.
    Nowhere,
}

/// Checks the place that a call names: a device, or -1 for host memory.
fn place(id: i32, kind: Option<MemoryKind>) -> Result<Place> {
    thread::refuse_inside_host_function()?;
    let session = runtime::session()?;
    match (id, kind) {
        (HOST, Some(MemoryKind::Device | MemoryKind::Managed)) => Err(Error::new(
            Code::InvalidDeviceId,
            "deviceId is -1, which is host memory; name the device that the memory is of",
        )),
        (HOST, _) => Ok(Place::Host(session.clone())),
        (_, Some(MemoryKind::Pinned)) => Err(Error::new(
            Code::InvalidDeviceId,
            format_args!(
                "deviceId is {id}; page-locked host memory is of no device: it must be -1"
            ),
        )),
        _ => {
            let device = device::slot(&session, "deviceId", id)?.device();
            Ok(device.map_or(Place::Nowhere, Place::Device))
        }
    }
}

/// portaclMemoryGetStats.
pub fn get(id: i32, kind: MemoryKind) -> Result<Stats> {
    match (place(id, Some(kind))?, kind) {
        (Place::Nowhere, _) => Ok(Stats::default()),
        (Place::Host(session), MemoryKind::Pool) => {
            mem_pool::stats::of_all(None, Whose::Program, &HostTallies::of(&session).ended_pools)
        }
        (Place::Host(session), MemoryKind::Imported) => {
            let HostTallies { imported, ended_imports, .. } = HostTallies::of(&session);
            of_imported(imported, None, ended_imports)
        }
        (Place::Host(session), MemoryKind::Graph) => {
            mem_pool::stats::of_all(None, Whose::Graphs, &HostTallies::of(&session).ended_graphs)
        }
        (Place::Host(session), _) => {
            let unlocked = session.driver.unlocked_host_bytes();
            Ok(Stats { unlocked, ..HostTallies::of(&session).pinned.read() })
        }
        (Place::Device(device), MemoryKind::Pool) => mem_pool::stats::of_all(
            Some(&device),
            Whose::Program,
            &DeviceTallies::of(&device).ended_pools,
        ),
        (Place::Device(device), MemoryKind::Imported) => {
            let DeviceTallies { imported, ended_imports, .. } = &DeviceTallies::of(&device);
            of_imported(imported, Some(&device), ended_imports)
        }
        (Place::Device(device), MemoryKind::Graph) => of_graphs(&device),
        (Place::Device(device), MemoryKind::Managed) => {
            let reserved = device.native.memory_usage().managed;
            Ok(Stats { reserved, ..DeviceTallies::of(&device).managed.read() })
        }
        (Place::Device(device), _) => Ok(of_device(&device)),
    }
}

/// Of memory of other processes: single pieces, and what is of their pools.
fn of_imported(
    pieces: &Tally,
    device: Option<&Device>,
    ended: &mem_pool::stats::Ended,
) -> Result<Stats> {
    let of_pools = mem_pool::stats::of_all(device, Whose::Imported, ended)?;
    Ok(mem_pool::stats::sum(&[pieces.read(), of_pools]))
}

/// Of memory of graphs, whose peaks are those of its attributes.
fn of_graphs(device: &Device) -> Result<Stats> {
    let graphs = Some(device);
    let mut stats =
        mem_pool::stats::of_all(graphs, Whose::Graphs, &DeviceTallies::of(device).ended_graphs)?;
    (stats.peak.bytes, stats.reserved.peak) = DevicePools::of(device).graphs.read();
    Ok(stats)
}

/// Of ordinary memory of a device. What waits for its next use is not live, and was handed out once
/// more each time that it was used.
fn of_device(device: &Device) -> Stats {
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

/// portaclMemoryResetPeak.
pub fn reset_peak(id: i32, kind: MemoryKind) -> Result<()> {
    match (place(id, Some(kind))?, kind) {
        (Place::Nowhere, _) => {}
        (Place::Host(session), MemoryKind::Pool) => {
            mem_pool::stats::restart_peaks(
                None,
                Whose::Program,
                &HostTallies::of(&session).ended_pools,
            )?;
        }
        (Place::Host(session), MemoryKind::Imported) => {
            HostTallies::of(&session).imported.restart_peak();
            mem_pool::stats::restart_peaks(
                None,
                Whose::Imported,
                &HostTallies::of(&session).ended_imports,
            )?;
        }
        (Place::Host(session), MemoryKind::Graph) => {
            mem_pool::stats::restart_peaks(
                None,
                Whose::Graphs,
                &HostTallies::of(&session).ended_graphs,
            )?;
        }
        (Place::Host(session), _) => HostTallies::of(&session).pinned.restart_peak(),
        (Place::Device(device), MemoryKind::Pool) => {
            mem_pool::stats::restart_peaks(
                Some(&device),
                Whose::Program,
                &DeviceTallies::of(&device).ended_pools,
            )?;
        }
        (Place::Device(device), MemoryKind::Imported) => {
            DeviceTallies::of(&device).imported.restart_peak();
            mem_pool::stats::restart_peaks(
                Some(&device),
                Whose::Imported,
                &DeviceTallies::of(&device).ended_imports,
            )?;
        }
        (Place::Device(device), MemoryKind::Graph) => {
            let ended = &DeviceTallies::of(&device).ended_graphs;
            mem_pool::stats::restart_peaks(Some(&device), Whose::Graphs, ended)?;
            DevicePools::of(&device).graphs.restart(&device)?;
        }
        (Place::Device(device), MemoryKind::Managed) => {
            device.native.restart_peak(true);
            DeviceTallies::of(&device).managed.restart_peak();
        }
        (Place::Device(device), _) => {
            device.native.restart_peak(false);
            DeviceTallies::of(&device).device.restart_peak();
        }
    }
    Ok(())
}

/// portaclMemoryListPools: statistics of each pool of a device, or of host memory.
pub fn pools(id: i32) -> Result<Vec<mem_pool::stats::Row>> {
    match place(id, Some(MemoryKind::Pool))? {
        Place::Nowhere => Ok(Vec::new()),
        Place::Host(_) => mem_pool::stats::rows(None),
        Place::Device(device) => mem_pool::stats::rows(Some(&device)),
    }
}

/// portaclMemoryListPageSizes: live allocations by the page size that the system confirms for them,
/// the smallest pages first.
pub fn page_sizes(id: i32, kind: MemoryKind) -> Result<Vec<(u64, Amount)>> {
    // Not held meanwhile: asking takes long where there are many.
    drop(place(id, Some(kind))?);
    let session = runtime::session()?;
    let mut sizes = BTreeMap::new();
    for found in Allocation::all() {
        if MemoryKind::of(&found) != Some((kind, id)) {
            continue;
        }
        // While it is held the memory stays where it is.
        let device = found.device();
        if id != HOST && device.is_none() {
            continue;
        }
        let block = match found.pool() {
            Some(_) => mem_pool::backing(&found),
            None => found.block(),
        };
        let page_size = session.driver.page_size(block) as u64;
        let bytes = if found.pool().is_some() { found.len } else { block.len } as u64;
        *sizes.entry(page_size).or_insert_with(Amount::default) += Amount { bytes, count: 1 };
    }
    Ok(sizes.into_iter().collect())
}
