//! Which devices may use the memory of a pool: its own, and those that were allowed to.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::pool::{Home, Pool};
use super::{MemPool, at_location};
pub use crate::backend::Access;
use crate::core::base::error::{Error, Result};
use crate::core::base::handles;
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::runtime;
use crate::core::runtime::device::{self, Device};
use crate::core::runtime::thread;

/// There may be pools of host memory, which not every device may use.
static HOST_POOLS: AtomicBool = AtomicBool::new(false);

/// A bit for each device.
pub struct AccessTable {
    readers: AtomicU64,
    writers: AtomicU64,
}

impl AccessTable {
    /// At the beginning only the device that the memory is on has access.
    pub fn of(home: Home) -> Self {
        let bits = match home {
            Home::Device(id, _) => bit(id),
            Home::Host | Home::HostNode(_) => {
                HOST_POOLS.store(true, Ordering::Relaxed);
                0
            }
        };
        Self { readers: AtomicU64::new(bits), writers: AtomicU64::new(bits) }
    }

    /// No device has access.
    pub const fn none() -> Self {
        Self { readers: AtomicU64::new(0), writers: AtomicU64::new(0) }
    }

    /// No device has access.
    pub fn is_none(&self) -> bool {
        self.readers.load(Ordering::Relaxed) == 0
    }

    /// What the device with this id may do.
    pub fn get(&self, id: u32) -> Access {
        let has = |bits: &AtomicU64| bits.load(Ordering::Relaxed) & bit(id) != 0;
        match (has(&self.readers), has(&self.writers)) {
            (_, true) => Access::ReadWrite,
            (true, false) => Access::Read,
            (false, false) => Access::None,
        }
    }

    /// The devices that may do something.
    pub fn devices(&self) -> impl Iterator<Item = u32> {
        let bits = self.readers.load(Ordering::Relaxed);
        (0..u64::BITS).filter(move |&id| bits & bit(id) != 0)
    }

    /// Sets that.
    pub fn set(&self, id: u32, access: Access) {
        let put = |bits: &AtomicU64, on: bool| {
            if on {
                bits.fetch_or(bit(id), Ordering::Relaxed)
            } else {
                bits.fetch_and(!bit(id), Ordering::Relaxed)
            }
        };
        put(&self.readers, access != Access::None);
        put(&self.writers, access == Access::ReadWrite);
    }
}

impl Pool {
    /// Changes what a device may do with its memory, and with that of graphs beside it.
    pub fn set_access(&self, id: u32, access: Access) -> Result<()> {
        let graphs = self.graphs.lock();
        self.set_driver_access(id, access)?;
        if let Some(graphs) = Self::find(*graphs) {
            graphs.set_driver_access(id, access)?;
        }
        self.access.set(id, access);
        Ok(())
    }
}

fn bit(id: u32) -> u64 {
    1_u64.checked_shl(id).unwrap_or(0)
}

/// Who is to have which access, as it came from C: an `aclrtMemLocation` and `aclrtMemAccessFlags`.
#[derive(Clone, Copy, Debug)]
pub struct AccessRequest {
    /// An `aclrtMemLocationType`.
    pub location_type: i32,
    /// Of the location.
    pub id: u32,
    /// An `aclrtMemAccessFlags`.
    pub flags: i32,
}

const FLAGS: [(i32, Access); 3] = [(0, Access::None), (1, Access::Read), (3, Access::ReadWrite)];

/// An `aclrtMemAccessFlags`, by its number.
pub fn access_of(argument: &str, flags: i32) -> Result<Access> {
    match FLAGS.iter().find(|(number, _)| *number == flags) {
        Some((_, access)) => Ok(*access),
        None => Err(Error::invalid_param(format_args!(
            "{argument} is {flags}; allowed: ACL_RT_MEM_ACCESS_FLAGS_NONE 0, _READ 1 and _READWRITE 3"
        ))),
    }
}

