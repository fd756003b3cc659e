//! Device memory and pinned host memory.
//!
//! Ordinary device memory comes from `cuMemAlloc`: the driver puts large blocks on 2 MiB pages but
//! promises nothing, so 4 KiB is what [`page_size`] tells. Where 2 MiB pages are demanded, the
//! driver's virtual memory management maps them, and the granularity is the page size.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::{
    CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc,
    CUmemAllocationGranularity_flags, CUmemAllocationHandleType, CUmemAllocationProp,
    CUmemAllocationProp_st__bindgen_ty_1, CUmemAllocationType, CUmemAttach_flags, CUmemLocation,
    CUmemLocationType,
};

use super::release::{Release, give_back};
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::runtime::context::Context;
use crate::backend::cuda::runtime::device::DeviceState;
use crate::backend::cuda::runtime::driver::{DriverState, no_healthy_device};
use crate::backend::memory::usage::Counter;
use crate::backend::{Block, Fault, FaultKind, PagePolicy, Result};

pub const NORMAL_PAGE: usize = 4 << 10;
pub const HUGE_PAGE: usize = 2 << 20;
const SMALLEST_ALIGNMENT: usize = 512;

/// The lower bits of a token hold the binary logarithm of the page size and whether the memory is
/// managed or another process's, the others the address that the driver gave, which is aligned to more
/// than that.
const PAGE_BITS: u64 = 63;
const MANAGED: u64 = 64;
const IMPORTED: u64 = 128;
const NOTES: u64 = PAGE_BITS | MANAGED | IMPORTED;

fn token(base: usize, page: usize) -> u64 {
    base as u64 & !NOTES | u64::from(page.trailing_zeros())
}

/// Where the driver's own allocation begins.
pub fn base(block: Block) -> usize {
    (block.token & !NOTES) as usize
}

/// Where the bytes of a block are counted.
pub fn counter(device: &DeviceState, block: Block) -> &Counter {
    if block.token & MANAGED == 0 { device.device_bytes() } else { device.managed_bytes() }
}

/// Page size of a block, as far as it is guaranteed.
pub fn page_size(block: Block) -> usize {
    1 << (block.token & PAGE_BITS)
}

/// A block where the driver has put it.
pub fn plain_block(addr: usize, len: usize) -> Block {
    Block { addr, len, token: token(addr, NORMAL_PAGE) }
}

/// A block in memory of another process, which the driver has put at `base`.
pub fn imported_block(base: usize, addr: usize, len: usize) -> Block {
    Block { addr, len, token: token(base, NORMAL_PAGE) | IMPORTED }
}

/// The alignment that a [`Block`] of this length has.
const fn alignment(len: usize) -> usize {
    if len >= HUGE_PAGE {
        HUGE_PAGE
    } else if len >= NORMAL_PAGE {
        NORMAL_PAGE
    } else {
        SMALLEST_ALIGNMENT
    }
}

/// What the driver locks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pinned {
    /// From `cuMemHostAlloc`.
    Allocated,
    /// By `cuMemHostRegister`.
    Registered,
}

/// Takes a device block back.
pub fn free_device(device: &Arc<DeviceState>, block: Block) -> Result<()> {
    let owner = Arc::clone(device);
    let release = if block.token & IMPORTED != 0 {
        Release::Imported { device: owner, base: base(block) }
    } else if page_size(block) > NORMAL_PAGE {
        Release::Mapped { device: owner, block }
    } else {
        Release::Device { device: owner, base: base(block), block: Some(block) }
    };
    give_back(device.driver(), release)
}

/// Takes a block of pinned host memory back.
pub fn free_host(driver: &DriverState, block: Block) -> Result<()> {
    give_back(driver, Release::Host { base: base(block) })
}

/// Tries once, and again with the memory of finished work when the device has none left.
pub fn with_reaping<T>(
    driver: &DriverState,
    mut attempt: impl FnMut() -> std::result::Result<T, Fault>,
) -> Result<T> {
    driver.reap();
    match attempt() {
        Err(fault)
            if fault.kind() == FaultKind::OutOfDeviceMemory
                && (driver.tell_deferred() | (driver.pending().count() > 0)) =>
        {
            driver.reap_all();
            attempt()
        }
        first => first,
    }
}

/// Where the driver has been seen to give less alignment than a [`Block`] has. From then on more is
/// asked for at once.
#[derive(Default)]
pub struct Padding {
    normal: AtomicBool,
    huge: AtomicBool,
}

