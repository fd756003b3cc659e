//! The driver's pools: memory that is taken and given back in stream order.
//!
//! Those that the driver makes by itself, and the pool that is current on a device for the driver, are
//! left to the other libraries in the process: what a program sets here is set for nobody else, what
//! it counts is its own, and all of it ends with the device.

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use cudarc::driver::sys::{
    CUdevice_attribute, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType,
    CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute, CUmemPoolHandle_st,
    CUmemPoolProps, CUmemPoolPtrExportData, CUmemoryPool, CUpointer_attribute,
};
use parking_lot::RwLock;

use super::pool_pages::PoolPages;
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::memory::device_memory;
use crate::backend::cuda::memory::device_memory::{HUGE_PAGE, NORMAL_PAGE};
use crate::backend::cuda::memory::release::{Release, give_back};
use crate::backend::cuda::runtime::context::Raw;
use crate::backend::cuda::runtime::device::DeviceState;
use crate::backend::cuda::runtime::driver::{CudaDriver, DriverState};
use crate::backend::cuda::stream::{CudaStream, Turn};
use crate::backend::{
    Access, Block, Fault, FaultKind, PointerExport, Pool, PoolAttribute, PoolHandle, PoolOptions,
    PoolPlace, PoolSharing, Pools, Result, Stream,
};

/// A pool of the driver.
struct CudaPool {
    driver: Arc<DriverState>,
    /// The device that it ends with; none for one in host memory.
    device: Option<Arc<DeviceState>>,
    raw: Raw<CUmemPoolHandle_st>,
    /// What kind of handle names it in other processes.
    sharing: PoolSharing,
    pages: Arc<PoolPages>,
    /// Which stream defers frees, where one may.
    turn: Arc<Turn>,
    may_defer: bool,
    /// It has a greatest size.
    is_limited: bool,
}

/// The pools of this process.
#[derive(Default)]
pub struct KnownPools {
    /// Where they have their memory.
    pages: RwLock<Vec<Weak<PoolPages>>>,
    /// There is one, or was.
    used: AtomicBool,
}

impl KnownPools {
    fn add(&self, pages: &Arc<PoolPages>) {
        // Relaxed: who waits for work with a pool's memory has got the pool from somewhere.
        self.used.store(true, Ordering::Relaxed);
        let mut known = self.pages.write();
        known.retain(|pages| pages.strong_count() > 0);
        known.push(Arc::downgrade(pages));
    }

    /// A block of a pool is there, or was.
    pub fn contains(&self, addr: usize) -> bool {
        self.are_used()
            && self.pages.read().iter().filter_map(Weak::upgrade).any(|pages| pages.contains(addr))
    }

    /// The driver gives back what pools have too much when it is told to wait for something. So it
    /// has to be told, also to wait for what is known to be done.
    pub fn are_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }
}

/// The number that stands for a kind of handle in the driver's functions.
fn handle_type(sharing: PoolSharing) -> CUmemAllocationHandleType {
    match sharing {
        PoolSharing::None => CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        PoolSharing::Descriptor => {
            CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        }
        PoolSharing::Fabric => CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC,
    }
}

/// The driver's name of an attribute, and whether its value has 64 bits rather than 32.
fn attribute(attribute: PoolAttribute) -> (c_int, bool) {
    use CUmemPool_attribute::*;
    let (name, wide) = match attribute {
        PoolAttribute::FollowEventDependencies => {
            (CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, false)
        }
        PoolAttribute::AllowOpportunistic => (CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, false),
        PoolAttribute::AllowInternalDependencies => {
            (CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, false)
        }
        PoolAttribute::ReleaseThreshold => (CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, true),
        PoolAttribute::ReservedCurrent => (CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, true),
        PoolAttribute::ReservedHigh => (CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, true),
        PoolAttribute::UsedCurrent => (CU_MEMPOOL_ATTR_USED_MEM_CURRENT, true),
        PoolAttribute::UsedHigh => (CU_MEMPOOL_ATTR_USED_MEM_HIGH, true),
    };
    (name as c_int, wide)
}

