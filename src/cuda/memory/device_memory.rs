//! Allocates and frees device memory and managed memory.
//!
//! Ordinary device memory comes from `cuMemAlloc`. The driver puts large blocks on 2 MiB pages but promises nothing, so
//! [`blocks::page_size`] returns 4 KiB. If 2 MiB pages are required, `mapped_memory.rs` maps them.

use std::ffi::c_uint;
use std::sync::Arc;

use cudarc::driver::sys::{
    CUdeviceptr, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationProp_st__bindgen_ty_1,
    CUmemAllocationType, CUmemAttach_flags,
};

use super::blocks::{self, NORMAL_PAGE, Padding, aligned};
use super::ipc;
use super::mapped_memory;
use super::peer;
use super::pending::{self, Release};
use crate::algo::count::Count;
use crate::algo::sync::level::Level;
use crate::backend::{Block, Fault, FaultKind, MemoryPlace, PagePolicy, Result};
use crate::base::api::{Api, Outcome};
use crate::base::owned::Shared;
use crate::runtime::{DeviceState, DriverState};

/// Returns the counter for the bytes of a block.
pub(crate) fn counter(device: &DeviceState, block: Block) -> &Level {
    if blocks::is_managed(block) { &device.managed_bytes } else { &device.device_bytes }
}

/// Frees memory at `base`. `block` is what a program had of it; its bytes are subtracted from the counter.
fn free_range(device: &Arc<DeviceState>, base: usize, block: Option<Block>) -> Result<()> {
    let owner = Arc::clone(device);
    // The driver frees mapped memory without a wait.
    let mapped = block.filter(|block| blocks::page_size(*block) > NORMAL_PAGE);
    let bytes = block.filter(|_| mapped.is_none()).map_or(0, |block| block.len);
    let range = Release { bytes, may_wait: mapped.is_none(), ..Release::new(Some(device)) };
    pending::release(&device.driver, range, move |driver, _| {
        driver.sharing.remove(Shared::Block(base));
        if mapped.is_some() {
            peer::unmapped(&owner, base);
        }
        driver.owned.remove_after(base, || {
            match mapped {
                Some(block) => mapped_memory::free(&owner, base, block.len)?,
                // SAFETY: from `cuMemAlloc` or `cuMemAllocManaged` of this device, and freed once.
                None => owner.end(|api| unsafe { api.mem_free(base as CUdeviceptr) })?,
            }
            // If the driver refuses, the block stays counted: the driver saves no process with managed memory.
            block.inspect(|&block| counter(&owner, block).sub(block.len));
            Ok(())
        })
    })
}

/// Frees a block of device memory.
pub(crate) fn free_device(device: &Arc<DeviceState>, block: Block) -> Result<()> {
    let base = blocks::base(block);
    if blocks::is_imported(block) { ipc::free(device, block) } else { free_range(device, base, Some(block)) }
}

/// Tries once. If the device is out of memory, frees the memory of completed work and tries again.
pub(crate) fn with_reaping<T>(
    driver: &DriverState,
    mut attempt: impl FnMut() -> std::result::Result<T, Fault>,
) -> Result<T> {
    pending::reap_sometimes(driver);
    match attempt() {
        Err(fault)
            if fault.kind() == FaultKind::OutOfDeviceMemory
                && (driver.flush_deferred() | (pending::count(driver) > 0)) =>
        {
            pending::reap_all(driver);
            attempt()
        }
        first => first,
    }
}

/// Allocates device memory.
pub(crate) fn alloc_device(device: &Arc<DeviceState>, len: usize, policy: PagePolicy) -> Result<Block> {
    let block = with_reaping(&device.driver, || match policy {
        PagePolicy::HugeFirst | PagePolicy::NormalOnly => {
            // SAFETY: any size is allowed.
            aligned_on(device, &device.padding, len, |len| alloc(device, len, |api| unsafe { api.mem_alloc(len) }))
        }
        PagePolicy::HugeOnly => mapped_memory::alloc(device, len),
        PagePolicy::Huge1GOnly => Err(Fault::unsupported(
            "the CUDA driver has no pages of 1 GiB for device memory; pass ACL_MEM_MALLOC_HUGE_ONLY (2 MiB pages)",
        )),
    });
    block.inspect(|&block| counter(device, block).add(block.len)).map_err(|fault| explain(device, len, fault))
}

