//! Uses the driver's pools: memory that is allocated and freed in stream order.
//!
//! This backend uses neither the driver's default pools nor a device's current pool in the driver, because other
//! libraries in the process use those. So what a program sets here changes no other library, the counts contain only
//! its memory, and all of it ends with the device.
//!
//! The driver trims pools inside synchronization calls, so with pools the library synchronizes idle streams as well.
//! The library defers the frees of a loop (`stream/state/deferred.rs`) and reuses the blocks without the driver. Any
//! other use of the stream or the pool submits the deferred frees first, so a program sees no difference. An allocation
//! that finds no memory waits for frees in other streams, unless work before them depends on the program.

mod create;

use std::ffi::{c_int, c_void};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use cudarc::driver::sys::{
    CUdeviceptr, CUmemAccess_flags, CUmemPool_attribute, CUmemPoolHandle_st, CUmemPoolPtrExportData, CUmemoryPool,
    CUpointer_attribute,
};

use create::handle_type;

use super::pool_pages::PoolPages;
use crate::backend::{
    Access, Block, Fault, FaultKind, MemoryPlace, PointerExport, Pool, PoolAttribute, PoolHandle, PoolSharing, Result,
    Stream,
};
use crate::base::api::{Api, Outcome};
use crate::base::error::is_none;
use crate::base::owned::Shared;
use crate::memory::blocks::plain_block;
use crate::memory::pending::{self, Release};
use crate::memory::pinned::in_any_context;
use crate::memory::{device_memory, foreign, ipc};
use crate::runtime::{DeviceState, DriverState, Raw};
use crate::stream::CudaStream;
use crate::stream::state::{StreamState, Turn};

/// A pool of the driver.
struct CudaPool {
    driver: Arc<DriverState>,
    /// The device whose end is the pool's, or `None` for a pool in host memory.
    device: Option<Arc<DeviceState>>,
    raw: Raw<CUmemPoolHandle_st>,
    /// Whether its memory is managed, and so may be on the host as well.
    is_managed: bool,
    /// The kind of the pool's handles in other processes.
    sharing: PoolSharing,
    pages: Arc<PoolPages>,
    /// Says which stream defers frees, if one may.
    turn: Arc<Turn>,
    /// Whether the pool has a maximum size.
    is_limited: bool,
}

/// Returns the driver's number of an attribute. The values of the first three have 32 bits, which are the lower ones of
/// 64.
fn attribute(attribute: PoolAttribute) -> c_int {
    use CUmemPool_attribute::*;
    const { assert!(cfg!(target_endian = "little")) }
    let name = match attribute {
        PoolAttribute::FollowEventDependencies => CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
        PoolAttribute::AllowOpportunistic => CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
        PoolAttribute::AllowInternalDependencies => CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
        PoolAttribute::ReleaseThreshold => CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
        PoolAttribute::ReservedCurrent => CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
        PoolAttribute::ReservedHigh => CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
        PoolAttribute::UsedCurrent => CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
        PoolAttribute::UsedHigh => CU_MEMPOOL_ATTR_USED_MEM_HIGH,
    };
    name as c_int
}

impl CudaPool {
    /// Runs a driver call about the pool.
    fn call<T>(&self, call: impl FnOnce(&Api, CUmemoryPool) -> Outcome<T>) -> Result<T> {
        self.turn.submit_deferred(&self.driver);
        match &self.device {
            Some(device) => device.call(|api| call(api, self.raw.0)),
            None => Ok(call(&self.driver.api, self.raw.0)?),
        }
    }

    /// Tries to allocate once.
    fn take(&self, len: usize, stream: &CudaStream) -> Result<Block> {
        let (addr, is_new) = stream.state().submit_alloc(&self.turn, len, |api| {
            // SAFETY: a pool and a stream that live.
            unsafe { api.mem_alloc_from_pool_async(len, self.raw.0, stream.state().raw.0) }
        })?;
        Ok(if is_new { self.block(addr, len) } else { plain_block(addr, len) })
    }

    /// Returns the block that the driver has just allocated.
    fn block(&self, addr: usize, len: usize) -> Block {
        if self.pages.add(addr, len) {
            self.driver.owned.note(addr, len);
        }
        plain_block(addr, len)
    }

    /// Whether the pool is on the device of this stream.
    #[inline(always)]
    fn is_of(&self, stream: &CudaStream) -> bool {
        self.device.as_ref().is_some_and(|device| Arc::ptr_eq(device, &stream.state().device))
    }

