//! Memory without an address: its handles and properties.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use super::{RANGES, inventory};
use crate::algo::map::slot_table::{self, Handle};
use crate::backend::base::broker::{self, BROKER, Key};
use crate::backend::{self, GRANULARITY, ImportedMemory, MemoryPlace, PhysicalMemory};
use crate::base::error::{Error, Result, arguments, invalid_param, param_invalid, unsupported};
use crate::base::gate::{self, Binding};
use crate::base::handles::{self, Object, drop_all};
use crate::base::owner::Owner;
use crate::memory::access::Location;
use crate::memory::allocation::{Kind, open_device};
use crate::memory::memory_hook::{Event, Found, MemoryKind};
use crate::memory::memory_stats::{DeviceTallies, HostTallies, Tally};
use crate::memory::request::bounded::Bounded;
use crate::memory::request::hooks::{Hooks, ReportedMemory};
use crate::memory::request::{MemoryRequest, Named, Release, Resource, Target};
use crate::order::places;
use crate::runtime::device::{self, Device};
use crate::runtime::{self, Session, thread};

/// An `aclrtPhysicalMemProp`, as numbers of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// An `aclrtMemHandleType`.
    pub handle_type: i32,
    /// An `aclrtMemAllocationType`.
    pub allocation_type: i32,
    /// An `aclrtMemAttr`.
    pub attribute: i32,
    /// The device or the host.
    pub location: Location,
}

/// Returns the place of an `aclrtMemLocation`, if it is available. `argument`: the program's name for its parts, up to
/// the `type` or the `id`.
pub(crate) fn place_at(argument: &str, Location { kind, id }: Location, session: &Session) -> Result<MemoryPlace> {
    match kind {
        Location::DEVICE => {
            device::slot(session, &format!("{argument}id"), id)?;
            Ok(MemoryPlace::Device(id))
        }
        Location::HOST => Ok(MemoryPlace::Host(None)),
        Location::HOST_NODE => {
            let nodes = backend::host_nodes();
            if nodes.contains(&id) {
                return Ok(MemoryPlace::Host(Some(id)));
            }
            Err(invalid_param!("{argument}id is {id}; the NUMA nodes of this machine that have memory are {nodes:?}"))
        }
        _ => Err(invalid_param!(
            "{argument}type is {kind}; allowed: ACL_MEM_LOCATION_TYPE_HOST 0, \
             ACL_MEM_LOCATION_TYPE_DEVICE 1 and ACL_MEM_LOCATION_TYPE_HOST_NUMA 4 with a node's number"
        )),
    }
}

impl Properties {
    /// Returns the place, if it is available. `argument`: the program's name for the properties.
    fn place(&self, argument: &str, session: &Session) -> Result<MemoryPlace> {
        /// The largest `aclrtMemAttr`, and those that ask for pages of 1 GiB.
        const LAST: i32 = 17;
        const HUGE_1G: [i32; 4] = [10, 11, 14, 17];
        if !matches!(self.handle_type, 0 | 2) {
            return Err(invalid_param!(
                "{argument}->handleType is {}; allowed: ACL_MEM_HANDLE_TYPE_NONE 0 and ACL_MEM_HANDLE_TYPE_POSIX 2",
                self.handle_type
            ));
        }
        let pinned = "ACL_MEM_ALLOCATION_TYPE_PINNED 0";
        arguments::numbered(&format!("{argument}->allocationType"), self.allocation_type, &[()], pinned)?;
        arguments::enumerated(format_args!("{argument}->memAttr"), self.attribute, 0..=LAST, "aclrtMemAttr")?;
        if HUGE_1G.contains(&self.attribute) {
            return Err(unsupported!(
                "{argument}->memAttr is {}: there are no pages of 1 GiB; pass ACL_HBM_MEM_HUGE 4",
                self.attribute
            ));
        }
        place_at(&format!("{argument}->location."), self.location, session)
    }
}

/// The memory itself, which several handles may have named.
pub(super) struct PhysicalBlock {
    native: Arc<dyn PhysicalMemory>,
    len: usize,
    /// The tally that counts it.
    tally: Arc<Tally>,
    /// The key by which it was imported from another process; `None` for memory of this process.
    pub(super) source: Option<Key>,
    /// The place of the memory, whatever addresses it has.
    pub(super) physical: places::Physical,
    /// The key by which other processes have the memory as well.
    pub(super) key: Mutex<Option<Key>>,
}

impl PhysicalBlock {
    /// Creates memory with its first handle, and counts it.
    fn with_first_handle(
        native: Arc<dyn PhysicalMemory>,
        len: usize,
        tally: &Arc<Tally>,
        source: Option<Key>,
        (properties, place, owner): (Properties, MemoryPlace, Owner),
    ) -> Result<Handle> {
        tally.made(len);
        let physical = source.and_then(|key| inventory::place_of(&key)).unwrap_or_else(|| places::Physical::new(len));
        let (tally, key) = (Arc::clone(tally), Mutex::default());
        let memory = Arc::new(Self { native, len, tally, source, physical, key });
        let references = AtomicU32::new(1);
        let first = |handle| Physical { handle, first: handle, properties, len, place, owner, memory, references };
        Ok(Physical::publish(first)?.handle)
    }
}

