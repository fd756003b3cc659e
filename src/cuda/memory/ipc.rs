//! Exports and imports memory of processes: by the driver's handles, which are plain bytes, and by its descriptors.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cudarc::driver::sys::{
    CUdeviceptr, CUipcMem_flags, CUipcMemHandle, CUmemAllocationHandleType, CUmemGenericAllocationHandle,
    CUpointer_attribute,
};
use rustix::io::{FdFlags, fcntl_setfd};

use crate::algo::host::descriptor::above_streams;
use crate::backend::base::broker::Parcel;
use crate::backend::{Block, Fault, Result};
use crate::base::error::{ALREADY_MAPPED, is_none};
use crate::base::owned::Shared;
use crate::memory::blocks::{self, NORMAL_PAGE};
use crate::memory::foreign;
use crate::memory::mapped_memory;
use crate::memory::pending::{self, Release};
use crate::runtime::DeviceState;

const MEMORY: [u8; 8] = *b"cudamem1";
const PHYSICAL: [u8; 8] = *b"cudaphy1";

/// The kind of handles of physical memory: they are descriptors.
pub(super) const DESCRIPTOR: c_uint = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0 as c_uint;

const HANDLE: usize = size_of::<CUipcMemHandle>();

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

/// Returns the parcel of the first bytes of a block.
pub(crate) fn export(device: &Arc<DeviceState>, block: Block, len: usize) -> Result<Parcel> {
    if blocks::page_size(block) > NORMAL_PAGE {
        return mapped_memory::export(device, block, len);
    }
    let base = blocks::base(block);
    // SAFETY: memory from the driver.
    let handle = device.call(|api| unsafe { api.ipc_get_mem_handle(base as CUdeviceptr) })?;
    device.driver.sharing.add(Shared::Block(base));
    let handle = handle.reserved.map(|byte| byte as u8);
    let place = [(block.addr - base) as u64, len as u64].map(u64::to_le_bytes);
    Ok(Parcel::new([&MEMORY[..], &handle, place.as_flattened()].concat(), None))
}

/// Frees a block from [`import`].
pub(crate) fn free(device: &Arc<DeviceState>, block: Block) -> Result<()> {
    let base = blocks::base(block);
    if blocks::page_size(block) > NORMAL_PAGE {
        return mapped_memory::free_imported(device, base);
    }
    let owner = Arc::clone(device);
    pending::release(&device.driver, Release::new(Some(device)), move |driver, _| {
        driver.sharing.imported_blocks.fetch_sub(1, Ordering::Relaxed);
        driver.owned.remove_after(base, || {
            // SAFETY: opened once for each time that it is closed.
            owner.end(|api| unsafe { api.ipc_close_mem_handle(base as CUdeviceptr) })
        })
    })
}

/// Imports the block that another process has exported.
pub(crate) fn import(device: &Arc<DeviceState>, parcel: &Parcel) -> Result<Block> {
    if let Some(block) = mapped_memory::import(device, parcel)? {
        return Ok(block);
    }
    let bytes: &[u8; HANDLE + 24] = parcel.bytes[..].try_into().map_err(|_| Parcel::of_another())?;
    ensure!(bytes[..8] == MEMORY, Parcel::of_another());
    let handle = CUipcMemHandle { reserved: std::array::from_fn(|at| bytes[8 + at] as c_char) };
    let (offset, len) = (word(&bytes[HANDLE + 8..HANDLE + 16]), word(&bytes[HANDLE + 16..]));
    let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as c_uint;
    let is_mapped = Cell::new(false);
    let open = || {
        device.call(|api| {
            // SAFETY: a handle, which the driver may find wrong.
            let opened = unsafe { api.ipc_open_mem_handle(handle, flags) };
            opened.inspect_err(|failure| is_mapped.set(failure.status() == Some(ALREADY_MAPPED)))
        })
    };
    let mut opened = open();
    if opened.is_err() && is_mapped.get() {
        // An earlier import of the block was closed, and pending work may have kept its mapping.
        pending::reap_all(&device.driver);
        opened = open();
    }
    let base = opened.map_err(|fault| {
        let text = "the driver rejects the handle; import the memory before it is freed, on the device that it is on \
                    or on a device with peer access to it";
        is_none(fault, text)
    })? as usize;
    if let Err(fault) = check_place(device, base, offset, len) {
        // SAFETY: it was opened above.
        let closed = device.call(|api| unsafe { api.ipc_close_mem_handle(base as CUdeviceptr) });
        device.driver.note_refusal(closed);
        return Err(fault);
    }
    let (offset, len) = (offset as usize, len as usize);
    device.driver.owned.add(base, offset + len);
    device.driver.sharing.imported_blocks.fetch_add(1, Ordering::Relaxed);
    Ok(blocks::imported_block(base, NORMAL_PAGE, base + offset, len))
}

