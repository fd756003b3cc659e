//! Device memory on pages of at least 2 MiB. `cuMemAlloc` promises no page size, so the library maps this memory
//! itself: the granularity of the driver's virtual memory management is the page size. The driver has no IPC
//! handles for it; other processes get a descriptor of the physical memory, and map all of it.

use std::ffi::{c_int, c_void};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cudarc::driver::sys::{
    CUdeviceptr, CUmemAllocationGranularity_flags, CUmemAllocationProp, CUmemGenericAllocationHandle,
};

use super::blocks::{self, HUGE_PAGE, too_large};
use super::device_memory::properties;
use super::ipc::{self, DESCRIPTOR};
use super::peer;
use super::pending::{self, Release};
use crate::backend::base::broker::Parcel;
use crate::backend::{Access, Block, Fault, FaultKind, Result};
use crate::base::api::{Api, Outcome};
use crate::base::error::is_none;
use crate::base::owned::Shared;
use crate::runtime::DeviceState;

/// The beginning of parcels of mapped memory.
const MAPPED: [u8; 8] = *b"cudamap1";

/// Allocates memory on pages of at least 2 MiB, or returns a fault that says that there is none of that kind.
pub(crate) fn alloc(device: &DeviceState, len: usize) -> Result<Block> {
    let no_pages = |fault: Fault| {
        if fault.kind() == FaultKind::Unsupported { fault.with_kind(FaultKind::OutOfDeviceMemory) } else { fault }
    };
    let properties = properties(device).map_err(no_pages)?;
    let page = page(device, &properties).map_err(no_pages)?;
    if page < HUGE_PAGE || !page.is_power_of_two() {
        return Err(Fault::out_of_device_memory(format!(
            "the device maps memory in segments of {page} bytes and has no 2 MiB pages; use ACL_MEM_MALLOC_HUGE_FIRST"
        )));
    }
    let len = len.checked_next_multiple_of(page).ok_or_else(|| too_large(len))?;
    // SAFETY: the properties name the device, and the length is a multiple of its granularity.
    let create = |api: &Api| unsafe { api.mem_create(len, &properties, 0) };
    let addr = map(device, len, page, create).map_err(no_pages)?;
    Ok(Block { addr, len, token: blocks::token(addr, page) })
}

/// Returns the granularity of the device's mappings.
pub(crate) fn page(device: &DeviceState, properties: &CUmemAllocationProp) -> Result<usize> {
    let option = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED as c_int;
    // SAFETY: the properties are complete.
    device.call(|api| unsafe { api.mem_get_allocation_granularity(properties, option) })
}

/// Maps physical memory at new addresses, for this device and its peers. `physical` returns memory that this takes.
fn map(
    device: &DeviceState,
    len: usize,
    alignment: usize,
    physical: impl FnOnce(&Api) -> Outcome<CUmemGenericAllocationHandle>,
) -> Result<usize> {
    let access = device.driver.access(device.context.ordinal, Access::ReadWrite);
    // SAFETY: the memory is new here.
    let address = device.call(|api| unsafe { reserve_and_map(api, len, alignment, physical) })?;
    // SAFETY: just mapped.
    let own = device.call(|api| unsafe { api.mem_set_access(address, len, &access, 1) });
    if let Err(fault) = own.and_then(|()| peer::mapped(device, address as usize, len)) {
        // SAFETY: mapped above, and not used by any other thread yet.
        let _ = device.call(|api| unsafe { unmap_and_free(api, address, len) });
        return Err(fault);
    }
    device.driver.owned.add(address as usize, len);
    Ok(address as usize)
}

/// Maps physical memory at new addresses. If a step fails, undoes the earlier ones.
///
/// # Safety
/// As for the driver's functions. `physical` gives up the memory that it returns.
unsafe fn reserve_and_map(
    api: &Api,
    len: usize,
    alignment: usize,
    physical: impl FnOnce(&Api) -> Outcome<CUmemGenericAllocationHandle>,
) -> Outcome<CUdeviceptr> {
    // SAFETY: what was made is undone when the next step fails.
    unsafe {
        let address = api.mem_address_reserve(len, alignment, 0, 0)?;
        let mapped = physical(api).and_then(|physical| {
            let mapped = api.mem_map(address, len, 0, physical, 0);
            // A mapping keeps the memory. Without a mapping this call frees it.
            let released = api.mem_release(physical);
            mapped?;
            released.inspect_err(|_| {
                let _ = api.mem_unmap(address, len);
            })
        });
        mapped.map(|()| address).inspect_err(|_| {
            let _ = api.mem_address_free(address, len);
        })
    }
}