    /// Waits for pending frees, because the device is out of memory, and tries again.
    #[cold]
    fn take_again(&self, len: usize, stream: &CudaStream, fault: Fault) -> Result<Block> {
        ensure!(fault.kind() == FaultKind::OutOfDeviceMemory, fault);
        pending::reap_all(&self.driver);
        for stream in self.driver.streams_that(StreamState::has_frees) {
            // A failure of that stream is reported in the next call about it.
            stream.while_alive(|stream| drop(stream.wait_for_frees()));
        }
        if !self.has_room(len).unwrap_or(true) {
            return Err(self.explain(len, fault));
        }
        let mut taken = self.take(len, stream);
        if self.is_limited && taken.as_ref().is_err_and(|fault| fault.kind() == FaultKind::OutOfDeviceMemory) {
            // The pool may have reached its limit with free ranges that are too small.
            self.driver.note_refusal(self.trim(0));
            taken = self.take(len, stream);
        }
        taken.map_err(|fault| self.explain(len, fault))
    }

    /// Whether the pool and the device together have this many unused bytes. Before a driver refuses more, it takes all
    /// memory, and seconds.
    fn has_room(&self, len: usize) -> Result<bool> {
        let Some(device) = self.device.as_ref().filter(|_| !self.is_managed) else { return Ok(true) };
        let unused = self.get(PoolAttribute::ReservedCurrent)?.saturating_sub(self.get(PoolAttribute::UsedCurrent)?);
        let (free, _) = device_memory::free_and_total(device)?;
        Ok(unused.saturating_add(free as u64) >= len as u64)
    }

    fn explain(&self, len: usize, fault: Fault) -> Fault {
        match &self.device {
            Some(device) if self.is_limited && fault.kind() == FaultKind::OutOfDeviceMemory => {
                device_memory::explain(device, len, fault).with_text(|said| {
                    format!(
                        "{said}; if the pool has reached its maxSize, free memory in the pool, or create a pool with a \
                         larger maxSize"
                    )
                })
            }
            Some(device) => device_memory::explain(device, len, fault),
            None => fault,
        }
    }
}

impl Pool for CudaPool {
    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block> {
        let stream = CudaStream::of(stream)?;
        if let Some(device) = self.device.as_ref().filter(|device| len as u64 > device.info.total_memory) {
            let fault = Fault::out_of_device_memory("the device has less memory");
            return Err(device_memory::explain(device, len, fault));
        }
        // The stream's work may then use memory on the pool's device.
        if !self.is_of(stream) {
            stream.state().note_crossing();
        }
        match self.take(len, stream) {
            Err(fault) => stream.reported(self.take_again(len, stream, fault)),
            taken => taken,
        }
    }

    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()> {
        let stream = CudaStream::of(stream)?;
        // Other processes see a shared pool, so its frees go to the driver at once.
        let may_defer = self.sharing == PoolSharing::None && self.is_of(stream);
        let block = (block.addr, block.len);
        stream.reported(stream.state().submit_free(&self.turn, block, may_defer))
    }

    fn free_now(&self, block: Block) -> Result<()> {
        self.turn.submit_deferred(&self.driver);
        let (device, addr) = (self.device.clone(), block.addr);
        let pooled = Release { may_wait: false, ..Release::new(self.device.as_ref()) };
        pending::release(&self.driver, pooled, move |driver, _| {
            // SAFETY: the block came from a pool of the driver and is freed once, here. The driver does not wait.
            let free = |api: &Api| unsafe { api.mem_free(addr as CUdeviceptr) };
            driver.owned.remove_after(addr, || match &device {
                Some(device) => device.end(free),
                None => {
                    let (context, freed) = in_any_context(driver, |context| Ok(context.call(free)))?;
                    freed.and(driver.release_context(&context))
                }
            })
        })
    }

    fn get(&self, name: PoolAttribute) -> Result<u64> {
        let mut value = 0_u64;
        let place: *mut c_void = (&raw mut value).cast();
        // SAFETY: a pool that lives, and a place that is at least as large as the attribute's value.
        self.call(|api, pool| unsafe { api.mem_pool_get_attribute(pool, attribute(name), place) })?;
        Ok(value)
    }

    fn set(&self, name: PoolAttribute, mut value: u64) -> Result<()> {
        let value: *mut c_void = (&raw mut value).cast();
        // SAFETY: a pool that lives, and a value of which the driver reads as much as the attribute has.
        self.call(|api, pool| unsafe { api.mem_pool_set_attribute(pool, attribute(name), value) })
    }

    fn trim(&self, keep: usize) -> Result<()> {
        // The driver rounds up, and takes the largest numbers for 0.
        let keep = keep.min(isize::MAX as usize);
        // SAFETY: a pool that lives; blocks that are in use stay.
        self.call(|api, pool| unsafe { api.mem_pool_trim_to(pool, keep) })
    }

