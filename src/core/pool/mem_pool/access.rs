//! The devices that may use a pool's memory: the device that it is on, and those with access.

use std::fmt::Display;

use super::MemPool;
use super::pool::Pool;
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::{handles, host_memory};
use crate::memory::access::{Access, AccessRequest, Location, access_of, check_reaches};
use crate::memory::allocation::{Allocation, Kind};
use crate::runtime::{self, device, thread};

impl Pool {
    /// Changes a device's access to the pool's memory, and to the pool for graphs beside it.
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

/// Implements portaclMemPoolSetAccess: applies a list of `count` requests, all or none.
pub fn set(raw: u64, count: usize, request: impl Fn(usize) -> AccessRequest) -> Result<()> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("count", count, "describe the access of at least one device")?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    let session = runtime::session()?;
    let pool = &mem_pool.pool;
    let mut wanted = host_memory::list(format_args!("descriptions of access (count is {count})"), count)?;
    for index in 0..count {
        let AccessRequest { location: Location { kind, id }, flags } = request(index);
        if kind != Location::DEVICE {
            return Err(invalid_param!(
                "descList[{index}].location.type is {kind}; it must be ACL_MEM_LOCATION_TYPE_DEVICE 1: only the access \
                 of devices can be set"
            ));
        }
        let argument = format!("descList[{index}].location.id");
        device::slot(&session, &argument, id)?;
        let access = access_of(&format!("descList[{index}].flags"), flags)?;
        if pool.home.is_managed {
            ensure!(
                access == Access::ReadWrite,
                invalid_param!(
                    "descList[{index}].flags is {flags}, but memPool has managed memory, to which all devices have access; \
                 pass ACL_RT_MEM_ACCESS_FLAGS_READWRITE 3, or omit the call"
                )
            );
            continue;
        }
        if let Some(own) = pool.home.device() {
            if own == id && access != Access::ReadWrite {
                return Err(invalid_param!(
                    "descList[{index}].flags is {flags}, but device {id} is the device of the pool and keeps full \
                     access; pass ACL_RT_MEM_ACCESS_FLAGS_READWRITE 3, or omit this entry"
                ));
            }
            // Only the driver knows where the memory in an imported pool is.
            if !pool.is_imported() {
                if own == id {
                    continue;
                }
                if access != Access::None {
                    check_reaches(&*session.driver, format_args!("descList[{index}]"), id, own)?;
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

/// Implements portaclMemPoolGetAccess.
pub fn get(raw: u64, Location { kind, id }: Location) -> Result<Access> {
    thread::refuse_inside_host_function()?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    Ok(match kind {
        Location::DEVICE => {
            device::slot(&*runtime::session()?, "location.id", id)?;
            mem_pool.pool.access_of(id)?
        }
        Location::HOST | Location::HOST_NODE
            if mem_pool.pool.home.device().is_some() && !mem_pool.pool.home.is_managed =>
        {
            Access::None
        }
        Location::HOST | Location::HOST_NODE => Access::ReadWrite,
        other => {
            return Err(invalid_param!(
                "location.type is {other}; allowed: ACL_MEM_LOCATION_TYPE_HOST 0, _DEVICE 1 and _HOST_NUMA 4"
            ));
        }
    })
}

/// Fails if `memory` is a pool's without this access for `device`.
#[cold]
pub fn check(argument: &dyn Display, addr: usize, memory: &Allocation, device: u32, writes: bool) -> Result<()> {
    let Some(pool) = Pool::share_of(memory) else { return Ok(()) };
    let access = pool.access.get(device);
    if access == Access::ReadWrite || (access == Access::Read && !writes) {
        return Ok(());
    }
    let whose = if let Kind::Pool(id) = memory.kind {
        format!("in a pool on device {id}")
    } else {
        "in a pool of host memory".to_owned()
    };
    let verb = if writes { "write" } else { "read" };
    Err(param_invalid!(
        "{argument} {addr:#x} is memory {whose}, which device {device} may not {verb}; allow it with \
         portaclMemPoolSetAccess, or use a stream or context of a device with access"
    ))
}