/// Fails unless the place lies in the allocation that the driver has opened at `base`: the numbers come from the other
/// process.
fn check_place(device: &Arc<DeviceState>, base: usize, offset: u64, len: u64) -> Result<()> {
    let size = CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE;
    // SAFETY: RANGE_SIZE is a size.
    let size: usize = device.call(|api| unsafe { foreign::attribute(api, size, base) })?;
    check_inside(offset, len, size as u64)
}

/// Fails unless the place lies in an allocation of this size: the numbers come from the other process.
pub(super) fn check_inside(offset: u64, len: u64, size: u64) -> Result<()> {
    let end = offset.checked_add(len).filter(|_| len > 0);
    ensure!(
        end.is_some_and(|end| end <= size),
        Fault::invalid(format!(
            "the export of the other process is damaged: it is {len} bytes at offset {offset} of an allocation of \
             {size} bytes; export the memory again in that process"
        ))
    );
    Ok(())
}

/// Returns a descriptor that the driver has just created. As with all descriptors of the library, programs that this
/// process starts do not inherit it, and it is no standard stream. Drivers create those of pools as inheritable.
///
/// # Safety
///
/// It is open, and the caller's alone.
pub(crate) unsafe fn made_by_driver(number: c_int) -> Result<OwnedFd> {
    // SAFETY: the caller promises that it is open, and that no other code closes it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    // The call fails for closed descriptors only.
    let _ = fcntl_setfd(&descriptor, FdFlags::CLOEXEC);
    above_streams(descriptor).map_err(|error| {
        Fault::out_of_host_memory(format!(
            "the descriptor from the driver cannot be duplicated: {error}. If too many are open, close some, or raise \
             ulimit -n"
        ))
    })
}

/// Returns the parcel of memory without an address.
pub(crate) fn export_physical(
    device: &Arc<DeviceState>,
    handle: CUmemGenericAllocationHandle,
    len: usize,
) -> Result<Parcel> {
    // SAFETY: live memory.
    let number = device.call(|api| unsafe { api.mem_export(handle, DESCRIPTOR, 0) })?;
    device.driver.sharing.add(Shared::Physical(handle));
    // SAFETY: the driver has made it for the caller.
    let descriptor = unsafe { made_by_driver(number) }?;
    let bytes = [PHYSICAL, (len as u64).to_le_bytes()].concat();
    Ok(Parcel::new(bytes, Some(descriptor)))
}

/// Imports memory without an address that another process has exported. Returns it and its length.
pub(crate) fn import_physical(
    device: &Arc<DeviceState>,
    parcel: &Parcel,
) -> Result<(CUmemGenericAllocationHandle, usize)> {
    ensure!(parcel.bytes.len() == 16 && parcel.bytes[..8] == PHYSICAL, Parcel::of_another());
    let descriptor = parcel.descriptor.as_ref().ok_or_else(Parcel::no_descriptor)?;
    // The driver takes a descriptor instead of an address.
    let shareable: *mut c_void = std::ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
    let handle = device
        // SAFETY: a descriptor, which the driver may find wrong.
        .call(|api| unsafe { api.mem_import(shareable, DESCRIPTOR) })
        .map_err(|fault| {
            let text = "the driver rejects the descriptor of the memory; allocate other memory in the exporting \
                        process, and export it";
            is_none(fault, text)
        })?;
    device.driver.sharing.add(Shared::Physical(handle));
    Ok((handle, word(&parcel.bytes[8..]) as usize))
}