impl Padding {
    fn of(&self, alignment: usize) -> &AtomicBool {
        if alignment >= HUGE_PAGE { &self.huge } else { &self.normal }
    }
}

/// A block with the alignment that its length asks for. `allocate` gives what the driver likes to;
/// where that is not enough, a larger piece is taken and the first given back with `discard`.
fn aligned(
    padding: &Padding,
    len: usize,
    mut allocate: impl FnMut(usize) -> Result<usize>,
    discard: impl FnOnce(usize),
) -> Result<Block> {
    let alignment = alignment(len);
    // Relaxed: a hint.
    let padded = padding.of(alignment);
    let mut too_low = None;
    if alignment <= SMALLEST_ALIGNMENT || !padded.load(Ordering::Relaxed) {
        let base = allocate(len)?;
        if base.is_multiple_of(alignment) {
            return Ok(Block { addr: base, len, token: token(base, NORMAL_PAGE) });
        }
        padded.store(true, Ordering::Relaxed);
        too_low = Some(base);
    }
    let base = len.checked_add(alignment).map_or_else(|| Err(too_large(len)), allocate);
    if let Some(too_low) = too_low {
        discard(too_low);
    }
    let base = base?;
    Ok(Block { addr: base.next_multiple_of(alignment), len, token: token(base, NORMAL_PAGE) })
}

#[cold]
fn too_large(len: usize) -> Fault {
    Fault::new(FaultKind::OutOfDeviceMemory, format!("{len} bytes are more than can be addressed"))
}

/// Device memory.
pub fn alloc_device(device: &Arc<DeviceState>, len: usize, policy: PagePolicy) -> Result<Block> {
    let block = with_reaping(device.driver(), || match policy {
        PagePolicy::HugeFirst | PagePolicy::NormalOnly => {
            aligned_on(device, device.padding(), len, |len| alloc(device, len))
        }
        PagePolicy::HugeOnly => map_huge(device, len),
        PagePolicy::Huge1GOnly => Err(Fault::new(
            FaultKind::Unsupported,
            "the CUDA driver has no pages of 1 GiB for device memory: ask for pages of 2 MiB",
        )),
    });
    block
        .inspect(|&block| counter(device, block).add(block.len))
        .map_err(|fault| explain(device, len, fault))
}

/// Memory at one address for the host and all devices.
pub fn alloc_managed(device: &Arc<DeviceState>, len: usize) -> Result<Block> {
    let block = with_reaping(device.driver(), || {
        aligned_on(device, device.managed_padding(), len, |len| alloc_unified(device, len))
    });
    block
        .map(|block| Block { token: block.token | MANAGED, ..block })
        .inspect(|&block| counter(device, block).add(block.len))
        .map_err(|fault| explain(device, len, fault))
}

/// See [`aligned`]; what is too low goes back to the device.
fn aligned_on(
    device: &Arc<DeviceState>,
    padding: &Padding,
    len: usize,
    allocate: impl FnMut(usize) -> Result<usize>,
) -> Result<Block> {
    aligned(padding, len, allocate, |base| {
        let release = Release::Device { device: Arc::clone(device), base, block: None };
        device.driver().note_refusal(give_back(device.driver(), release));
    })
}

fn alloc(device: &DeviceState, len: usize) -> Result<usize> {
    let mut address: CUdeviceptr = 0;
    // SAFETY: the driver writes the allocation's address into `address`.
    device.call(|api| unsafe { api.mem_alloc(&mut address, len) })?;
    device.driver().owned().add(address as usize, len);
    Ok(address as usize)
}

fn alloc_unified(device: &DeviceState, len: usize) -> Result<usize> {
    let mut address: CUdeviceptr = 0;
    let flags = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as c_uint;
    // SAFETY: the driver writes the managed allocation's address into `address`, and the flag is
    // one that it defines.
    device.call(|api| unsafe { api.mem_alloc_managed(&mut address, len, flags) })?;
    device.driver().owned().add(address as usize, len);
    Ok(address as usize)
}

/// Adds to "out of memory" what a person needs to know about it.
#[cold]
pub fn explain(device: &DeviceState, len: usize, fault: Fault) -> Fault {
    if fault.kind() != FaultKind::OutOfDeviceMemory {
        return fault;
    }
    let mut text = format!("{len} bytes on CUDA device {}: ", device.context().ordinal());
    text.push_str(fault.text());
    let (mut free, mut total) = (0, 0);
    // SAFETY: `free` and `total` receive the sizes, and are read only if the call succeeds.
    if device.call(|api| unsafe { api.mem_get_info(&mut free, &mut total) }).is_ok() {
        text.push_str(&format!("; {free} of {total} bytes are free"));
    }
    let waiting = device.driver().pending().count();
    if waiting > 0 {
        text.push_str(&format!(
            "; {waiting} freed blocks wait for queued work, synchronise to get them back"
        ));
    }
    fault.with_text(text)
}

