//! Graph memory: captured requests allocate it from pools.
//!
//! A captured request allocates from a second pool beside the one that it names: in the same place, with the same
//! access, without a limit. So the attributes of the first pool do not include graphs. The second one keeps the memory
//! of destroyed graphs until it is trimmed, or until another request needs memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::MemPool;
use super::pool::Pool;
use super::request::{GRAPH, Order, PoolRequest};
use super::stats::PoolTallies;
use crate::backend::{PoolAttribute, PoolOptions, PoolSharing};
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::{handles, release_failure};
use crate::memory::allocation::backing::PoolUse;
use crate::memory::allocation::open_device;
use crate::memory::request::Resource;
use crate::pool::mem_pool::current::DevicePools;
use crate::runtime::device::{self, Device};
use crate::runtime::{self, thread};

impl MemPool {
    /// Returns the pool beside this one for graph memory.
    pub(crate) fn for_graphs(&self) -> Result<Arc<Pool>> {
        let mut graphs = self.pool.graphs.lock();
        if let Some(pool) = Pool::find(*graphs) {
            return Ok(pool);
        }
        let session = self.session.clone().map_or_else(runtime::session, Ok)?;
        let home = self.pool.home;
        let options = PoolOptions { sharing: PoolSharing::None, max_size: None, ..self.pool.options };
        let inner = Self::inner(&session, self.device.as_ref(), options)?;
        let ended = PoolTallies::of_place(self.device.as_ref(), &session).of_use(PoolUse::Graphs);
        let access = Arc::clone(&self.pool.access);
        let pool = Pool::create(inner, home, options, PoolUse::Graphs, access, ended)?;
        pool.set_handle(self.handle);
        let ready = self.pool.prepare_for_graphs(&pool).and_then(|()| match self.pool.is_retired() {
            true => Err(param_invalid!(
                "another thread has destroyed memPool {:#x} during this call; destroy it after the call",
                self.handle.raw()
            )),
            false => Ok(()),
        });
        if let Err(error) = ready {
            release_failure::note_outcome("a pool for graphs was not released", pool.retire());
            return Err(error);
        }
        *graphs = Some(pool.key);
        Ok(pool)
    }
}

impl Pool {
    /// Gives a new pool the access of this one, and attributes with which it keeps its memory.
    fn prepare_for_graphs(&self, graphs: &Self) -> Result<()> {
        graphs.set_attribute(PoolAttribute::ReleaseThreshold, u64::MAX)?;
        for id in self.access.devices() {
            if self.home.device() != Some(id) && !self.home.is_managed {
                graphs.set_driver_access(id, self.access.get(id))?;
            }
        }
        Ok(())
    }
}

/// Allocates memory for the graph that the stream with this handle is captured into. Returns the address.
pub fn malloc(size: usize, raw: u64, stream: u64) -> Result<usize> {
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    mem_pool.pool.check_request(size)?;
    let home = mem_pool.pool.home;
    // The pool is not held while hooks run.
    drop(mem_pool);
    let order = Order::Handle(stream);
    let addr = GRAPH.allocate(PoolRequest { for_graph: true, size, pool: raw, order })?;
    if let Some(device) = home.device().and_then(open_device).filter(|device| home.is(device)) {
        DevicePools::of(&device).graphs.note(&device);
    }
    Ok(addr)
}

/// The highest numbers of bytes that the graphs of a device had, for each of `CURRENT`. Only captured requests raise
/// them, so these update them.
#[derive(Default)]
pub struct Highest([AtomicU64; 2]);

/// The attributes for used and reserved bytes.
const CURRENT: [PoolAttribute; 2] = [PoolAttribute::UsedCurrent, PoolAttribute::ReservedCurrent];

impl Highest {
    fn note(&self, device: &Device) {
        for (highest, current) in self.0.iter().zip(CURRENT) {
            // Queries return a failure of the driver.
            highest.fetch_max(sum(device, current).unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// Returns the highest used and reserved bytes.
    pub fn read(&self) -> (u64, u64) {
        (self.0[0].load(Ordering::Relaxed), self.0[1].load(Ordering::Relaxed))
    }

    /// Resets both to their current values.
    pub fn restart(&self, device: &Device) -> Result<()> {
        (0..CURRENT.len()).try_for_each(|index| self.restart_one(index, device))
    }

    fn restart_one(&self, index: usize, device: &Device) -> Result<()> {
        self.0[index].store(sum(device, CURRENT[index])?, Ordering::Relaxed);
        Ok(())
    }
}

/// Returns the pools of this device that serve graphs.
fn pools_of(device: &Device) -> impl Iterator<Item = Arc<Pool>> + use<'_> {
    Pool::all().into_iter().filter(|pool| pool.used_by == PoolUse::Graphs && pool.home.is(device))
}

fn sum(device: &Device, attribute: PoolAttribute) -> Result<u64> {
    pools_of(device).map(|pool| pool.attribute(attribute)).sum()
}

/// Returns the index in [`CURRENT`] of a `portaclGraphMemAttr`, and whether it is the highest value.
fn attribute(number: i32) -> Result<(usize, bool)> {
    let number = arguments::enumerated("attr", number, 0..=3, "portaclGraphMemAttr")?;
    Ok((number / 2, number % 2 == 1))
}

/// Implements portaclDeviceGetGraphMemAttribute.
pub fn get_attribute(id: i32, number: i32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let (index, is_highest) = attribute(number)?;
    let device = device::in_use(&*runtime::session()?, "deviceId", id)?;
    match is_highest {
        true => Ok(DevicePools::of(&device).graphs.0[index].load(Ordering::Relaxed)),
        false => sum(&device, CURRENT[index]),
    }
}

/// Implements portaclDeviceSetGraphMemAttribute.
pub fn set_attribute(id: i32, number: i32, value: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let (index, is_highest) = attribute(number)?;
    let device = device::in_use(&*runtime::session()?, "deviceId", id)?;
    let allowed = match (is_highest, value) {
        (true, 0) => return DevicePools::of(&device).graphs.restart_one(index, &device),
        (true, _) => "allowed: 0, which resets the highest value to the current value",
        (false, _) => "this attribute can only be read",
    };
    Err(invalid_param!("value is {value} for attribute {number}; {allowed}"))
}

/// Implements portaclDeviceGraphMemTrim.
pub fn trim(id: i32) -> Result<()> {
    let device = device::in_use(&*thread::session_outside_host_functions()?, "deviceId", id)?;
    pools_of(&device).try_for_each(|pool| pool.trim(0))
}
