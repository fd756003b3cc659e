//! The default and the current pools of locations: of host memory, of its NUMA nodes, and of managed memory. Those of a
//! device's own memory are in `current.rs`.
//!
//! Pools of host memory belong to the session. Pools of managed memory belong to a device: the one that they prefer, or
//! the current one of the call.

use std::sync::Arc;

use parking_lot::Mutex;

use super::current::{DevicePools, may_be_current};
use super::{MemPool, props};
use crate::algo::map::typed_slots;
use crate::backend::{MemoryPlace, PoolKind, PoolOptions};
use crate::base::error::{Result, param_invalid};
use crate::base::handles;
use crate::memory::access::Location;
use crate::runtime::Session;
use crate::runtime::device::{self, Device};
use crate::runtime::thread;

/// The pools of one location.
struct Located {
    place: MemoryPlace,
    kind: PoolKind,
    /// The handle of the default pool; 0 until its first use.
    default: u64,
    /// The handle of the current pool; 0: the default pool.
    current: u64,
}

/// The pools of the locations that were used. Locked while a default pool is created.
#[derive(Default)]
pub struct LocatedPools(Mutex<Vec<Located>>);

typed_slots::state! {
    /// The pools of managed memory of a device.
    LocatedPools::of(Device);
    /// The pools of host memory in a session.
    LocatedPools::of_host(Session);
}

impl LocatedPools {
    /// Calls `work` with the pools of a location.
    fn with<T>(&self, place: MemoryPlace, kind: PoolKind, work: impl FnOnce(&mut Located) -> T) -> T {
        let mut all = self.0.lock();
        let found = all.iter().position(|one| one.place == place && one.kind == kind);
        let index = found.unwrap_or_else(|| {
            all.push(Located { place, kind, default: 0, current: 0 });
            all.len() - 1
        });
        work(&mut all[index])
    }

    /// Notes that this pool is destroyed. If it was current, the default pool of its location becomes current.
    fn forget(&self, raw: u64) {
        self.0.lock().iter_mut().filter(|one| one.current == raw).for_each(|one| one.current = 0);
    }
}

/// Notes that a pool is destroyed.
pub(super) fn forget(mem_pool: &MemPool, raw: u64) {
    match (&mem_pool.device, &mem_pool.session) {
        (Some(device), _) => LocatedPools::of(device).forget(raw),
        (None, Some(session)) => LocatedPools::of_host(session).forget(raw),
        (None, None) => {}
    }
}

/// A location as a call names it.
struct Named {
    session: Arc<Session>,
    place: MemoryPlace,
    kind: PoolKind,
    /// The device of the pools there; `None` for host memory.
    device: Option<Arc<Device>>,
}

impl Named {
    fn find(location: Location, alloc_type: i32) -> Result<Self> {
        let session = thread::session_outside_host_functions()?;
        let (place, kind) = props::place(["allocType", "location->"], alloc_type, location, &session)?;
        let device = place.device().map(|id| device::in_use(&session, "location->id", id)).transpose()?;
        Ok(Self { session, place, kind, device })
    }

    /// Calls `work` with the pools of the location.
    fn with<T>(&self, work: impl FnOnce(&mut Located) -> T) -> T {
        let all = self.device.as_deref().map_or_else(|| LocatedPools::of_host(&self.session), LocatedPools::of);
        all.with(self.place, self.kind, work)
    }

    /// Returns the device if the location is its own memory.
    fn plain_device(&self) -> Option<&Arc<Device>> {
        self.device.as_ref().filter(|_| self.kind == PoolKind::Pinned)
    }

    fn default(&self) -> Result<u64> {
        if let Some(device) = self.plain_device() {
            return DevicePools::of(device).default(device);
        }
        self.with(|pools| {
            if pools.default == 0 {
                let options = PoolOptions { kind: self.kind, ..PoolOptions::at(self.place) };
                let created = MemPool::create(Arc::clone(&self.session), self.device.as_ref(), options, true)?;
                pools.default = created.raw();
            }
            Ok(pools.default)
        })
    }
}

/// Implements portaclMemGetDefaultMemPool. `alloc_type`: an `aclrtMemAllocationType`.
pub fn default_of(location: Location, alloc_type: i32) -> Result<u64> {
    Named::find(location, alloc_type)?.default()
}

/// Implements portaclMemGetMemPool.
pub fn current_of(location: Location, alloc_type: i32) -> Result<u64> {
    let named = Named::find(location, alloc_type)?;
    if let Some(device) = named.plain_device() {
        return DevicePools::of(device).current(device);
    }
    match named.with(|pools| pools.current) {
        0 => named.default(),
        current => Ok(current),
    }
}

/// Implements portaclMemSetMemPool.
pub fn set_current(location: Location, alloc_type: i32, raw: u64) -> Result<()> {
    handles::check_not_null::<MemPool>("memPool", raw)?;
    let named = Named::find(location, alloc_type)?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    may_be_current(&mem_pool, raw)?;
    let own = &mem_pool.pool.options;
    if (own.place, own.kind) != (named.place, named.kind) {
        let wanted = PoolOptions { kind: named.kind, ..PoolOptions::at(named.place) };
        return Err(param_invalid!(
            "memPool {raw:#x} is {}, but the pools of this location and allocType are {}; pass the location and the \
             allocType that portaclMemPoolGetProperty returns for memPool. If they differ in the \
             current device, call aclrtSetDevice for the device of memPool first",
            props::in_words(own),
            props::in_words(&wanted)
        ));
    }
    if let Some(device) = named.plain_device() {
        return DevicePools::of(device).set_current(raw);
    }
    named.with(|pools| pools.current = raw);
    // A concurrent destroy may have checked the current pool before this set it.
    handles::get::<MemPool>("memPool", raw).map(drop).inspect_err(|_| forget(&mem_pool, raw))
}