pub fn properties(device: &DeviceState) -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: location(device),
        win32HandleMetaData: std::ptr::null_mut(),
        allocFlags: CUmemAllocationProp_st__bindgen_ty_1 {
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        },
    }
}

fn location(device: &DeviceState) -> CUmemLocation {
    CUmemLocation {
        type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
        id: device.context().number() as c_int,
    }
}

/// Length of the block that [`alloc_device`] makes.
pub fn block_len(device: &DeviceState, len: usize, policy: PagePolicy) -> usize {
    let page = match policy {
        PagePolicy::HugeOnly => huge_page(device, &properties(device)).unwrap_or(1),
        _ => 1,
    };
    len.checked_next_multiple_of(page.max(1)).unwrap_or(len)
}

/// The size of the pieces that the device maps.
fn huge_page(device: &DeviceState, properties: &CUmemAllocationProp) -> Result<usize> {
    let option = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED as c_int;
    let mut page = 0;
    // SAFETY: the properties are complete, and the granularity is written into `page`.
    let ask =
        |api: &Api| unsafe { api.mem_get_allocation_granularity(&mut page, properties, option) };
    device.call(ask)?;
    Ok(page)
}

/// Memory on pages of at least 2 MiB, or a fault that says that there is none of that kind.
fn map_huge(device: &DeviceState, len: usize) -> Result<Block> {
    let no_pages = |fault: Fault| match fault.kind() {
        FaultKind::Unsupported => fault.with_kind(FaultKind::OutOfDeviceMemory),
        _ => fault,
    };
    let properties = properties(device);
    let page = huge_page(device, &properties).map_err(no_pages)?;
    if page < HUGE_PAGE || !page.is_power_of_two() {
        return Err(Fault::new(
            FaultKind::OutOfDeviceMemory,
            format!("the device maps memory in pieces of {page} bytes and has no 2 MiB pages"),
        ));
    }
    let len = len.checked_next_multiple_of(page).ok_or_else(|| too_large(len))?;
    let access = CUmemAccessDesc {
        location: location(device),
        flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    let mut address: CUdeviceptr = 0;
    // SAFETY: places for the answer and the properties.
    let map = |api: &Api| unsafe { reserve_and_map(api, &mut address, len, page, &properties) };
    device.call(map).map_err(no_pages)?;
    // SAFETY: just mapped.
    let open = |api: &Api| unsafe { api.mem_set_access(address, len, &access, 1) };
    if let Err(fault) = device.call(open) {
        // SAFETY: mapped above, and nobody has it yet.
        let _ = device.call(|api| unsafe { unmap_and_free(api, address, len) });
        return Err(no_pages(fault));
    }
    device.driver().owned().add(address as usize, len);
    Ok(Block { addr: address as usize, len, token: token(address as usize, page) })
}

/// Puts new physical memory behind new addresses; leaves nothing behind where it fails.
///
/// # Safety
/// As for the driver's functions.
unsafe fn reserve_and_map(
    api: &Api,
    address: &mut CUdeviceptr,
    len: usize,
    alignment: usize,
    properties: &CUmemAllocationProp,
) -> Outcome {
    let mut physical = 0;
    // SAFETY: places for the answers; what was made is undone when the next step fails.
    unsafe {
        api.mem_address_reserve(address, len, alignment, 0, 0)?;
        let mapped = api.mem_create(&mut physical, len, properties, 0).and_then(|()| {
            let mapped = api.mem_map(*address, len, 0, physical, 0);
            // A mapping keeps the memory, and without one it is given back here.
            let released = api.mem_release(physical);
            mapped?;
            released.inspect_err(|_| {
                let _ = api.mem_unmap(*address, len);
            })
        });
        mapped.inspect_err(|_| {
            let _ = api.mem_address_free(*address, len);
        })
    }
}

/// The way back of [`reserve_and_map`]: the physical memory goes with its only mapping.
///
/// # Safety
/// It was mapped there, and no queued work uses it.
pub unsafe fn unmap_and_free(api: &Api, address: CUdeviceptr, len: usize) -> Outcome {
    // SAFETY: the caller gives up the mapping and the reserved addresses with this call.
    unsafe {
        // Addresses that still stand for memory are not free.
        api.mem_unmap(address, len)?;
        api.mem_address_free(address, len)
    }
}

/// Pinned host memory, for every device. It belongs to the context of one of them, which is kept
/// until the block is given back, so that closing the device does not take it away.
pub fn alloc_host(driver: &DriverState, len: usize) -> Result<Block> {
    driver.reap();
    aligned(
        driver.padding(),
        len,
        |len| alloc_pinned(driver, len),
        |base| {
            driver.note_refusal(give_back(driver, Release::Host { base }));
        },
    )
    .map_err(|fault| match fault.kind() {
        FaultKind::OutOfDeviceMemory | FaultKind::OutOfHostMemory => Fault::new(
            FaultKind::OutOfHostMemory,
            format!("{len} bytes of pinned host memory: {}", fault.text()),
        ),
        _ => fault,
    })
}

fn alloc_pinned(driver: &DriverState, len: usize) -> Result<usize> {
    let (context, base) = in_any_context(driver, |context| {
        let mut address: *mut c_void = std::ptr::null_mut();
        context.call_for(FaultKind::OutOfHostMemory, |api| {
            // SAFETY: the driver writes the address of `len` pinned bytes into `address`.
            unsafe { api.mem_host_alloc(&mut address, len, CU_MEMHOSTALLOC_PORTABLE) }
        })?;
        Ok(address.expose_provenance())
    })?;
    driver.remember_pinned(base, Pinned::Allocated, context);
    driver.owned().add(base, len);
    Ok(base)
}

/// Runs `calls` in the context of a device that has not failed, which the caller gets with a
/// reference to release.
pub fn in_any_context<T>(
    driver: &DriverState,
    mut calls: impl FnMut(&Context) -> Result<T>,
) -> Result<(Arc<Context>, T)> {
    let mut refused = None;
    // A device that has failed is no reason to refuse: the next one is asked. But each only once.
    for _ in 0..driver.devices {
        let context = driver.acquire_any_context()?;
        match calls(&context) {
            Ok(made) => return Ok((context, made)),
            Err(fault) => {
                let failed = context.failure().is_some();
                driver.note_refusal(driver.release_context(&context));
                if !failed {
                    return Err(fault);
                }
                refused = Some(fault);
            }
        }
    }
    Err(refused.unwrap_or_else(no_healthy_device))
}

/// Gives back what the program did not: nothing uses it any more.
pub fn free_all_pinned(driver: &DriverState) {
    for base in driver.pinned_bases() {
        // Of either kind. A failed context has taken its memory along already.
        let _ = Release::Host { base }.now(driver);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn tokens_keep_address_and_page() {
        let block = Block { addr: 0x7000_0020_0000, len: 1, token: token(0x7000_0000_0200, 4096) };
        assert_eq!((base(block), page_size(block)), (0x7000_0000_0200, 4096));
        let huge = Block { token: token(0x7000_0020_0000, HUGE_PAGE), ..block };
        assert_eq!((base(huge), page_size(huge)), (0x7000_0020_0000, HUGE_PAGE));
    }

    #[test]
    fn misaligned_memory_is_replaced_by_a_larger_piece() {
        let padding = Padding::default();
        let asked = RefCell::new(Vec::new());
        let allocate = |len| {
            asked.borrow_mut().push(len);
            Ok(0x10200)
        };
        let mut discarded = None;
        let block = aligned(&padding, 5000, allocate, |base| discarded = Some(base)).unwrap();
        assert_eq!(block, Block { addr: 0x11000, len: 5000, token: token(0x10200, 4096) });
        assert_eq!(discarded, Some(0x10200));
        assert_eq!(asked.take(), [5000, 5000 + 4096]);

        let again = aligned(&padding, 5000, allocate, |_| panic!("nothing to discard")).unwrap();
        assert_eq!(again, block);
        assert_eq!(asked.take(), [5000 + 4096], "the first time has taught it");
        let fault = aligned(&padding, usize::MAX, |_| Ok(512), |_| ()).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
    }

    #[test]
    fn memory_that_fits_is_taken_as_it_is() {
        let padding = Padding::default();
        for (len, base) in [(100, 0x10200), (5000, 0x3000), (HUGE_PAGE, 4 * HUGE_PAGE)] {
            let block = aligned(&padding, len, |_| Ok(base), |_| panic!("nothing")).unwrap();
            assert_eq!((block.addr, block.len), (base, len));
        }
    }
}
