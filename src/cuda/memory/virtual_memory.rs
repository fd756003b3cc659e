//! Virtual memory: the driver's addresses, physical memory and mappings. A mapping that pending work uses is unmapped
//! after that work.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUmemGenericAllocationHandle};
use parking_lot::Mutex;

use super::ipc;
use super::pending::{self, Release, overlap};
use crate::algo::map::typed_slots::Key;
use crate::backend::base::broker::Parcel;
use crate::backend::{Access, Fault, FaultKind, GRANULARITY, ImportedMemory, PhysicalMemory, Result, VirtualMemory};
use crate::base::api::Api;
use crate::base::owned::Shared;
use crate::memory::device_memory::{self, with_reaping};
use crate::memory::pinned::in_any_context;
use crate::runtime::{CudaDriver, DeviceState, DriverState};

/// Physical device memory. It is released when it is dropped, but the driver keeps what is mapped.
struct Physical {
    device: Arc<DeviceState>,
    handle: CUmemGenericAllocationHandle,
    len: usize,
    /// True if it was allocated here, and not imported from another process.
    is_imported: bool,
}

impl Drop for Physical {
    fn drop(&mut self) {
        let driver = &self.device.driver;
        driver.sharing.remove(Shared::Physical(self.handle));
        // SAFETY: created by `cuMemCreate`, and released once.
        let released = unsafe { driver.api.mem_release(self.handle) };
        // This also works on a failed device: physical memory belongs to no context, and stays when one fails.
        let refused = |failure| Fault::from(failure).with_kind(FaultKind::Driver);
        driver.note_refusal(released.map_err(refused));
        if !self.is_imported {
            self.device.device_bytes.sub(self.len);
        }
    }
}

/// Ends a mapping in a range that stays. This also works on a device that has failed: addresses belong to no context.
fn unmap(driver: &DriverState, mapping: &Range<usize>) -> Result<()> {
    // SAFETY: mapped there, once, and no enqueued work uses it.
    Ok(unsafe { driver.api.mem_unmap(mapping.start as CUdeviceptr, mapping.len()) }?)
}

/// The mappings that the driver refused to unmap when no call could return that, with their memory.
type Stuck = Vec<(Range<usize>, Arc<Physical>)>;

static STUCK: Key<Mutex<Stuck>> = Key::new();

/// Waits until no mapping in a range is pending, and unmaps those that the driver refused to unmap.
fn end_mappings(driver: &DriverState, from: usize, len: usize) -> Result<()> {
    pending::wait_for_mappings(driver, from, len);
    let mut all = STUCK.of(&driver.features).lock();
    while let Some(index) = all.iter().position(|(mapping, _)| overlap(mapping, &(from..from + len))) {
        unmap(driver, &all[index].0)?;
        all.swap_remove(index);
    }
    Ok(())
}

struct CudaPhysicalMemory(Arc<Physical>);

impl PhysicalMemory for CudaPhysicalMemory {
    fn page_size(&self) -> usize {
        GRANULARITY
    }

    /// Exports the memory. The driver keeps it for the processes that have it.
    fn export(&self) -> Result<Parcel> {
        let Physical { device, handle, len, .. } = &*self.0;
        if !device.can_share_descriptors()? {
            return Err(Fault::unsupported(format!(
                "CUDA device {} cannot share physical memory by file descriptors; share memory from aclrtMalloc with \
                 aclrtIpcMemGetExportKey",
                device.context.ordinal
            )));
        }
        ipc::export_physical(device, *handle, *len)
    }
}

fn own(memory: &dyn PhysicalMemory) -> &Arc<Physical> {
    let memory: &dyn Any = memory;
    let own = memory.downcast_ref::<CudaPhysicalMemory>();
    &own.expect("memory of this driver").0
}

/// Allocates device memory without an address.
pub(crate) fn alloc(device: &Arc<DeviceState>, len: usize) -> Result<Arc<dyn PhysicalMemory>> {
    let properties = device_memory::properties(device)?;
    let handle = with_reaping(&device.driver, || {
        // SAFETY: the properties describe memory on this device.
        device.call(|api| unsafe { api.mem_create(len, &properties, 0) })
    })
    .map_err(|fault| device_memory::explain(device, len, fault))?;
    device.device_bytes.add(len);
    let device = Arc::clone(device);
    Ok(Arc::new(CudaPhysicalMemory(Arc::new(Physical { device, handle, len, is_imported: false }))))
}

impl VirtualMemory for CudaDriver {
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize> {
        let (context, addr) = in_any_context(&self.0, |context| {
            // SAFETY: `wish` is only a hint.
            let reserve = |api: &Api| unsafe { api.mem_address_reserve(len, align, wish as CUdeviceptr, 0) };
            context.call_for(FaultKind::OutOfHostMemory, reserve)
        })?;
        self.0.note_refusal(self.0.release_context(&context));
        let addr = addr as usize;
        if wish != 0 && addr != wish {
            // SAFETY: just reserved, and not used by any other thread.
            let _ = unsafe { self.0.api.mem_address_free(addr as CUdeviceptr, len) };
            return Err(Fault::out_of_host_memory(format!(
                "the driver does not reserve the addresses from {wish:#x} on; pass another expectPtr, or null"
            )));
        }
        self.0.owned.add(addr, len);
        Ok(addr)
    }

    fn release(&self, addr: usize, len: usize) -> Result<()> {
        end_mappings(&self.0, addr, len)?;
        self.0.owned.remove_after(addr, || {
            // SAFETY: reserved with this length, and nothing is mapped there.
            Ok(unsafe { self.0.api.mem_address_free(addr as CUdeviceptr, len) }?)
        })
    }

    fn alloc_host(&self, _len: usize, _node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>> {
        Err(Fault::unsupported(
            "physical host memory is not available on the cuda backend; allocate with aclrtMallocHost, or allocate \
             device memory",
        ))
    }

    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory> {
        let device = self.0.open_device(ordinal)?;
        let (handle, len) = ipc::import_physical(&device, &parcel)?;
        let physical = Physical { device, handle, len, is_imported: true };
        let memory = Arc::new(CudaPhysicalMemory(Arc::new(physical)));
        Ok(ImportedMemory { memory, len, on_device: true })
    }

    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        end_mappings(&self.0, addr, len)?;
        let memory = own(memory);
        // SAFETY: a part of a reserved range without a mapping, as long as the memory.
        memory.device.call(|api| unsafe { api.mem_map(addr as CUdeviceptr, len, 0, memory.handle, 0) })
    }

    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        let memory = Arc::clone(own(memory));
        let mapping = addr..addr + len;
        let release = Release { may_wait: false, mapping: mapping.clone(), ..Release::new(Some(&memory.device)) };
        pending::release(&self.0, release, move |driver, is_late| {
            let unmapped = unmap(driver, &mapping);
            if is_late && unmapped.is_err() {
                // The memory stays with the mapping.
                STUCK.of(&driver.features).lock().push((mapping, memory));
            }
            unmapped
        })
    }

    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory,
        ordinal: Option<u32>,
        access: Access,
    ) -> Result<()> {
        let unreachable = "the host cannot access GPU memory at mapped addresses; copy it with aclrtMemcpy";
        let access = self.0.access(ordinal.ok_or_else(|| Fault::unsupported(unreachable))?, access);
        // SAFETY: a live mapping, and one description.
        own(memory).device.call(|api| unsafe { api.mem_set_access(addr as CUdeviceptr, len, &access, 1) })
    }
}