impl Drop for PhysicalBlock {
    fn drop(&mut self) {
        if let Some(key) = self.key.get_mut() {
            BROKER.withdraw(broker::OfferKind::PhysicalMemory, key);
        }
        self.tally.freed(self.len);
    }
}

/// Memory without an address. It is freed when it has no handle and no mapping.
pub struct Physical {
    pub(super) handle: Handle,
    /// The first handle of this memory.
    first: Handle,
    properties: Properties,
    /// The length in bytes, a multiple of [`GRANULARITY`].
    pub(super) len: usize,
    pub(super) place: MemoryPlace,
    /// The owner: the opening of a device, or the session.
    pub(super) owner: Owner,
    pub(super) memory: Arc<PhysicalBlock>,
    /// References of the handle, which dies at 0. Changed while the ranges are locked.
    pub(super) references: AtomicU32,
}

handles::object!(Physical, Physical, |_| true);

impl Physical {
    fn publish(parts: impl FnOnce(Handle) -> Self) -> Result<Arc<Self>> {
        Self::table().publish(parts).ok_or_else(|| Error::no_more("handles of physical memory"))
    }

    /// Creates a new handle for the same memory.
    pub(super) fn renewed(&self) -> Result<Arc<Self>> {
        Self::publish(|handle| Self {
            handle,
            memory: Arc::clone(&self.memory),
            references: AtomicU32::new(1),
            ..*self
        })
    }

    /// Returns the backend's object.
    pub(super) fn native(&self) -> &dyn PhysicalMemory {
        &*self.memory.native
    }

    /// Returns the memory as hooks see it.
    pub(super) fn reported(&self) -> ReportedMemory {
        let (handle, device) = (self.first.raw(), self.place.device());
        let kind = match device {
            _ if self.memory.source.is_some() => MemoryKind::Imported,
            Some(_) => MemoryKind::Device,
            None => MemoryKind::Pinned,
        };
        ReportedMemory { kind, addr: 0, handle, len: self.len, device }
    }

    /// Returns the kind of the memory's mappings in the address map.
    pub(super) fn kind(&self) -> Kind {
        match self.place {
            MemoryPlace::Device(id) => Kind::Mapped(id),
            MemoryPlace::Host(node) => Kind::HostMapped(node),
        }
    }

    /// Returns a reference to the device of the memory, if it is on one, so that the device does not end during a call.
    pub(super) fn hold(&self) -> Result<Option<Arc<Device>>> {
        let MemoryPlace::Device(id) = self.place else { return Ok(None) };
        match open_device(id).filter(|device| device.owner == self.owner) {
            Some(device) => Ok(Some(device)),
            None => Err(param_invalid!(
                "handle {:#x} is memory on device {id}, which another thread has reset during the call; reset the \
                 device after the call",
                self.handle.raw()
            )),
        }
    }

    /// Fails unless a mapping of this size fits.
    pub(super) fn check_size(&self, size: usize) -> Result<()> {
        match size.checked_next_multiple_of(GRANULARITY) {
            Some(size) if size == self.len => Ok(()),
            _ => Err(invalid_param!(
                "size is {size}; allowed: from {} to {}, the size of handle {:#x}, which is mapped as a whole",
                self.len - GRANULARITY + 1,
                self.len,
                self.handle.raw()
            )),
        }
    }
}

/// Implements aclrtMemGetAllocationGranularity.
pub fn granularity(properties: Properties, option: i32) -> Result<usize> {
    properties.place("prop", &*thread::session_outside_host_functions()?)?;
    let allowed = "ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM 0 and _RECOMMENDED 1";
    arguments::numbered("option", option, &[(), ()], allowed)?;
    Ok(GRANULARITY)
}

/// Registers memory that another process has exported under a key. `device`: the one on which it is used, if it is
/// device memory.
pub(super) fn adopt(imported: ImportedMemory, key: Key, device: &Device, session: &Session) -> Result<ReportedMemory> {
    /// ACL_HBM_MEM_HUGE.
    const HUGE: i32 = 4;
    let ImportedMemory { memory: native, len, on_device } = imported;
    let (place, owner, tally) = match on_device {
        true => (MemoryPlace::Device(device.id), device.owner, &DeviceTallies::of(device).imported),
        false => (MemoryPlace::Host(None), session.owner, &HostTallies::of(session).imported),
    };
    let properties = Properties { handle_type: 0, allocation_type: 0, attribute: HUGE, location: place.into() };
    let handle = PhysicalBlock::with_first_handle(native, len, tally, Some(key), (properties, place, owner))?.raw();
    Ok(ReportedMemory { kind: MemoryKind::Imported, addr: 0, handle, len, device: place.device() })
}

