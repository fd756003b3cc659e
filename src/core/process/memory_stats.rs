//! Statistics of all kinds of memory: the counts of the regions that allocate it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::core::base::error::{Code, Error, Result, error_with};
use crate::core::memory::allocation::Allocation;
use crate::core::memory::allocation::backing::{PoolUse, backing};
use crate::core::memory::memory_hook::{HOST, MemoryKind};
use crate::core::memory::memory_stats::{Amount, DeviceTallies, HostTallies, Stats, Tally, of_device};
use crate::core::pool::mem_pool::current::DevicePools;
use crate::core::pool::mem_pool::stats::{self, PoolTallies};
use crate::core::runtime::device::{self, Device};
use crate::core::runtime::{self, Session, thread};

/// The place of the memory.
enum Place {
    Host(Arc<Session>),
    Device(Arc<Device>),
    /// On a device that is not in use: it has none.
    Nowhere,
}

/// Checks the place in a call: a device, or -1 for host memory.
fn place(id: i32, kind: Option<MemoryKind>) -> Result<Place> {
    thread::refuse_inside_host_function()?;
    let session = runtime::session()?;
    match (id, kind) {
        (HOST, Some(MemoryKind::Device | MemoryKind::Managed)) => Err(Error::new(
            Code::InvalidDeviceId,
            "deviceId is -1, which is host memory; name the device that the memory is of",
        )),
        (HOST, _) => Ok(Place::Host(session.clone())),
        (_, Some(MemoryKind::Pinned)) => Err(error_with!(
            Code::InvalidDeviceId,
            "deviceId is {id}; page-locked host memory is of no device: it must be -1"
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
            stats::of_all(None, PoolUse::Program, &PoolTallies::of_host(&session).pools)
        }
        (Place::Host(session), MemoryKind::Imported) => {
            let imported = &HostTallies::of(&session).imported;
            of_imported(imported, None, &PoolTallies::of_host(&session).imports)
        }
        (Place::Host(session), MemoryKind::Graph) => {
            stats::of_all(None, PoolUse::Graphs, &PoolTallies::of_host(&session).graphs)
        }
        (Place::Host(session), _) => {
            let unlocked = session.driver.unlocked_host_bytes();
            Ok(Stats { unlocked, ..HostTallies::of(&session).pinned.read() })
        }
        (Place::Device(device), MemoryKind::Pool) => {
            stats::of_all(Some(&device), PoolUse::Program, &PoolTallies::of(&device).pools)
        }
        (Place::Device(device), MemoryKind::Imported) => {
            let imported = &DeviceTallies::of(&device).imported;
            of_imported(imported, Some(&device), &PoolTallies::of(&device).imports)
        }
        (Place::Device(device), MemoryKind::Graph) => of_graphs(&device),
        (Place::Device(device), MemoryKind::Managed) => {
            let reserved = device.native.memory_usage().managed;
            Ok(Stats { reserved, ..DeviceTallies::of(&device).managed.read() })
        }
        (Place::Device(device), _) => Ok(of_device(&device)),
    }
}

/// Of memory of other processes: single imports, and imports of pools.
fn of_imported(pieces: &Tally, device: Option<&Device>, ended: &stats::Ended) -> Result<Stats> {
    let of_pools = stats::of_all(device, PoolUse::Imported, ended)?;
    Ok(stats::sum(&[pieces.read(), of_pools]))
}

/// Of memory of graphs; the peaks are those of its attributes.
fn of_graphs(device: &Device) -> Result<Stats> {
    let graphs = Some(device);
    let mut stats = stats::of_all(graphs, PoolUse::Graphs, &PoolTallies::of(device).graphs)?;
    (stats.peak.bytes, stats.reserved.peak) = DevicePools::of(device).graphs.read();
    Ok(stats)
}

/// portaclMemoryResetPeak.
pub fn reset_peak(id: i32, kind: MemoryKind) -> Result<()> {
    match (place(id, Some(kind))?, kind) {
        (Place::Nowhere, _) => {}
        (Place::Host(session), MemoryKind::Pool) => {
            stats::restart_peaks(None, PoolUse::Program, &PoolTallies::of_host(&session).pools)?;
        }
        (Place::Host(session), MemoryKind::Imported) => {
            HostTallies::of(&session).imported.restart_peak();
            stats::restart_peaks(None, PoolUse::Imported, &PoolTallies::of_host(&session).imports)?;
        }
        (Place::Host(session), MemoryKind::Graph) => {
            stats::restart_peaks(None, PoolUse::Graphs, &PoolTallies::of_host(&session).graphs)?;
        }
        (Place::Host(session), _) => HostTallies::of(&session).pinned.restart_peak(),
        (Place::Device(device), MemoryKind::Pool) => {
            stats::restart_peaks(Some(&device), PoolUse::Program, &PoolTallies::of(&device).pools)?;
        }
        (Place::Device(device), MemoryKind::Imported) => {
            DeviceTallies::of(&device).imported.restart_peak();
            stats::restart_peaks(Some(&device), PoolUse::Imported, &PoolTallies::of(&device).imports)?;
        }
        (Place::Device(device), MemoryKind::Graph) => {
            let ended = &PoolTallies::of(&device).graphs;
            stats::restart_peaks(Some(&device), PoolUse::Graphs, ended)?;
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
pub fn pools(id: i32) -> Result<Vec<stats::Row>> {
    match place(id, Some(MemoryKind::Pool))? {
        Place::Nowhere => Ok(Vec::new()),
        Place::Host(_) => stats::rows(None),
        Place::Device(device) => stats::rows(Some(&device)),
    }
}

/// portaclMemoryListPageSizes: live allocations by the page size that the system confirms for them,
/// the smallest pages first.
pub fn page_sizes(id: i32, kind: MemoryKind) -> Result<Vec<(u64, Amount)>> {
    // Not held during the queries, which take long if there are many.
    drop(place(id, Some(kind))?);
    let session = runtime::session()?;
    let mut sizes = BTreeMap::new();
    for found in Allocation::all() {
        if MemoryKind::of(&found) != Some((kind, id)) {
            continue;
        }
        // Held, so that the memory is not freed.
        let device = found.device();
        if id != HOST && device.is_none() {
            continue;
        }
        let block = backing().block(&found);
        let page_size = session.driver.page_size(block) as u64;
        let bytes = if found.pool().is_some() { found.len } else { block.len } as u64;
        *sizes.entry(page_size).or_insert_with(Amount::default) += Amount { bytes, count: 1 };
    }
    Ok(sizes.into_iter().collect())
}
