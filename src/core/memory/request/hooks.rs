//! The stage of hooks: calls the program's hooks around allocations and releases.
//!
//! No lock and no device is held while a hook runs: a request drops what it holds and opens its device again
//! afterwards.

use crate::base::error::Result;
use crate::memory::allocation::Allocation;
use crate::memory::memory_hook::{self, Event, Found, HOST, MemoryKind, Moment, around_allocation, around_free};
use crate::memory::request::{Named, Release, Request, Resource, seldom};

/// Calls the hooks of one moment around the next stage.
pub struct Hooks<R> {
    moment: Moment,
    next: R,
}

impl<R> Hooks<R> {
    /// Creates the stage for memory that is allocated to the program, and freed by it.
    pub const fn of_program(next: R) -> Self {
        Self { moment: Moment::Malloc, next }
    }

    /// Creates the stage for memory that is allocated from a device or from the system.
    pub const fn of_device(next: R) -> Self {
        Self { moment: Moment::Alloc, next }
    }
}

impl<R: Resource> Resource for Hooks<R> {
    type Request = R::Request;
    type Memory = R::Memory;
    type Release = R::Release;

    #[inline(always)]
    fn allocate(&self, request: R::Request) -> Result<R::Memory> {
        match memory_hook::exist() {
            // The closure's captures have just been written: they are used in place first, and moved later.
            true => seldom(move || match memory_hook::are_registered() {
                true => self.allocate_hooked(request),
                // The watcher makes no calls, so the request keeps what it holds.
                false if self.moment == Moment::Malloc => {
                    let event = request.event()?;
                    self.next.allocate(request).inspect(|memory| {
                        let Found { addr, handle, .. } = memory.found();
                        memory_hook::is_allocated(&Event { addr, handle, ..event });
                    })
                }
                false => self.next.allocate(request),
            }),
            false => self.next.allocate(request),
        }
    }

    #[inline(always)]
    fn release(&self, release: R::Release) -> Result<()> {
        match self.moment == Moment::Malloc && memory_hook::exist() {
            true => seldom(move || match memory_hook::are_registered() {
                true => self.release_hooked(release),
                false => {
                    if !release.is_retained()? {
                        release.watched()?.iter().for_each(memory_hook::is_freed);
                        self.next.release(release)?;
                    }
                    Ok(())
                }
            }),
            false => self.next.release(release),
        }
    }
}

impl<R: Resource> Hooks<R> {
    fn allocate_hooked(&self, mut request: R::Request) -> Result<R::Memory> {
        request.before_hooks(self.moment)?;
        let event = request.event()?;
        let event = match self.moment {
            Moment::Alloc => Event { size: 0, ..event },
            Moment::Malloc | Moment::Free => event,
        };
        around_allocation(self.moment, event, || self.next.allocate(request), Named::found)
    }

    fn release_hooked(&self, mut release: R::Release) -> Result<()> {
        if release.is_retained()? {
            return Ok(());
        }
        release.before_hooks();
        match release.event()? {
            Some(event) => around_free(event, || self.next.release(release)),
            None => self.next.release(release),
        }
    }
}

/// Returns what hooks see of the release of memory at an address. `None` if it is no allocation of these kinds; the
/// call then returns the error.
pub(crate) fn event_of_address(addr: usize, kinds: &[MemoryKind]) -> Option<Event> {
    let found = Allocation::known(addr).filter(|found| found.base == addr)?;
    let (kind, device) = MemoryKind::of(&found)?;
    // Imported pool memory and graph memory are freed like pool memory.
    let freed_as = if found.pool().is_some() { MemoryKind::Pool } else { kind };
    if !kinds.contains(&freed_as) {
        return None;
    }
    let page_size = addr.found().page_size;
    let event = Event::of_request(device, kind, 0, found.block().len);
    Some(Event { addr, page_size, ..event })
}

/// Memory from another process, or memory without an address. It has an address, or 0 and a handle, and is on a device
/// or in host memory.
pub struct ReportedMemory {
    /// The kind of the memory.
    pub kind: MemoryKind,
    /// The first byte.
    pub addr: usize,
    /// The handle of memory without an address.
    pub handle: u64,
    /// The length in bytes.
    pub len: usize,
    /// The device; `None` for host memory.
    pub device: Option<u32>,
}

impl ReportedMemory {
    /// Returns what hooks see of the memory.
    pub fn event(&self) -> Event {
        let Self { kind, addr, handle, len, device } = *self;
        let page_size = if addr == 0 { 0 } else { addr.found().page_size };
        let device = device.map_or(HOST, |id| id as i32);
        Event { addr, handle, page_size, ..Event::of_request(device, kind, 0, len) }
    }

    /// Reports imported memory to the hooks. If a hook refuses it, `release` frees it. Its length is known only now,
    /// so earlier failures are not reported to hooks.
    pub(crate) fn report_import(&self, release: impl FnOnce() -> Result<()>) -> Result<()> {
        if !memory_hook::exist() {
            return Ok(());
        }
        let event = self.event();
        let found = Found { addr: event.addr, handle: event.handle, page_size: event.page_size };
        let request = Event { size: self.len, addr: 0, handle: 0, page_size: 0, ..event };
        around_allocation(Moment::Malloc, request, || Ok(()), |()| found).inspect_err(|_| {
            // The refusal is the failure that is returned.
            let _ = release();
        })
    }

    /// Frees the memory by `free`, between the calls of the hooks.
    pub fn free(&self, free: impl FnOnce() -> Result<()>) -> Result<()> {
        around_free(self.event(), free)
    }
}
