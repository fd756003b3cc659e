//! The default and the current pool of a device.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::graphs::Highest;
use super::request::malloc_from;
use super::{MemPool, props};
use crate::algo::map::typed_slots;
use crate::backend::{MemoryPlace, PoolOptions};
use crate::base::error::{Result, param_invalid};
use crate::base::handles;
use crate::runtime::device::{self, Device};
use crate::runtime::{self, thread};
use crate::stream::{self};

/// The pools of a device that calls use without naming them.
#[derive(Default)]
pub struct DevicePools {
    /// The handle of the current pool; 0: the default pool, which need not exist yet.
    current: AtomicU64,
    /// The handle of the default pool; 0 until its first use.
    default: AtomicU64,
    /// Locked while the default pool is created.
    creating: Mutex<()>,
    /// The highest values of the device's graphs.
    pub graphs: Highest,
}

typed_slots::state! {
    /// The pools of a device.
    pub DevicePools::of(Device);
}

impl DevicePools {
    /// Returns the current pool.
    #[inline]
    pub(super) fn current(&self, device: &Arc<Device>) -> Result<u64> {
        match self.current.load(Ordering::Acquire) {
            0 => self.default(device),
            current => Ok(current),
        }
    }

    /// Returns the default pool.
    #[inline]
    pub(super) fn default(&self, device: &Arc<Device>) -> Result<u64> {
        let default = self.default.load(Ordering::Acquire);
        if default != 0 { Ok(default) } else { self.create_default(device) }
    }

    #[cold]
    fn create_default(&self, device: &Arc<Device>) -> Result<u64> {
        let _creating = self.creating.lock();
        if self.default.load(Ordering::Relaxed) == 0 {
            let options = PoolOptions::at(MemoryPlace::Device(device.id));
            let created = MemPool::create(runtime::session()?, Some(device), options, true)?;
            self.default.store(created.raw(), Ordering::Release);
        }
        Ok(self.default.load(Ordering::Relaxed))
    }

    /// Makes a pool on the device current.
    pub(super) fn set_current(&self, raw: u64) -> Result<()> {
        self.current.store(raw, Ordering::Release);
        // A concurrent destroy may have checked the current pool before this set it.
        handles::get::<MemPool>("memPool", raw).map(drop).inspect_err(|_| self.forget(raw))
    }

    /// Notes that this pool is destroyed. If it was current, the default pool becomes current.
    pub fn forget(&self, raw: u64) {
        let _ = self.current.compare_exchange(raw, 0, Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// Implements portaclMallocAsync.
#[inline]
pub fn malloc_async(size: usize, raw_stream: u64) -> Result<usize> {
    let stream = stream::resolve(raw_stream)?;
    let current = DevicePools::of(&stream.device).current(&stream.device)?;
    malloc_from(size, current, stream).or_else(|error| {
        // Another thread may have destroyed the stream meanwhile.
        let stream = stream::resolve(raw_stream)?;
        ensure!(handles::get_pinned::<MemPool>("memPool", current, stream.pin()).is_err(), error);
        let default = DevicePools::of(&stream.device).default(&stream.device)?;
        malloc_from(size, default, stream)
    })
}

/// Implements portaclDeviceGetDefaultMemPool.
pub fn default_of(id: i32) -> Result<u64> {
    let device = device::in_use(&*thread::session_outside_host_functions()?, "deviceId", id)?;
    DevicePools::of(&device).default(&device)
}

/// Implements portaclDeviceGetMemPool.
pub fn current_of(id: i32) -> Result<u64> {
    let device = device::in_use(&*thread::session_outside_host_functions()?, "deviceId", id)?;
    DevicePools::of(&device).current(&device)
}

/// Fails for a pool that cannot be current, because no one allocates from it in this process.
pub(super) fn may_be_current(mem_pool: &MemPool, raw: u64) -> Result<()> {
    if mem_pool.pool.is_imported() {
        return Err(param_invalid!(
            "memPool {raw:#x} was imported, and only the exporter allocates from it; create a pool with \
             aclrtMemPoolCreate"
        ));
    }
    Ok(())
}

/// Implements portaclDeviceSetMemPool.
pub fn set_current(id: i32, raw: u64) -> Result<()> {
    let device = device::in_use(&*thread::session_outside_host_functions()?, "deviceId", id)?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    may_be_current(&mem_pool, raw)?;
    if !mem_pool.pool.home.is(&device) || mem_pool.pool.home.is_managed {
        return Err(param_invalid!(
            "memPool {raw:#x} is {}, but deviceId is {id}; pass a pool of device memory on device {id}",
            props::in_words(&mem_pool.pool.options)
        ));
    }
    DevicePools::of(&device).set_current(raw)
}