/// Allocates memory at one address for the host and all devices.
pub(crate) fn alloc_managed(device: &Arc<DeviceState>, len: usize) -> Result<Block> {
    let block = with_reaping(&device.driver, || {
        // A driver accepts more, and moves pages to the host. Here managed memory counts as memory on the device.
        if len as u64 > device.info.total_memory {
            return Err(Fault::out_of_device_memory(format!(
                "one allocation of managed memory has at most {} bytes, the size of the device's memory",
                device.info.total_memory
            )));
        }
        aligned_on(device, &device.managed_padding, len, |len| {
            let flags = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as c_uint;
            // SAFETY: new managed memory, attached to all streams.
            alloc(device, len, |api| unsafe { api.mem_alloc_managed(len, flags) })
        })
    });
    block
        .map(blocks::managed_block)
        .inspect(|&block| counter(device, block).add(block.len))
        .map_err(|fault| explain(device, len, fault))
}

/// Allocates as [`aligned`]. Frees a range with too little alignment.
fn aligned_on(
    device: &Arc<DeviceState>,
    padding: &Padding,
    len: usize,
    allocate: impl FnMut(usize) -> Result<usize>,
) -> Result<Block> {
    aligned(padding, len, allocate, |base| {
        device.driver.note_refusal(free_range(device, base, None));
    })
}

fn alloc(device: &DeviceState, len: usize, allocate: impl FnOnce(&Api) -> Outcome<CUdeviceptr>) -> Result<usize> {
    let addr = device.call(allocate)? as usize;
    device.driver.owned.add(addr, len);
    Ok(addr)
}

/// Returns the free and the total bytes of the device, of one query: what other threads or libraries allocate between
/// two would make the sum wrong.
pub(crate) fn free_and_total(device: &DeviceState) -> Result<(usize, usize)> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the driver writes two sizes into `free` and `total`.
    device.call(|api| unsafe { api.mem_get_info(&mut free, &mut total) })?;
    Ok((free, total))
}

/// Adds to the fault "out of memory" how much memory is free, and how much is pending.
#[cold]
pub(crate) fn explain(device: &DeviceState, len: usize, fault: Fault) -> Fault {
    if fault.kind() != FaultKind::OutOfDeviceMemory {
        return fault;
    }
    let mut text =
        format!("{len} bytes cannot be allocated on CUDA device {}: {}", device.context.ordinal, fault.text());
    if let Ok((free, total)) = free_and_total(device) {
        text.push_str(&format!("; {free} of {total} bytes are free"));
    }
    let waiting = pending::count(&device.driver);
    if waiting > 0 {
        let blocks = Count(waiting, "freed block");
        text.push_str(&format!("; enqueued work still uses {blocks}; synchronize to reuse the memory"));
    }
    fault.with_text(|_| text)
}

/// Describes physical memory on the device, which other processes can import if the device allows it.
pub(crate) fn properties(device: &DeviceState) -> Result<CUmemAllocationProp> {
    Ok(CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: match device.can_share_descriptors()? {
            true => CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            false => CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        },
        location: device.driver.location(MemoryPlace::Device(device.context.ordinal)),
        win32HandleMetaData: std::ptr::null_mut(),
        allocFlags: CUmemAllocationProp_st__bindgen_ty_1 {
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        },
    })
}

/// Returns the length of the block that [`alloc_device`] allocates.
pub(crate) fn block_len(device: &DeviceState, len: usize, policy: PagePolicy) -> usize {
    let page = match policy {
        PagePolicy::HugeOnly => properties(device).and_then(|wanted| mapped_memory::page(device, &wanted)).unwrap_or(1),
        PagePolicy::HugeFirst | PagePolicy::NormalOnly | PagePolicy::Huge1GOnly => 1,
    };
    len.checked_next_multiple_of(page.max(1)).unwrap_or(len)
}
