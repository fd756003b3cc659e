//! The stages of memory without an address.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::super::RANGES;
use super::{Memory, Physical, Properties, hand_out};
use crate::algo::map::slot_table;
use crate::backend::{GRANULARITY, MemoryPlace, PhysicalMemory};
use crate::core::base::error::{Code, Result, arguments, error_with};
use crate::core::base::handles;
use crate::core::base::owner::Owner;
use crate::core::memory::memory_hook::{Event, Found, MemoryKind};
use crate::core::memory::memory_stats::{DeviceTallies, HostTallies, Tally};
use crate::core::memory::request::hooks::Hooks;
use crate::core::memory::request::statistics::Statistics;
use crate::core::memory::request::{Claim, MemoryRequest, Named, Release, Resource, Source, Target};
use crate::core::runtime::{self, device, thread};

/// aclrtMallocPhysical.
pub fn malloc(size: usize, properties: Properties, flags: u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("size", size, "allocate at least one byte")?;
    arguments::no_flags("flags", flags)?;
    let session = runtime::session()?;
    let place = properties.place("prop", &session)?;
    let device = place.device().map(|id| device::in_use(&session, "prop->location.id", id)).transpose()?;
    let tally = match &device {
        Some(device) => &DeviceTallies::of(device).device,
        None => &HostTallies::of(&session).pinned,
    };
    let most = device.as_ref().map_or(isize::MAX as u64, |device| device.total_memory);
    let len = size.checked_next_multiple_of(GRANULARITY).filter(|len| *len as u64 <= most);
    let len = len.ok_or_else(|| {
        tally.failed();
        error_with!(
            Code::MemoryAllocation,
            "size {size}, in pieces of {GRANULARITY}, is more than all memory ({most} bytes)"
        )
    })?;
    let target = match &device {
        Some(device) => Target::Opening(device.id, device.owner),
        None => Target::Host,
    };
    // Not held while hooks run: they may reset it.
    drop((device, session));
    let request = MemoryRequest {
        kind: if place.device().is_some() { MemoryKind::Device } else { MemoryKind::Pinned },
        target,
        size,
        tail: false,
        pages: None,
        len: Some(len),
    };
    let memory = Statistics(PhysicalBlocks { node: place.node() });
    let way = Hooks::of_program(Hooks::of_device(Handles { properties, place, next: memory }));
    Ok(way.allocate(request)?.0)
}

/// Memory without an address, allocated by a backend. Host memory may be on one NUMA node.
struct PhysicalBlocks {
    node: Option<u32>,
}

/// A block of such memory.
struct PhysicalBlock {
    native: Arc<dyn PhysicalMemory>,
    len: usize,
    /// The tally that counts it.
    tally: Arc<Tally>,
    /// Its owner.
    owner: Owner,
}

impl Named for PhysicalBlock {
    fn found(&self) -> Found {
        Found::default()
    }

    fn bytes(&self) -> usize {
        self.len
    }
}

impl Source for PhysicalBlocks {
    type Memory = PhysicalBlock;
    type Release = HandleRelease;

    fn take(&self, request: &MemoryRequest) -> Result<PhysicalBlock> {
        let len = request.len.unwrap_or(request.size);
        let (native, tally, owner) = match request.kind {
            MemoryKind::Device => {
                let device = request.device()?;
                let native = device.with_all_memory(|native| native.alloc_physical(len))?;
                (native, &DeviceTallies::of(device).device, device.owner)
            }
            _ => {
                let session = request.session()?;
                let native = session.driver.virtual_memory().alloc_host(len, self.node)?;
                (native, &HostTallies::of(session).pinned, session.owner)
            }
        };
        Ok(PhysicalBlock { native, len, tally: Arc::clone(tally), owner })
    }

    /// The memory is freed when nothing refers to it any more: see [`Memory`].
    fn free(&self, handle: u64) -> Result<()> {
        free_unhooked(handle)
    }
}

/// The stage of handles: creates the first handle.
struct Handles<R> {
    properties: Properties,
    place: MemoryPlace,
    next: R,
}

/// A handle of such memory, for hooks.
struct FirstHandle(u64);

impl Named for FirstHandle {
    fn found(&self) -> Found {
        Found { handle: self.0, ..Found::default() }
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl<R> Resource for Handles<R>
where
    R: Resource<Request = MemoryRequest, Memory = PhysicalBlock, Release = HandleRelease>,
{
    type Request = MemoryRequest;
    type Memory = FirstHandle;
    type Release = HandleRelease;

    fn allocate(&self, request: MemoryRequest) -> Result<FirstHandle> {
        let PhysicalBlock { native, len, tally, owner } = self.next.allocate(request)?;
        let memory = Memory { native, len, tally, is_imported: false, key: Mutex::default() };
        hand_out(memory, self.properties, self.place, owner).map(FirstHandle)
    }

    fn release(&self, release: HandleRelease) -> Result<()> {
        self.next.release(release)
    }
}

/// aclrtFreePhysical.
pub fn free(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    Hooks::of_program(Statistics(PhysicalBlocks { node: None })).release(HandleRelease(raw))
}

/// A release by aclrtFreePhysical.
struct HandleRelease(u64);

impl Release for HandleRelease {
    fn event(&self) -> Result<Option<Event>> {
        let memory = handles::get_arc::<Physical>("handle", self.0)?;
        // Memory that was mapped without a handle was reported when its first handle was freed.
        let is_reported = memory.references.load(Ordering::Relaxed) <= 1 && memory.handle == memory.first;
        Ok(is_reported.then(|| memory.piece().event()))
    }
}

impl Claim for HandleRelease {
    type Claimed = u64;

    /// Statistics count it when nothing refers to the memory any more: see [`Memory`].
    fn claim(self) -> Result<u64> {
        Ok(self.0)
    }
}

fn free_unhooked(raw: u64) -> Result<()> {
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