/// The number of an access.
pub fn flags_of(access: Access) -> i32 {
    match access {
        Access::None => 0,
        Access::Read => 1,
        Access::ReadWrite => 3,
    }
}

/// portaclMemPoolSetAccess: all of a list of `count` requests, or nothing of it.
pub fn set(raw: u64, count: usize, request: impl Fn(usize) -> AccessRequest) -> Result<()> {
    thread::refuse_inside_host_function()?;
    if count == 0 {
        return Err(Error::invalid_param("count is 0; describe the access of at least one device"));
    }
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    let session = runtime::session()?;
    let pool = &mem_pool.pool;
    let mut wanted = Vec::new();
    for index in 0..count {
        let AccessRequest { location_type, id, flags } = request(index);
        if location_type != at_location::DEVICE {
            return Err(Error::invalid_param(format_args!(
                "descList[{index}].location.type is {location_type}; only devices can be given access \
                 (ACL_MEM_LOCATION_TYPE_DEVICE 1): the host has it to pools of host memory, and to no other"
            )));
        }
        let argument = format!("descList[{index}].location.id");
        device::slot(&session, &argument, id)?;
        let access = access_of(&format!("descList[{index}].flags"), flags)?;
        if let Home::Device(own, _) = pool.home {
            if own == id && access != Access::ReadWrite {
                return Err(Error::invalid_param(format_args!(
                    "descList[{index}] takes access away from device {id}, which the pool is on; it always \
                     reads and writes"
                )));
            }
            // Only the driver knows where the memory of an imported pool really is.
            if !pool.is_imported {
                if own == id {
                    continue;
                }
                if access != Access::None && !session.driver.can_access_peer(id, own)? {
                    return Err(Error::unsupported(format_args!(
                        "descList[{index}]: device {id} cannot use the memory of device {own} directly \
                         (aclrtDeviceCanAccessPeer gives 0); copy to memory of device {id}"
                    )));
                }
            }
        }
        wanted.push((id, access));
    }
    for (id, access) in wanted {
        pool.set_access(id, access)?;
    }
    Ok(())
}

/// portaclMemPoolGetAccess.
pub fn get(raw: u64, location_type: i32, id: u32) -> Result<Access> {
    thread::refuse_inside_host_function()?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    Ok(match location_type {
        at_location::DEVICE => {
            device::slot(&*runtime::session()?, "location.id", id)?;
            mem_pool.pool.access_of(id)?
        }
        at_location::HOST | at_location::HOST_NODE => match mem_pool.pool.home {
            Home::Device(..) => Access::None,
            Home::Host | Home::HostNode(_) => Access::ReadWrite,
        },
        other => {
            return Err(Error::invalid_param(format_args!(
                "location.type is {other}; allowed: ACL_MEM_LOCATION_TYPE_HOST 0, _DEVICE 1 and _HOST_NUMA 4"
            )));
        }
    })
}

/// Whether pinned memory may be a pool's, which not every device may use.
#[inline]
pub fn host_pools_exist() -> bool {
    HOST_POOLS.load(Ordering::Relaxed)
}

/// Fails if `memory` is a pool's that `device` may not use, or not write.
#[cold]
pub fn check(
    argument: impl std::fmt::Display,
    addr: usize,
    memory: &Allocation,
    device: &Device,
    writes: bool,
) -> Result<()> {
    let Some(pool) = Pool::share_of(memory) else { return Ok(()) };
    let access = pool.access.get(device.id);
    if access == Access::ReadWrite || (access == Access::Read && !writes) {
        return Ok(());
    }
    let whose = match memory.kind {
        Kind::Pool(id) => format!("of a pool on device {id}"),
        _ => "of a pool of host memory".to_owned(),
    };
    let verb = if writes { "write" } else { "read" };
    Err(Error::param_invalid(format_args!(
        "{argument} {addr:#x} is memory {whose} that device {} may not {verb}; allow it by \
         portaclMemPoolSetAccess, or use a stream or context of a device that may",
        device.id
    )))
}
