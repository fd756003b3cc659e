//! State that all devices of a driver share.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;

use super::snapshot::Hold;
use super::utilization::Busy;
use crate::backend::base::probe;
use crate::backend::memory::closed;
use crate::base::{bytes, host_ranges};
use crate::memory::bounds::{self, Bounds, Check};
use crate::memory::capacity::{Budget, Capacity};
use crate::memory::device_memory::{DeviceMemory, MANAGED};
use crate::memory::pending::{Deferred, REAP, Users};
use crate::memory::ranges::Ranges;
use crate::memory::windows::Windows;
use crate::pool::imports::Imports;
use crate::stream::parallel::Helpers;

use crate::backend::stream::watch::Watcher;
use crate::backend::stream::workers::Workers;
use crate::backend::{Block, Options, Place, Result, Span};

/// The default number of devices. They share the machine's memory.
pub(crate) const DEVICES: u32 = 4;

/// The shared state.
pub(crate) struct Shared {
    pub options: Options,
    pub capacity: Capacity,
    /// The memory that all devices have taken together.
    pub budget: Arc<Budget>,
    /// The distance of the library's view of device memory from the program's. It is 0, or in guard mode at least the
    /// addresses of a device's memory and [`GUARDED_RANGE`](crate::runtime::driver::GUARDED_RANGE).
    pub library_view: usize,
    /// How accesses outside of allocations are detected.
    pub check: Check,
    /// The bounds of page-locked host memory.
    pub host_bounds: Arc<Bounds>,
    pub cores: usize,
    /// The threads that share large operations.
    pub helpers: Box<dyn Helpers>,
    pub watcher: Arc<Watcher>,
    /// The threads that run tasks of the host.
    pub task_threads: Workers,
    pub users: Users,
    pub devices: Box<[DeviceSlot]>,
    /// The number of each device among all, selected or not.
    pub numbers: Box<[u32]>,
    pub windows: Windows,
    /// The imported memory from other processes.
    pub imports: Imports,
    /// The reserved addresses and their mappings.
    pub ranges: Ranges,
    /// The programs that were unloaded while operations were using their variables.
    pub unloading: Deferred<Arc<dyn Any + Send + Sync>>,
    pub hold: Hold,
}

/// The slot of one device.
#[derive(Default)]
pub(crate) struct DeviceSlot {
    /// The number of the device's 2 MiB pages that are still to be made huge, see [`DeviceMemory::prepare`]. It is
    /// here, so that it can be read without a lock.
    pub wanted: Arc<AtomicUsize>,
    /// The device's memory while it is open.
    pub memory: RwLock<Option<Arc<DeviceMemory>>>,
    pub busy: Busy,
}

impl Shared {
    /// Returns the pointer for a span. Only this function translates the program's addresses to the library's view.
    #[inline]
    pub(crate) fn pointer(&self, span: &Span) -> *mut u8 {
        let mut addr = span.addr;
        if self.library_view != 0 {
            addr += self.view_of(span);
        }
        if let Place::Device(ordinal) = span.place
            && self.has_wanted(ordinal)
        {
            self.prepare(ordinal, span);
        }
        bytes::address(addr)
    }

    /// Whether the library uses a span by the program's addresses, and has no pages to make huge before.
    #[inline]
    pub(crate) fn is_direct(&self, span: &Span) -> bool {
        self.library_view == 0 && !matches!(span.place, Place::Device(ordinal) if self.has_wanted(ordinal))
    }

    /// Whether pages of this device are still to be made huge.
    #[inline]
    fn has_wanted(&self, ordinal: u32) -> bool {
        self.devices.get(ordinal as usize).is_none_or(|slot| slot.wanted.load(Ordering::Relaxed) != 0)
    }

    /// Returns the distance of the library's view from a span in guard mode. It is 0 if the memory has one address, as
    /// variables of shared objects have.
    #[cold]
    fn view_of(&self, span: &Span) -> usize {
        match span.place {
            Place::Device(_) if host_ranges::has_variable(span.addr) => 0,
            Place::Device(_) => self.library_view,
            Place::Pinned => closed::library_view(span.addr),
            Place::Pageable => 0,
        }
    }

    /// Frees what nothing uses any more. Checks at most `limit` entries of each kind.
    pub(crate) fn reap(&self, limit: usize) {
        self.imports.reap(limit);
        self.ranges.reap();
        self.unloading.reap(limit, drop);
    }

    #[cold]
    pub(crate) fn prepare(&self, ordinal: u32, span: &Span) {
        self.hold.pass();
        match self.memory_of(ordinal) {
            Some(memory) if memory.contains(span.addr) => memory.prepare(span.addr, span.len),
            Some(_) => self.ranges.prepare(span.addr, span.len),
            None => {}
        }
    }

    #[cold]
    pub(crate) fn memory_of(&self, ordinal: u32) -> Option<Arc<DeviceMemory>> {
        self.devices[ordinal as usize].memory.read().clone()
    }

    /// Returns the memories of all open devices.
    pub(crate) fn open_memories(&self) -> impl Iterator<Item = Arc<DeviceMemory>> {
        self.devices.iter().filter_map(|slot| slot.memory.read().clone())
    }

    /// Whether the address is in no live allocation of a device, and the host cannot use it. What is there now, if
    /// anything, is not the program's.
    #[cold]
    pub(crate) fn is_stale(&self, ordinal: u32, addr: usize) -> bool {
        // Another mapping may use the place of a closed device's memory.
        self.memory_of(ordinal).is_some_and(|memory| memory.contains(addr)) || !probe::is_readable(addr)
    }

    /// Reports, after a kernel has run, bytes that this kernel or another one has overwritten beside allocations.
    #[cold]
    pub(crate) fn check_for_damage(&self, kernel: &str) -> Result<()> {
        let damages = self.open_memories().filter_map(|memory| memory.bounds.damage());
        let all: Vec<_> = damages.chain(self.host_bounds.damage()).collect();
        let when = format!("kernel {kernel} ended");
        let faults = all.iter().map(|damage| bounds::report(damage, &when));
        faults.reduce(|first, _| first).map_or(Ok(()), Err)
    }

    /// Allocates a block of a device, counts it, and puts this flag into its token. `take` allocates as
    /// [`DeviceMemory::take`].
    pub(crate) fn take(
        &self,
        memory: &DeviceMemory,
        len: usize,
        mark: u64,
        take: impl Fn() -> Result<Option<Block>>,
    ) -> Result<Block> {
        self.reap(REAP);
        memory.reap(REAP);
        let mut block = take()?;
        if block.is_none() && self.reap_all(memory) {
            block = take()?;
        }
        let mut block = block.ok_or_else(|| memory.exhausted(len))?;
        block.token |= mark;
        memory.counter(mark & MANAGED != 0).add(block.len);
        Ok(block)
    }

    /// Frees what nothing uses any more, also on other devices if they share their memory. Returns true if there were
    /// blocks.
    #[cold]
    pub(crate) fn reap_all(&self, memory: &DeviceMemory) -> bool {
        self.reap(usize::MAX);
        match self.capacity.is_shared() {
            true => self.open_memories().filter(|memory| memory.reap(usize::MAX)).count() != 0,
            false => memory.reap(usize::MAX),
        }
    }
}
