//! Memory of graphs: what captured requests allocate from pools.
//!
//! A captured request allocates from a second pool beside the one that it names: in the same place, with the same
//! access, without a limit. So the attributes of the first pool do not include graphs. The second one keeps the memory
//! of destroyed graphs until it is trimmed, or until another request needs memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::MemPool;
use super::pool::{Inner, Pool};
use super::request::{GRAPH, Order, PoolRequest};
use super::stats::PoolTallies;
use crate::backend::{PoolAttribute, PoolOptions, PoolSharing};
use crate::core::base::error::{Result, invalid_param, param_invalid};
use crate::core::base::{handles, release_failure};
use crate::core::memory::allocation::backing::PoolUse;
use crate::core::memory::allocation::open_device;
use crate::core::memory::request::Resource;
use crate::core::pool::mem_pool::current::DevicePools;
use crate::core::runtime::device::{self, Device};
use crate::core::runtime::{self, thread};

impl MemPool {
    /// The pool beside this one for memory of graphs.
    pub fn for_graphs(&self) -> Result<Arc<Pool>> {
        let mut graphs = self.pool.graphs.lock();
        if let Some(pool) = Pool::find(*graphs) {
            return Ok(pool);
        }
        let session = self.session.clone().map_or_else(runtime::session, Ok)?;
        let home = self.pool.home;
        let options = PoolOptions { place: home.place, sharing: PoolSharing::None, max_size: None };
        let inner = Self::inner(&session, self.device.as_ref(), options)?;
        let ended = PoolTallies::of_place(self.device.as_ref(), &session).of_use(PoolUse::Graphs);
        let access = Arc::clone(&self.pool.access);
        let pool = Pool::create(inner, home, PoolSharing::None, PoolUse::Graphs, access, ended)?;
        pool.set_handle(self.handle);
        let ready = self.pool.prepare_for_graphs(&pool).and_then(|()| match self.pool.is_retired() {
            true => Err(param_invalid!("memPool was destroyed by another thread meanwhile")),
            false => Ok(()),
        });
        if let Err(error) = ready {
            release_failure::note_outcome("a pool for graphs", pool.retire());
            return Err(error);
        }
        *graphs = Some(pool.key);
        Ok(pool)
    }
}

impl Pool {
    /// Gives a new pool the access of this one, and the attributes to keep its memory.
    fn prepare_for_graphs(&self, graphs: &Self) -> Result<()> {
        graphs.set_attribute(PoolAttribute::ReleaseThreshold, u64::MAX)?;
        if let Inner::Core(_) = &graphs.inner {
            return Ok(());
        }
        for id in self.access.devices() {
            if self.home.device() != Some(id) {
                graphs.set_driver_access(id, self.access.get(id))?;
            }
        }
        Ok(())
    }
}

/// Allocates memory for the graph that the stream with this handle is captured into. Returns the address.
pub fn malloc(size: usize, raw: u64, stream: u64) -> Result<usize> {
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    mem_pool.check_gives(size)?;
    let home = mem_pool.pool.home;
    // Not held while hooks run.
    drop(mem_pool);
    let order = Order::Handle(stream);
    let addr = GRAPH.allocate(PoolRequest { for_graph: true, size, pool: raw, order })?;
    if let Some(device) = home.device().and_then(open_device).filter(|device| home.is(device)) {
        DevicePools::of(&device).graphs.note(&device);
    }
    Ok(addr)
}

/// The most bytes that the graphs of a device had. Only captured requests raise it, so they update it.
#[derive(Default)]
pub struct Highest {
    used: AtomicU64,
    reserved: AtomicU64,
}

impl Highest {
    fn note(&self, device: &Device) {
        // A failure of the driver is returned by queries.
        let (Ok(used), Ok(reserved)) = (used(device), reserved(device)) else { return };
        self.used.fetch_max(used, Ordering::Relaxed);
        self.reserved.fetch_max(reserved, Ordering::Relaxed);
    }

    /// Used and reserved.
    pub fn read(&self) -> (u64, u64) {
        (self.used.load(Ordering::Relaxed), self.reserved.load(Ordering::Relaxed))
    }

    /// Resets both to the current values.
    pub fn restart(&self, device: &Device) -> Result<()> {
        restart(&self.used, used(device))?;
        restart(&self.reserved, reserved(device))
    }
}

fn restart(highest: &AtomicU64, current: Result<u64>) -> Result<()> {
    highest.store(current?, Ordering::Relaxed);
    Ok(())
}

/// The pools of this device that serve graphs.
fn pools_of(device: &Device) -> impl Iterator<Item = Arc<Pool>> + use<'_> {
    Pool::all().into_iter().filter(|pool| pool.used_by == PoolUse::Graphs && pool.home.is(device))
}

fn sum(device: &Device, attribute: PoolAttribute) -> Result<u64> {
    pools_of(device).map(|pool| pool.attribute(attribute)).sum()
}

fn used(device: &Device) -> Result<u64> {
    sum(device, PoolAttribute::UsedCurrent)
}

fn reserved(device: &Device) -> Result<u64> {
    sum(device, PoolAttribute::ReservedCurrent)
}

/// A `portaclGraphMemAttr`.
fn attribute(number: i32) -> Result<PoolAttribute> {
    Ok(match number {
        0 => PoolAttribute::UsedCurrent,
        1 => PoolAttribute::UsedHigh,
        2 => PoolAttribute::ReservedCurrent,
        3 => PoolAttribute::ReservedHigh,
        _ => return Err(invalid_param!("attr is {number}; allowed: the values of portaclGraphMemAttr, 0 to 3")),
    })
}

/// portaclDeviceGetGraphMemAttribute.
pub fn get_attribute(id: i32, number: i32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let attribute = attribute(number)?;
    let device = device::in_use(&*runtime::session()?, "deviceId", id)?;
    match attribute {
        PoolAttribute::UsedHigh => Ok(DevicePools::of(&device).graphs.read().0),
        PoolAttribute::ReservedHigh => Ok(DevicePools::of(&device).graphs.read().1),
        current => sum(&device, current),
    }
}

/// portaclDeviceSetGraphMemAttribute.
pub fn set_attribute(id: i32, number: i32, value: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let attribute = attribute(number)?;
    let device = device::in_use(&*runtime::session()?, "deviceId", id)?;
    let highest = &DevicePools::of(&device).graphs;
    let allowed = match attribute {
        PoolAttribute::UsedHigh if value == 0 => return restart(&highest.used, used(&device)),
        PoolAttribute::ReservedHigh if value == 0 => return restart(&highest.reserved, reserved(&device)),
        PoolAttribute::UsedHigh | PoolAttribute::ReservedHigh => {
            "it can be set to 0 only, which starts again from the present value"
        }
        _ => "it can only be read",
    };
    Err(invalid_param!("value is {value} for attribute {number}; {allowed}"))
}

/// portaclDeviceGraphMemTrim.
pub fn trim(id: i32) -> Result<()> {
    let device = device::in_use(&*thread::session_outside_host_functions()?, "deviceId", id)?;
    pools_of(&device).try_for_each(|pool| pool.trim(0))
}
