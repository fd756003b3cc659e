//! Queries the properties of a CUDA device.

use std::ffi::{CStr, c_char, c_int};

use cudarc::driver::sys::{CUdevice, CUdevice_attribute, CUmemAllocationHandleType};

use crate::backend::{DeviceInfo, PciAddress, PoolSupport, Result, ThreadLimits};
use crate::base::api::{Api, Outcome};
use crate::base::error::Failure;

/// Returns the properties that need no context.
pub(crate) fn describe(api: &Api, device: CUdevice) -> Result<DeviceInfo> {
    use CUdevice_attribute::*;
    let number = |attribute: CUdevice_attribute| -> Result<u32> {
        // SAFETY: the driver's device exists.
        Ok(unsafe { api.device_get_attribute(attribute as c_int, device) }?.max(0) as u32)
    };
    // SAFETY: `device` is a number that the driver gave; it writes only what this returns.
    let total_memory = unsafe { api.device_total_mem(device) }? as u64;
    let threads = ThreadLimits {
        warp: number(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        per_core: number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        shared_memory_per_core: u64::from(number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?),
        per_block: number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        grid: [
            number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        block: [
            number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
    };
    Ok(DeviceInfo {
        name: text(|room, len| {
            // SAFETY: the driver writes at most `len` bytes of the name into `room`.
            unsafe { api.device_get_name(room, len, device) }
        })?,
        total_memory,
        cores: number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(1),
        host_cores: 0,
        l2_cache: u64::from(number(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        threads: Some(threads),
        uuid: uuid(api, device)?,
        pci: pci(api, device)?,
        // Large blocks are on 2 MiB pages, so 32 more bytes may need another page.
        shares_memory: false,
        readable_tail: false,
        notes_parts: false,
        pools: pools(api, device)?,
    })
}

/// Returns an attribute of a device, or 0 if its driver does not have the attribute.
pub(crate) fn attribute(api: &Api, device: CUdevice, attribute: CUdevice_attribute) -> Result<u32> {
    // SAFETY: a device of the driver, which fails if it does not know the attribute.
    match unsafe { api.device_get_attribute(attribute as c_int, device) } {
        Ok(value) => Ok(value.max(0) as u32),
        Err(failure) if failure.is_unsupported() => Ok(0),
        Err(failure) => Err(failure.into()),
    }
}

/// Returns which pools the device supports. What a driver does not know, it does not support.
fn pools(api: &Api, device: CUdevice) -> Result<PoolSupport> {
    use CUdevice_attribute::*;
    let number = |attribute: CUdevice_attribute| self::attribute(api, device, attribute);
    let device = number(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0;
    let handles = number(CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES)?;
    let has = |kind: CUmemAllocationHandleType| handles & kind.0 != 0;
    Ok(PoolSupport {
        device,
        descriptor: has(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
        fabric: has(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC),
        host: number(CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED)? != 0,
        host_node: number(CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED)? != 0,
        managed: device
            && api.version() >= 13000
            && every_device_has(api, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?,
        decompression: device && number(CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK)? != 0,
        rdma: number(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED)? != 0,
        rdma_flush: number(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS)?,
        rdma_ordering: number(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING)?,
    })
}

/// Whether an attribute of each device is not 0.
pub(crate) fn every_device_has(api: &Api, attribute: CUdevice_attribute) -> Result<bool> {
    // SAFETY: the driver was initialised.
    let mut all = 0..unsafe { api.device_get_count() }?;
    all.try_fold(true, |so_far, ordinal| {
        // SAFETY: an ordinal below the number of devices.
        let device = unsafe { api.device_get(ordinal) }?;
        Ok(so_far && self::attribute(api, device, attribute)? != 0)
    })
}

/// Returns a text that the driver writes.
fn text(write: impl FnOnce(*mut c_char, c_int) -> Outcome) -> std::result::Result<String, Failure> {
    let mut room = [0 as c_char; 256];
    // The driver gets one byte less: the last one is a zero whatever the driver writes.
    write(room.as_mut_ptr(), room.len() as c_int - 1)?;
    // SAFETY: it ends with a zero.
    Ok(unsafe { CStr::from_ptr(room.as_ptr()) }.to_string_lossy().into_owned())
}

pub(crate) fn uuid(api: &Api, device: CUdevice) -> Result<Option<[u8; 16]>> {
    // SAFETY: a device of the driver.
    match unsafe { api.device_get_uuid(device) } {
        Ok(uuid) => Ok(Some(uuid.bytes.map(|byte| byte as u8))),
        Err(Failure::Missing { .. }) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

pub(crate) fn pci(api: &Api, device: CUdevice) -> Result<Option<PciAddress>> {
    // SAFETY: the driver writes at most `len` bytes of the bus address into `room`.
    match text(|room, len| unsafe { api.device_get_pci_bus_id(room, len, device) }) {
        Ok(address) => Ok(PciAddress::parse(&address)),
        Err(Failure::Missing { .. }) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}
