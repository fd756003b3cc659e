//! Statistics of all kinds of memory: the counts of the regions that allocate it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::error::{Code, Error, Result, error_with};
use crate::memory::allocation::Allocation;
use crate::memory::allocation::backing::{PoolUse, backing};
use crate::memory::memory_hook::{HOST, MemoryKind};
use crate::memory::memory_stats::{Amount, DeviceTallies, HostTallies, Stats, Tally, of_device};
use crate::pool::mem_pool::current::DevicePools;
use crate::pool::mem_pool::stats::{self, PoolTallies};
use crate::runtime::device::{self, Device};
use crate::runtime::{self, Session, thread};

/// The place of the memory.
enum MemoryOwner {
    Host(Arc<Session>),
    Device(Arc<Device>),
}

impl MemoryOwner {
    /// Returns the device, if the place is one, the counts of its pools, and those of single imports.
    fn parts(&self) -> (Option<&Device>, &PoolTallies, &Tally) {
        match self {
            Self::Host(session) => (None, PoolTallies::of_host(session), &HostTallies::of(session).imported),
            Self::Device(device) => (Some(device), PoolTallies::of(device), &DeviceTallies::of(device).imported),
        }
    }
}

/// Checks the place in a call: a device, or -1 for host memory. `None`: a device that is not in use has no memory.
fn place(id: i32, kind: MemoryKind) -> Result<Option<MemoryOwner>> {
    thread::refuse_inside_host_function()?;
    let session = runtime::session()?;
    match (id, kind) {
        (HOST, MemoryKind::Device | MemoryKind::Managed) => {
            let why = "deviceId is -1 (host memory), but kind is device or managed memory; pass the id of a device";
            Err(Error::new(Code::InvalidDeviceId, why))
        }
        (HOST, MemoryKind::Pinned | MemoryKind::Pool | MemoryKind::Imported | MemoryKind::Graph) => {
            Ok(Some(MemoryOwner::Host(session.clone())))
        }
        (_, MemoryKind::Pinned) => {
            Err(error_with!(Code::InvalidDeviceId, "deviceId is {id}; for page-locked host memory it must be -1"))
        }
        (_, MemoryKind::Device | MemoryKind::Managed | MemoryKind::Pool | MemoryKind::Imported | MemoryKind::Graph) => {
            Ok(device::slot(&session, "deviceId", id)?.device().map(MemoryOwner::Device))
        }
    }
}

/// Implements portaclMemoryGetStats.
pub fn get(id: i32, kind: MemoryKind) -> Result<Stats> {
    let Some(place) = place(id, kind)? else { return Ok(Stats::default()) };
    let (device, pools, imported) = place.parts();
    match (kind, &place) {
        (MemoryKind::Pool, _) => stats::of_all(device, PoolUse::Program, pools),
        (MemoryKind::Imported, _) => {
            let of_pools = stats::of_all(device, PoolUse::Imported, pools)?;
            Ok(stats::sum([imported.read(), of_pools]))
        }
        (MemoryKind::Graph, _) => {
            let mut stats = stats::of_all(device, PoolUse::Graphs, pools)?;
            // The peaks of a device are those of its attributes.
            if let Some(device) = device {
                (stats.peak.bytes, stats.reserved.peak) = DevicePools::of(device).graphs.read();
            }
            Ok(stats)
        }
        (MemoryKind::Managed, MemoryOwner::Device(device)) => {
            let reserved = device.native.memory_usage().managed;
            Ok(Stats { reserved, ..DeviceTallies::of(device).managed.read() })
        }
        (_, MemoryOwner::Device(device)) => Ok(of_device(device)),
        (_, MemoryOwner::Host(session)) => {
            let unlocked = session.driver.unlocked_host_bytes();
            Ok(Stats { unlocked, ..HostTallies::of(session).pinned.read() })
        }
    }
}

/// Implements portaclMemoryResetPeak.
pub fn reset_peak(id: i32, kind: MemoryKind) -> Result<()> {
    let Some(place) = place(id, kind)? else { return Ok(()) };
    let (device, pools, imported) = place.parts();
    match (kind, &place) {
        (MemoryKind::Pool, _) => stats::restart_peaks(device, PoolUse::Program, pools)?,
        (MemoryKind::Imported, _) => {
            imported.restart_peak();
            stats::restart_peaks(device, PoolUse::Imported, pools)?;
        }
        (MemoryKind::Graph, _) => {
            stats::restart_peaks(device, PoolUse::Graphs, pools)?;
            if let Some(device) = device {
                DevicePools::of(device).graphs.restart(device)?;
            }
        }
        (MemoryKind::Managed, MemoryOwner::Device(device)) => {
            device.native.restart_peak(true);
            DeviceTallies::of(device).managed.restart_peak();
        }
        (_, MemoryOwner::Device(device)) => {
            device.native.restart_peak(false);
            DeviceTallies::of(device).device.restart_peak();
        }
        (_, MemoryOwner::Host(session)) => HostTallies::of(session).pinned.restart_peak(),
    }
    Ok(())
}

/// Implements portaclMemoryListPools: returns the statistics of each pool of a device, or of host memory.
pub fn pools(id: i32) -> Result<Vec<stats::Row>> {
    place(id, MemoryKind::Pool)?.map_or_else(|| Ok(Vec::new()), |place| stats::rows(place.parts().0))
}

/// Implements portaclMemoryListPageSizes: returns the live allocations by page size, the smallest pages first. The page
/// sizes are those that the system confirms.
pub fn page_sizes(id: i32, kind: MemoryKind) -> Result<Vec<(u64, Amount)>> {
    // The device is not held during the queries, which take long if there are many.
    drop(place(id, kind)?);
    let session = runtime::session()?;
    let mut sizes = BTreeMap::new();
    for found in Allocation::all() {
        if MemoryKind::of(&found) != Some((kind, id)) {
            continue;
        }
        // The device is held, so that the memory is not freed.
        let device = found.device();
        if id != HOST && device.is_none() {
            continue;
        }
        let block = (backing().block)(&found);
        let page_size = session.driver.page_size(block) as u64;
        let bytes = if found.pool().is_some() { found.len } else { block.len } as u64;
        *sizes.entry(page_size).or_insert_with(Amount::default) += Amount { bytes, count: 1 };
    }
    Ok(sizes.into_iter().collect())
}
