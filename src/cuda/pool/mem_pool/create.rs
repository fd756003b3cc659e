//! Creates and imports pools.

use std::ffi::c_void;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;

use cudarc::driver::sys::{
    CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS, CUdevice_attribute, CUmemAllocationHandleType, CUmemAllocationType,
    CUmemLocation, CUmemLocationType, CUmemPoolProps, CUmemoryPool,
};

use super::CudaPool;
use crate::backend::{
    Fault, FaultKind, MemoryPlace, Pool, PoolHandle, PoolKind, PoolOptions, PoolSharing, Pools, Result,
};
use crate::base::api::{Api, Outcome};
use crate::base::error::is_none;
use crate::base::owned::Shared;
use crate::memory::blocks::{HUGE_PAGE, NORMAL_PAGE};
use crate::memory::managed_memory;
use crate::pool::pool_pages::PoolPages;
use crate::runtime::info::every_device_has;
use crate::runtime::{CudaDriver, DeviceState, DriverState, Raw};

/// The location of managed memory that prefers none.
const NOWHERE: CUmemLocation = CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_INVALID, id: 0 };

/// Returns the number that stands for a kind of handle in the driver's functions.
pub(super) fn handle_type(sharing: PoolSharing) -> CUmemAllocationHandleType {
    match sharing {
        PoolSharing::None => CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        PoolSharing::Descriptor => CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        PoolSharing::Fabric => CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC,
    }
}

impl DriverState {
    /// Rejects what the device does not support, as it reports.
    fn check_pool(&self, ordinal: u32, sharing: PoolSharing) -> Result<()> {
        use CUdevice_attribute::*;
        if self.device_attribute(ordinal, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
            return Err(Fault::unsupported(format!(
                "CUDA device {ordinal} has no memory pools: use aclrtMalloc and aclrtFree, and to share memory \
                 aclrtIpcMemGetExportKey"
            )));
        }
        let wanted = handle_type(sharing).0;
        let has = self.device_attribute(ordinal, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES)?;
        if has & wanted == wanted {
            return Ok(());
        }
        let (what, instead) = match sharing {
            PoolSharing::Fabric => ("fabric handles", "share the pool by a file descriptor"),
            PoolSharing::None | PoolSharing::Descriptor => {
                ("file descriptors", "share memory from aclrtMalloc with aclrtIpcMemGetExportKey, or copy the data")
            }
        };
        Err(Fault::unsupported(format!("CUDA device {ordinal} cannot share memory pools by {what}: {instead}")))
    }
}