impl DriverState {
    /// The driver's name of a place.
    pub fn location(&self, place: PoolPlace) -> CUmemLocation {
        let (type_, id) = match place {
            PoolPlace::Device(ordinal) => {
                (CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, self.number(ordinal))
            }
            PoolPlace::Host => (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0),
            PoolPlace::HostNode(node) => (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA, node),
        };
        CUmemLocation { type_, id: id as c_int }
    }

    /// What the device says of itself; 0 where its driver does not know the question.
    pub fn device_attribute(&self, ordinal: u32, attribute: CUdevice_attribute) -> Result<c_int> {
        let device =
            crate::backend::cuda::runtime::context::device_of(self.api(), self.number(ordinal))?;
        let mut value = 0;
        // SAFETY: the device exists, and the pools' attribute is written into `value`.
        let asked =
            unsafe { self.api().device_get_attribute(&mut value, attribute as c_int, device) };
        match asked {
            Ok(()) => Ok(value),
            Err(failure) if failure.is_unsupported() => Ok(0),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Refuses what the device says that it does not have.
    fn check_pool(&self, ordinal: u32, sharing: PoolSharing) -> Result<()> {
        use CUdevice_attribute::*;
        if self.device_attribute(ordinal, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
            return Err(Fault::new(
                FaultKind::Unsupported,
                format!("CUDA device {ordinal} has no memory pools: use aclrtMalloc and aclrtFree"),
            ));
        }
        let wanted = handle_type(sharing).0;
        let has =
            self.device_attribute(ordinal, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES)?;
        if has as c_uint & wanted == wanted {
            return Ok(());
        }
        let (what, instead) = match sharing {
            PoolSharing::Fabric => ("fabric handles", "share it by a file descriptor"),
            _ => ("file descriptors", "make it without a handle type and copy the data"),
        };
        Err(Fault::new(
            FaultKind::Unsupported,
            format!("CUDA device {ordinal} cannot share memory pools by {what}: {instead}"),
        ))
    }

    pub fn open_device(&self, ordinal: u32) -> Result<Arc<DeviceState>> {
        self.device(ordinal).ok_or_else(|| {
            Fault::new(FaultKind::Driver, format!("CUDA device {ordinal} is closed"))
        })
    }
}

impl CudaDriver {
    /// The pool that `make` makes, which is destroyed with the device if not before.
    fn add_pool(
        &self,
        device: Option<Arc<DeviceState>>,
        page: usize,
        sharing: PoolSharing,
        is_limited: bool,
        make: impl FnOnce(&Api, &mut CUmemoryPool) -> Outcome,
    ) -> Result<Box<dyn Pool>> {
        let mut raw: CUmemoryPool = std::ptr::null_mut();
        match &device {
            Some(device) => {
                device.call(|api| make(api, &mut raw))?;
                device.pools().lock().insert(Raw(raw).key());
            }
            None => make(self.0.api(), &mut raw)
                .map_err(|failure| failure.fault(FaultKind::OutOfResources))?,
        }
        let pages = Arc::new(PoolPages::new(page));
        self.0.known_pools().add(&pages);
        Ok(Box::new(CudaPool {
            driver: Arc::clone(&self.0),
            device,
            raw: Raw(raw),
            sharing,
            pages,
            turn: Arc::default(),
            // What other processes have a view of is told at once.
            may_defer: sharing == PoolSharing::None,
            is_limited,
        }))
    }
}

impl Pools for CudaDriver {
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>> {
        let driver = &self.0;
        let (device, page) = match options.place {
            PoolPlace::Device(ordinal) => {
                driver.check_pool(ordinal, options.sharing)?;
                (Some(driver.open_device(ordinal)?), HUGE_PAGE)
            }
            PoolPlace::Host | PoolPlace::HostNode(_) => (None, NORMAL_PAGE),
        };
        let properties = CUmemPoolProps {
            allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: handle_type(options.sharing),
            location: driver.location(options.place),
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: options.max_size.unwrap_or(0) as usize,
            usage: 0,
            reserved: [0; 54],
        };
        // SAFETY: the driver reads complete properties and writes the pool's handle into `raw`.
        let create = |api: &Api, raw: &mut _| unsafe { api.mem_pool_create(raw, &properties) };
        self.add_pool(device, page, options.sharing, options.max_size.is_some(), create)
            .map_err(|fault| explain_place(&options, fault))
    }

    fn have_had(&self, addr: usize) -> bool {
        self.0.known_pools().contains(addr)
    }

    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>> {
        let driver = &self.0;
        let (sharing, bytes) = match handle {
            PoolHandle::Descriptor(_) => (PoolSharing::Descriptor, [0; 64]),
            PoolHandle::Fabric(bytes) => (PoolSharing::Fabric, bytes),
        };
        driver.check_pool(ordinal, sharing)?;
        // The driver takes a descriptor instead of an address, and reads other handles.
        let handle: *mut c_void = match handle {
            PoolHandle::Descriptor(descriptor) => {
                std::ptr::without_provenance_mut(descriptor.as_raw_fd() as usize)
            }
            PoolHandle::Fabric(_) => bytes.as_ptr().cast_mut().cast(),
        };
        let device = driver.open_device(ordinal)?;
        self.add_pool(Some(device), HUGE_PAGE, sharing, false, |api, raw| {
            // SAFETY: a place for the answer, and a handle of that type, which it may find wrong.
            unsafe { api.mem_pool_import(raw, handle, handle_type(sharing).0, 0) }
        })
        .map_err(|fault| is_none(fault, "the handle names no memory pool that can be imported"))
    }
}

/// What a refusal to make a pool in host memory means. A node that there is not was refused before.
#[cold]
fn explain_place(options: &PoolOptions, fault: Fault) -> Fault {
    if !matches!(fault.kind(), FaultKind::Driver | FaultKind::Unsupported) {
        return fault;
    }
    let text = match (options.place, options.sharing) {
        (PoolPlace::Device(_), _) => return fault,
        (PoolPlace::Host, _) => {
            "the driver makes no memory pools in host memory, a newer one may; use aclrtMallocHost"
                .into()
        }
        (PoolPlace::HostNode(node), PoolSharing::None) => format!(
            "the driver makes no memory pools on NUMA node {node}, a newer one may; use \
             ACL_MEM_LOCATION_TYPE_HOST, or aclrtMallocHost"
        ),
        (PoolPlace::HostNode(node), _) => format!(
            "the driver makes no memory pools on NUMA node {node} that can be shared, a newer one may; pass \
             ACL_MEM_HANDLE_TYPE_NONE, or share memory of a device"
        ),
    };
    let text = format!("{text}: {}", fault.text());
    fault.with_kind(FaultKind::Unsupported).with_text(text)
}

/// What a refusal of a name means that came from somewhere else.
#[cold]
pub fn is_none(fault: Fault, what: &str) -> Fault {
    match fault.kind() {
        FaultKind::Driver => {
            Fault::new(FaultKind::InvalidArgument, format!("{what}: {}", fault.text()))
        }
        _ => fault,
    }
}

impl CudaPool {
    /// Tells, or asks, the driver something about the pool.
    fn call(&self, call: impl FnOnce(&Api, CUmemoryPool) -> Outcome) -> Result<()> {
        self.turn.settle(&self.driver);
        match &self.device {
            Some(device) => device.call(|api| call(api, self.raw.0)),
            None => Ok(call(self.driver.api(), self.raw.0)?),
        }
    }

    /// One try.
    #[inline]
    fn take(&self, len: usize, stream: &CudaStream) -> Result<Block> {
        let address = Cell::<CUdeviceptr>::new(0);
        let deferred = stream.state().submit_alloc(&self.turn, len, |api| {
            let (pool, stream) = (self.raw.0, stream.state().raw().0);
            // SAFETY: a place for the answer, and a pool and a stream that live.
            unsafe { api.mem_alloc_from_pool_async(address.as_ptr(), len, pool, stream) }
        })?;
        Ok(match deferred {
            Some(addr) => device_memory::plain_block(addr, len),
            None => self.block(address.get() as usize, len),
        })
    }

    /// The block that the driver has just given.
    #[inline]
    fn block(&self, addr: usize, len: usize) -> Block {
        if self.pages.add(addr, len) {
            self.driver.owned().note(addr, len);
        }
        device_memory::plain_block(addr, len)
    }

    /// It is on the device of this stream.
    #[inline(always)]
    fn is_of(&self, stream: &CudaStream) -> bool {
        self.device.as_ref().is_some_and(|device| Arc::ptr_eq(device, stream.state().device()))
    }

    /// The device has no memory left: what is about to be free may help, once.
    #[cold]
    fn take_again(&self, len: usize, stream: &CudaStream, fault: Fault) -> Result<Block> {
        if fault.kind() != FaultKind::OutOfDeviceMemory {
            return Err(fault);
        }
        self.driver.reap_all();
        for stream in self.driver.streams_with_frees() {
            // What a stream refuses here it has to say for itself elsewhere.
            stream.look(|stream| drop(stream.settle_frees()));
        }
        let mut taken = self.take(len, stream);
        if self.is_limited
            && taken.as_ref().is_err_and(|fault| fault.kind() == FaultKind::OutOfDeviceMemory)
        {
            // It may be at its limit with what is free in too small pieces.
            self.driver.note_refusal(self.trim(0));
            taken = self.take(len, stream);
        }
        taken.map_err(|fault| match &self.device {
            Some(device) => device_memory::explain(device, len, fault),
            None => fault,
        })
    }
}

/// What the driver calls it.
pub fn access_flags(access: Access) -> CUmemAccess_flags {
    match access {
        Access::None => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
        Access::Read => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ,
        Access::ReadWrite => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    }
}

impl Pool for CudaPool {
    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block> {
        let stream = CudaStream::of(stream)?;
        // Its work may then use the memory, whichever device it is on.
        if !self.is_of(stream) {
            stream.state().note_crossing();
        }
        match self.take(len, stream) {
            Err(fault) => stream.told(self.take_again(len, stream, fault)),
            taken => taken,
        }
    }

    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()> {
        let stream = CudaStream::of(stream)?;
        let may_defer = self.may_defer && self.is_of(stream);
        let block = (block.addr, block.len);
        stream.told(stream.state().submit_free(&self.turn, block, may_defer))
    }

    fn free_now(&self, block: Block) -> Result<()> {
        self.turn.settle(&self.driver);
        let release = Release::Pooled { device: self.device.clone(), addr: block.addr };
        give_back(&self.driver, release)
    }

    fn get(&self, name: PoolAttribute) -> Result<u64> {
        let (name, wide) = attribute(name);
        let (mut narrow_value, mut wide_value): (c_int, u64) = (0, 0);
        let value: *mut c_void = match wide {
            true => (&raw mut wide_value).cast(),
            false => (&raw mut narrow_value).cast(),
        };
        // SAFETY: a pool that lives, and a place of the size that the attribute has.
        self.call(|api, pool| unsafe { api.mem_pool_get_attribute(pool, name, value) })?;
        Ok(if wide { wide_value } else { narrow_value as u64 })
    }

    fn set(&self, name: PoolAttribute, value: u64) -> Result<()> {
        let (name, wide) = attribute(name);
        let (mut narrow_value, mut wide_value) = (value as c_int, value);
        let value: *mut c_void = match wide {
            true => (&raw mut wide_value).cast(),
            false => (&raw mut narrow_value).cast(),
        };
        // SAFETY: a pool that lives, and a value of the size that the attribute has.
        self.call(|api, pool| unsafe { api.mem_pool_set_attribute(pool, name, value) })
    }

    fn trim(&self, keep: usize) -> Result<()> {
        // SAFETY: a pool that lives.
        self.call(|api, pool| unsafe { api.mem_pool_trim_to(pool, keep) })
    }

    fn set_access(&self, ordinal: u32, access: Access) -> Result<()> {
        let flags = access_flags(access);
        let location = self.driver.location(PoolPlace::Device(ordinal));
        let access = CUmemAccessDesc { location, flags };
        // SAFETY: a pool that lives, and one description.
        self.call(|api, pool| unsafe { api.mem_pool_set_access(pool, &access, 1) })
    }

    fn access(&self, ordinal: u32) -> Result<Access> {
        const NONE: c_int = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE as c_int;
        const READ: c_int = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ as c_int;
        let mut location = self.driver.location(PoolPlace::Device(ordinal));
        let mut flags = NONE;
        // SAFETY: a pool that lives, a place, and one for the answer.
        self.call(|api, pool| unsafe { api.mem_pool_get_access(&mut flags, pool, &mut location) })?;
        Ok(match flags {
            NONE => Access::None,
            READ => Access::Read,
            _ => Access::ReadWrite,
        })
    }

    fn export(&self) -> Result<PoolHandle<OwnedFd>> {
        let kind = handle_type(self.sharing).0;
        if self.sharing == PoolSharing::Fabric {
            let mut bytes = [0; 64];
            let place: *mut c_void = bytes.as_mut_ptr().cast();
            // SAFETY: a pool that lives, and a place of a handle's size.
            self.call(|api, pool| unsafe { api.mem_pool_export(place, pool, kind, 0) })?;
            return Ok(PoolHandle::Fabric(bytes));
        }
        let mut descriptor: c_int = -1;
        let place: *mut c_void = (&raw mut descriptor).cast();
        // SAFETY: a pool that lives, and a place for a descriptor.
        self.call(|api, pool| unsafe { api.mem_pool_export(place, pool, kind, 0) })?;
        // SAFETY: the driver has just made it for us.
        Ok(PoolHandle::Descriptor(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    fn export_block(&self, block: Block) -> Result<PointerExport> {
        let mut export = CUmemPoolPtrExportData { reserved: [0; 64] };
        let addr = block.addr as CUdeviceptr;
        // SAFETY: a live block, and a place for the answer.
        self.call(|api, _| unsafe { api.mem_pool_export_pointer(&mut export, addr) })?;
        Ok(export.reserved)
    }

    fn import_block(&self, export: &PointerExport) -> Result<Block> {
        let mut export = CUmemPoolPtrExportData { reserved: *export };
        let (mut address, mut len): (CUdeviceptr, usize) = (0, 0);
        let size = CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE as c_int;
        // SAFETY: a pool that lives, and a place for the answer.
        self.call(|api, pool| unsafe {
            api.mem_pool_import_pointer(&mut address, pool, &mut export)
        })
        .map_err(|fault| is_none(fault, "the data name no live allocation of this pool"))?;
        // SAFETY: a live block, and a place of the size that the attribute has.
        self.call(|api, _| unsafe {
            api.pointer_get_attribute((&raw mut len).cast::<c_void>(), size, address)
        })
        .inspect_err(|_| {
            let block = device_memory::plain_block(address as usize, 1);
            self.driver.note_refusal(self.free_now(block));
        })?;
        Ok(self.block(address as usize, len))
    }
}

impl Drop for CudaPool {
    fn drop(&mut self) {
        self.turn.settle(&self.driver);
        // SAFETY: a pool that is destroyed once; the driver keeps what is still in use.
        let destroy = |api: &Api| unsafe { api.mem_pool_destroy(self.raw.0) };
        let Some(device) = &self.device else {
            self.driver.note_refusal(destroy(self.driver.api()).map_err(Fault::from));
            return;
        };
        let Some(_open) = device.keep_open() else { return };
        if device.pools().lock().remove(&self.raw.key()) {
            self.driver.end_in(device.context(), destroy);
        }
    }
}