/// Undoes [`reserve_and_map`]. The physical memory is freed with its last mapping.
///
/// # Safety
/// It was mapped there, and no enqueued work uses it.
unsafe fn unmap_and_free(api: &Api, address: CUdeviceptr, len: usize) -> Outcome {
    // SAFETY: the caller gives up the mapping and the reserved addresses with this call.
    unsafe {
        // Addresses with a mapping cannot be freed, so the order matters.
        api.mem_unmap(address, len)?;
        api.mem_address_free(address, len)
    }
}

/// Frees memory that [`map`] has mapped and that no enqueued work uses. This also works on a device that has failed:
/// the memory belongs to no context.
pub(super) fn free(device: &DeviceState, base: usize, len: usize) -> Result<()> {
    let Some(_open) = device.keep_open() else { return Ok(()) };
    // SAFETY: the block owns its addresses and their mapping, and is freed once.
    Ok(unsafe { unmap_and_free(&device.driver.api, base as CUdeviceptr, len) }?)
}

/// Returns the parcel of the first bytes of a block from [`alloc`].
pub(super) fn export(device: &Arc<DeviceState>, block: Block, len: usize) -> Result<Parcel> {
    if !device.can_share_descriptors()? {
        return Err(Fault::unsupported(format!(
            "CUDA device {} cannot share memory that was allocated with ACL_MEM_MALLOC_HUGE_ONLY, because the driver \
             provides no file descriptors for such memory; allocate with ACL_MEM_MALLOC_HUGE_FIRST",
            device.context.ordinal
        )));
    }
    let base = blocks::base(block);
    let at: *mut c_void = std::ptr::without_provenance_mut(base);
    // SAFETY: the addresses of a live mapping.
    let physical = device.call(|api| unsafe { api.mem_retain_handle(at) })?;
    // SAFETY: live memory.
    let number = device.call(|api| unsafe { api.mem_export(physical, DESCRIPTOR, 0) });
    // SAFETY: retained above, and released once. This also works if the export has failed the device.
    let released = unsafe { device.driver.api.mem_release(physical) };
    device.driver.note_refusal(released.map_err(|failure| Fault::from(failure).with_kind(FaultKind::Driver)));
    let number = number?;
    device.driver.sharing.add(Shared::Block(base));
    // SAFETY: the driver has made it for the caller.
    let descriptor = unsafe { ipc::made_by_driver(number) }?;
    let lens = [block.len as u64, (block.addr - base) as u64, len as u64].map(u64::to_le_bytes);
    Ok(Parcel::new([&MAPPED[..], lens.as_flattened()].concat(), Some(descriptor)))
}

/// Imports a block that another process has exported, or returns `None` if the parcel is another one.
pub(super) fn import(device: &Arc<DeviceState>, parcel: &Parcel) -> Result<Option<Block>> {
    let Some((&MAPPED, lens)) = parcel.bytes.split_first_chunk() else { return Ok(None) };
    let lens: &[u8; 24] = lens.try_into().map_err(|_| Parcel::of_another())?;
    let word = |at: usize| u64::from_le_bytes(*lens[at * 8..].first_chunk().expect("8 bytes"));
    let (size, offset, len) = (word(0), word(1), word(2));
    ipc::check_inside(offset, len, size)?;
    let descriptor = parcel.descriptor.as_ref().ok_or_else(Parcel::no_descriptor)?;
    // The driver takes a descriptor instead of an address.
    let shareable: *mut c_void = std::ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
    let page = page(device, &properties(device)?)?;
    // SAFETY: a descriptor, which the driver may find wrong, as it may the size.
    let opened = map(device, size as usize, page, |api| unsafe { api.mem_import(shareable, DESCRIPTOR) });
    let text = "the driver cannot map the exported memory; export it again in the exporting process, and import it on \
                the device that it is on";
    let base = opened.map_err(|fault| is_none(fault, text))?;
    device.driver.sharing.imported_blocks.fetch_add(1, Ordering::Relaxed);
    Ok(Some(blocks::imported_block(base, page, base + offset as usize, len as usize)))
}

/// Frees a block from [`import`].
pub(super) fn free_imported(device: &Arc<DeviceState>, base: usize) -> Result<()> {
    let owner = Arc::clone(device);
    let release = Release { may_wait: false, ..Release::new(Some(device)) };
    pending::release(&device.driver, release, move |driver, _| {
        driver.sharing.imported_blocks.fetch_sub(1, Ordering::Relaxed);
        let len = peer::unmapped(&owner, base).expect("an import is mapped once");
        driver.owned.remove_after(base, || free(&owner, base, len))
    })
}