/// Rejects what no driver of this version, or none of these devices, supports.
fn check_kind(driver: &DriverState, options: &PoolOptions) -> Result<()> {
    use CUdevice_attribute::*;
    if options.kind != PoolKind::Pinned {
        let is_new = driver.api.version() >= 13000;
        ensure!(
            is_new && every_device_has(&driver.api, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?,
            Fault::unsupported(
                "the driver creates no memory pools of managed memory: CUDA 13 and later do, if the host and every \
                 device can use managed memory at the same time; use aclrtMemAllocManaged, or a newer driver"
            )
        );
    }
    if let (true, MemoryPlace::Device(ordinal)) = (options.decompression, options.place) {
        ensure!(
            driver.device_attribute(ordinal, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK)? != 0,
            Fault::unsupported(format!(
                "CUDA device {ordinal} has no engine for decompression (see portaclDeviceGetMemPoolSupport); pass \
                 usage 0"
            ))
        );
    }
    Ok(())
}

impl CudaDriver {
    /// Adds the pool that `make` creates. It is destroyed with the device if not before.
    fn add_pool(
        &self,
        device: Option<Arc<DeviceState>>,
        is_managed: bool,
        sharing: PoolSharing,
        is_limited: bool,
        make: impl FnOnce(&Api) -> Outcome<CUmemoryPool>,
    ) -> Result<Box<dyn Pool>> {
        let raw = match &device {
            Some(device) => {
                let raw = device.call(make)?;
                device.pools.lock().insert(raw.addr());
                raw
            }
            None => make(&self.0.api).map_err(|failure| failure.fault(FaultKind::OutOfResources))?,
        };
        let page = if device.is_some() && !is_managed { HUGE_PAGE } else { NORMAL_PAGE };
        let pages = Arc::new(PoolPages::new(page));
        self.0.known_pools.add(&pages);
        Ok(Box::new(CudaPool {
            driver: Arc::clone(&self.0),
            device,
            raw: Raw(raw),
            is_managed,
            sharing,
            pages,
            turn: Arc::default(),
            is_limited,
        }))
    }
}

impl Pools for CudaDriver {
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>> {
        let driver = &self.0;
        let device = match options.place {
            MemoryPlace::Device(ordinal) => {
                driver.check_pool(ordinal, options.sharing)?;
                check_kind(driver, &options)?;
                Some(driver.open_device(ordinal)?)
            }
            MemoryPlace::Host(_) => None,
        };
        let is_managed = options.kind != PoolKind::Pinned;
        let (alloc_type, location) = match options.kind {
            PoolKind::Pinned => (CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED, driver.location(options.place)),
            PoolKind::Managed(home) => (
                CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED,
                // The driver's number for no preferred location is the one for no location.
                home.map_or(NOWHERE, |home| managed_memory::location(driver, home)),
            ),
        };
        let properties = CUmemPoolProps {
            allocType: alloc_type,
            handleTypes: handle_type(options.sharing),
            location,
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: options.max_size.unwrap_or(0) as usize,
            usage: if options.decompression { CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS as u16 } else { 0 },
            reserved: [0; 54],
        };
        // SAFETY: the driver reads complete properties.
        let create = |api: &Api| unsafe { api.mem_pool_create(&properties) };
        self.add_pool(device, is_managed, options.sharing, options.max_size.is_some(), create)
            .map_err(|fault| explain_place(&options, fault))
    }

    fn have_had(&self, addr: usize) -> bool {
        self.0.known_pools.contains(addr)
    }

    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>> {
        let driver = &self.0;
        // The driver takes a descriptor in place of an address, and reads other handles.
        let (sharing, handle): (_, *mut c_void) = match &handle {
            PoolHandle::Descriptor(descriptor) => {
                (PoolSharing::Descriptor, std::ptr::without_provenance_mut(descriptor.as_raw_fd() as usize))
            }
            PoolHandle::Fabric(bytes) => (PoolSharing::Fabric, bytes.as_ptr().cast_mut().cast()),
        };
        driver.check_pool(ordinal, sharing)?;
        let device = driver.open_device(ordinal)?;
        self.add_pool(Some(device), false, sharing, false, |api| {
            // SAFETY: a handle of that type, which the driver may find wrong.
            let imported = unsafe { api.mem_pool_import(handle, handle_type(sharing).0, 0) };
            imported.inspect(|raw| driver.sharing.add(Shared::Pool(raw.addr())))
        })
        .map_err(|fault| {
            let text = "the handle belongs to no memory pool that can be imported; pass a handle from \
                        portaclMemPoolExportToShareableHandle";
            is_none(fault, text)
        })
    }
}

/// Explains why the driver refused a host pool. Missing nodes were rejected earlier.
fn explain_place(options: &PoolOptions, fault: Fault) -> Fault {
    if !matches!(fault.kind(), FaultKind::Driver | FaultKind::Unsupported) {
        return fault;
    }
    let text = match (options.place, options.sharing) {
        (MemoryPlace::Device(_), _) => return fault,
        (MemoryPlace::Host(None), _) => {
            "the driver refuses a memory pool in host memory; use a newer driver, or aclrtMallocHost".into()
        }
        (MemoryPlace::Host(Some(node)), PoolSharing::None) => format!(
            "the driver refuses a memory pool on NUMA node {node}; use a newer driver, ACL_MEM_LOCATION_TYPE_HOST, or \
             aclrtMallocHost"
        ),
        (MemoryPlace::Host(Some(node)), _) => format!(
            "the driver refuses a memory pool on NUMA node {node} that can be shared; use a newer driver, pass \
             ACL_MEM_HANDLE_TYPE_NONE, or share device memory"
        ),
    };
    fault.with_kind(FaultKind::Unsupported).with_text(|said| format!("{text} ({said})"))
}