/// Implements aclrtMallocPhysical.
pub fn malloc(size: usize, properties: Properties, flags: u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("size", size, "allocate at least one byte")?;
    arguments::no_flags("flags", flags)?;
    let session = runtime::session()?;
    let place = properties.place("prop", &session)?;
    let device = place.device().map(|id| device::in_use(&session, "prop->location.id", id)).transpose()?;
    let (kind, target) = match &device {
        Some(device) => (MemoryKind::Device, Target::Opening(device.id, device.owner)),
        None => (MemoryKind::Pinned, Target::Host),
    };
    let len = size.checked_next_multiple_of(GRANULARITY);
    // The device is not held while hooks run: they may reset it.
    drop((device, session));
    let way = Hooks::of_program(Bounded(Hooks::of_device(PhysicalBlocks { properties, place })));
    Ok(way.allocate(MemoryRequest { len, ..MemoryRequest::new(kind, target, size) })?.0.raw())
}

/// Implements aclrtFreePhysical.
pub fn free(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let found = handles::unless_late::<Physical, _>(raw, handles::get::<Physical>("handle", raw))?;
    let Some((properties, place)) = found.map(|memory| (memory.properties, memory.place)) else { return Ok(()) };
    Hooks::of_program(PhysicalBlocks { properties, place }).release(HandleRelease(raw))
}

/// Allocates memory without an address from a backend, with a handle. The memory is counted until nothing refers to it:
/// see [`PhysicalBlock`].
struct PhysicalBlocks {
    properties: Properties,
    place: MemoryPlace,
}

/// The handle of new memory, for hooks.
struct FirstHandle(Handle);

impl Named for FirstHandle {
    fn found(&self) -> Found {
        Found { handle: self.0.raw(), ..Found::default() }
    }
}

/// A release by aclrtFreePhysical.
struct HandleRelease(u64);

impl Release for HandleRelease {
    fn event(&self) -> Result<Option<Event>> {
        let memory = handles::get_arc::<Physical>("handle", self.0)?;
        // Memory that was mapped without a handle was reported when its first handle was freed.
        let is_reported = memory.references.load(Ordering::Relaxed) <= 1 && memory.handle == memory.first;
        Ok(is_reported.then(|| memory.reported().event()))
    }
}

impl Resource for PhysicalBlocks {
    type Request = MemoryRequest;
    type Memory = FirstHandle;
    type Release = HandleRelease;

    fn allocate(&self, mut request: MemoryRequest) -> Result<FirstHandle> {
        request.open()?;
        let len = request.len.unwrap_or(request.size);
        let (native, tally, owner) = match request.kind {
            MemoryKind::Device => {
                let device = request.device()?;
                let native = device.with_all_memory(|native| native.alloc_physical(len));
                (native, &DeviceTallies::of(device).device, device.owner)
            }
            MemoryKind::Pinned | MemoryKind::Managed | MemoryKind::Pool | MemoryKind::Imported | MemoryKind::Graph => {
                let session = request.session()?;
                gate::bind(Binding::Device);
                let native = session.driver.virtual_memory().alloc_host(len, self.place.node());
                (native, &HostTallies::of(session).pinned, session.owner)
            }
        };
        let native = native.inspect_err(|_| tally.failed())?;
        PhysicalBlock::with_first_handle(native, len, tally, None, (self.properties, self.place, owner))
            .map(FirstHandle)
    }

    fn release(&self, HandleRelease(raw): HandleRelease) -> Result<()> {
        let memory = handles::get_arc::<Physical>("handle", raw)?;
        let _device = memory.hold()?;
        {
            let _ranges = RANGES.lock();
            let references = memory.references.load(Ordering::Relaxed);
            memory.references.store(references.saturating_sub(1), Ordering::Relaxed);
            if references <= 1 {
                handles::remove::<Physical>("handle", raw)?;
            }
        }
        // Memory without a mapping is freed now.
        drop(memory);
        slot_table::flush_deferred();
        Ok(())
    }
}

/// Implements aclrtMemGetAllocationPropertiesFromHandle.
pub fn properties(raw: u64) -> Result<Properties> {
    thread::refuse_inside_host_function()?;
    Ok(handles::get::<Physical>("handle", raw)?.properties)
}

/// Removes the handles of a device's memory.
pub(crate) fn take_handles_of(device: &Device) {
    drop_all::<Physical>(|memory| memory.owner == device.owner);
}

/// Removes the handles of host memory.
pub(crate) fn take_host_handles() {
    drop_all::<Physical>(|memory| matches!(memory.place, MemoryPlace::Host(_)));
}