    fn set_access(&self, ordinal: u32, access: Access) -> Result<()> {
        let access = self.driver.access(ordinal, access);
        // SAFETY: a pool that lives, and one description.
        self.call(|api, pool| unsafe { api.mem_pool_set_access(pool, &access, 1) })
    }

    fn access(&self, ordinal: u32) -> Result<Access> {
        const NONE: c_int = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE as c_int;
        const READ: c_int = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ as c_int;
        let mut location = self.driver.location(MemoryPlace::Device(ordinal));
        // SAFETY: a pool that lives, and a place.
        Ok(match self.call(|api, pool| unsafe { api.mem_pool_get_access(pool, &mut location) })? {
            NONE => Access::None,
            READ => Access::Read,
            _ => Access::ReadWrite,
        })
    }

    fn export(&self) -> Result<PoolHandle<OwnedFd>> {
        let kind = handle_type(self.sharing).0;
        let is_fabric = self.sharing == PoolSharing::Fabric;
        let (mut bytes, mut descriptor): (_, c_int) = ([0; 64], -1);
        let place: *mut c_void = if is_fabric { (&raw mut bytes).cast() } else { (&raw mut descriptor).cast() };
        // SAFETY: a pool that lives, and a place for a handle of that kind.
        self.call(|api, pool| unsafe { api.mem_pool_export(place, pool, kind, 0) })?;
        self.driver.sharing.add(Shared::Pool(self.raw.0.addr()));
        if is_fabric {
            return Ok(PoolHandle::Fabric(bytes));
        }
        // SAFETY: the driver has just made it for us.
        Ok(PoolHandle::Descriptor(unsafe { ipc::made_by_driver(descriptor) }?))
    }

    fn export_block(&self, block: Block) -> Result<PointerExport> {
        // SAFETY: a live block.
        let export = self.call(|api, _| unsafe { api.mem_pool_export_pointer(block.addr as CUdeviceptr) })?;
        Ok(export.reserved)
    }

    fn import_block(&self, export: &PointerExport) -> Result<Block> {
        let mut export = CUmemPoolPtrExportData { reserved: *export };
        let size = CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE;
        // SAFETY: a pool that lives, and what another process exported, which the driver checks.
        let imported = self.call(|api, pool| unsafe { api.mem_pool_import_pointer(pool, &mut export) });
        let not_live = "exportData belongs to no live allocation of this pool; import the pointer from the pool that \
                        exported it, and free it there only after all importing processes have freed it";
        let addr = imported.map_err(|fault| is_none(fault, not_live))? as usize;
        // SAFETY: RANGE_SIZE is a size.
        let len = self.call(|api, _| unsafe { foreign::attribute(api, size, addr) });
        let len = len.inspect_err(|_| self.driver.note_refusal(self.free_now(plain_block(addr, 1))))?;
        Ok(self.block(addr, len))
    }
}

/// Destroys a pool of the driver, unless its device is closed.
fn destroy(driver: &DriverState, device: Option<&DeviceState>, raw: Raw<CUmemPoolHandle_st>) -> Result<()> {
    // SAFETY: a pool that is destroyed once; the driver keeps what is still in use.
    let destroy = |api: &Api| unsafe { api.mem_pool_destroy(raw.0) };
    let Some(device) = device else { return destroy(&driver.api).map_err(Fault::from) };
    let Some(_open) = device.keep_open() else { return Ok(()) };
    if device.pools.lock().remove(&raw.0.addr()) {
        driver.end_in(&device.context, destroy);
    }
    Ok(())
}

impl Drop for CudaPool {
    fn drop(&mut self) {
        self.turn.submit_deferred(&self.driver);
        self.driver.sharing.remove(Shared::Pool(self.raw.0.addr()));
        let (device, raw) = (self.device.clone(), self.raw);
        let destroy = move |driver: &DriverState, _| destroy(driver, device.as_deref(), raw);
        // A driver keeps the memory of a pool that is destroyed before its frees complete, until a later call for a
        // pool. So the pool is destroyed after them. A shared one is destroyed at once, so that no process imports it.
        let destroyed = match self.sharing {
            PoolSharing::None => {
                let pool = Release { may_wait: false, ..Release::new(self.device.as_ref()) };
                pending::release(&self.driver, pool, destroy)
            }
            PoolSharing::Descriptor | PoolSharing::Fabric => destroy(&self.driver, false),
        };
        self.driver.note_refusal(destroyed);
    }
}
