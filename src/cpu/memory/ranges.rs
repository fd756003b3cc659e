//! Reserved ranges of addresses, and the memory that is mapped there.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use super::device_memory::{DeviceMemory, OwnFile, Uses};
use super::host_access::Watch;
use super::ipc::{self, Contents, FilePart};
use super::pending::Fence;
use crate::backend::base::broker::Parcel;
use crate::backend::{Access, Block, Fault, PhysicalMemory, Result};
use crate::base::pages::{self, Mapping, Source};
use crate::runtime::shared::Shared;

/// Memory without an address. It lives as long as it is referenced or mapped.
pub(crate) enum Memory {
    Device {
        memory: Arc<DeviceMemory>,
        block: Block,
        /// The driver's state, which has the memory's mappings.
        shared: Weak<Shared>,
        /// The block's own file, once it is exported.
        own: OnceLock<Arc<OwnFile>>,
    },
    /// A separate file on the host, or one of another process. It is used on the device with this ordinal if there is
    /// one.
    File {
        part: FilePart,
        /// The part, mapped where no code uses it. From there it can be mapped again.
        parked: Mapping,
        ordinal: Option<u32>,
        node: Option<u32>,
    },
}

impl Memory {
    /// Returns the device that the memory is for, if it is for one.
    pub(crate) fn ordinal(&self) -> Option<u32> {
        match self {
            Self::Device { memory, .. } => Some(memory.ordinal),
            Self::File { ordinal, .. } => *ordinal,
        }
    }

    /// Creates memory in a file.
    pub(crate) fn in_file(part: FilePart, ordinal: Option<u32>, node: Option<u32>) -> Result<Self> {
        let opened = part.file.get();
        let parked = opened.and_then(|file| Mapping::new(part.len as usize, Source::File(file, part.offset), 0));
        let parked = parked.and_then(|parked| {
            pages::set_access(parked.addr(), parked.len(), Access::None)?;
            Ok(parked)
        });
        let text = "the memory cannot be mapped (if memory is missing, raise ulimit -v or vm.max_map_count)";
        let parked = parked.map_err(|error| refused(text, error))?;
        Ok(Self::File { part, parked, ordinal, node })
    }

    /// Returns the source from which the memory is mapped.
    pub(crate) fn source(&self) -> Source<'_> {
        match self {
            Self::Device { memory, block, own, .. } => {
                own.get().map_or_else(|| memory.another(block.addr), |own| memory.another_of(block.addr, own))
            }
            Self::File { part, parked, .. } => Source::Mapped(parked.addr(), Some((&part.file, part.offset))),
        }
    }

    /// Returns the memory's file, its offset there, and its length.
    pub(crate) fn part(&self) -> Result<(BorrowedFd<'_>, u64, u64)> {
        let not_shared = |error| refused("the memory cannot be shared", error);
        Ok(match self {
            Self::Device { memory, block, own, .. } => match own.get() {
                Some(own) => (own.file.get().map_err(not_shared)?, own.offset, block.len as u64),
                None => (memory.file()?, memory.offset(block.addr), block.len as u64),
            },
            Self::File { part, .. } => (part.file.get().map_err(not_shared)?, part.offset, part.len),
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Self::Device { memory, block, .. } = self {
            // Operations use it by other addresses, and no longer by the former mapping.
            memory.freed(block);
            memory.release(*block);
        }
    }
}

pub(crate) struct CpuPhysicalMemory {
    pub memory: Arc<Memory>,
}

/// Wraps device memory, which is freed with its last reference.
pub(crate) fn of_device(shared: &Arc<Shared>, memory: Arc<DeviceMemory>, block: Block) -> Arc<dyn PhysicalMemory> {
    let memory = Memory::Device { memory, block, shared: Arc::downgrade(shared), own: OnceLock::new() };
    Arc::new(CpuPhysicalMemory { memory: Arc::new(memory) })
}

impl PhysicalMemory for CpuPhysicalMemory {
    fn page_size(&self) -> usize {
        match &*self.memory {
            Memory::Device { memory, block, .. } => memory.page_size(*block),
            Memory::File { .. } => pages::ordinary(),
        }
    }

    /// Exports the memory. Device memory is kept for its importers; a separate file stays by itself.
    fn export(&self) -> Result<Parcel> {
        self.set_apart()?;
        let (file, offset, len) = self.memory.part()?;
        if self.memory.ordinal().is_none() {
            return ipc::pack(Contents::Host, file, offset, len);
        }
        let parcel = ipc::pack(Contents::Physical, file, offset, len)?;
        Ok(Parcel { kept: Some(Arc::clone(&self.memory) as _), ..parcel })
    }
}

impl CpuPhysicalMemory {
    /// Moves device memory to its own file, also where it is mapped, see [`DeviceMemory::set_apart`].
    fn set_apart(&self) -> Result<()> {
        let Memory::Device { memory, block, shared, own } = &*self.memory else { return Ok(()) };
        let Some(shared) = shared.upgrade() else { return Ok(()) };
        // The lock is held, so that the memory is not mapped or unmapped meanwhile.
        let all = shared.ranges.all.lock();
        let parts = all.values().flat_map(|range| &range.parts);
        let mappings = parts.filter(|(_, part)| Arc::ptr_eq(&part.memory, &self.memory));
        let mappings: Vec<_> = mappings.map(|(addr, part)| (*addr, part.host)).collect();
        if let Some(file) = memory.set_apart(*block, Uses::Mapped(&mappings))? {
            let _ = own.set(file);
        }
        Ok(())
    }
}

pub(crate) fn own(memory: &dyn PhysicalMemory) -> &Arc<Memory> {
    let own = (memory as &dyn Any).downcast_ref::<CpuPhysicalMemory>();
    &own.expect("memory of this driver").memory
}

/// The reserved ranges of a driver.
#[derive(Default)]
pub(crate) struct Ranges {
    pub all: Mutex<BTreeMap<usize, ReservedRange>>,
    /// The number of removed mappings that operations still use.
    pub ended: AtomicUsize,
}

pub(crate) struct ReservedRange {
    /// The reserved addresses, and the room for the library's views.
    pub mapping: Mapping,
    pub parts: BTreeMap<usize, Mapped>,
}

/// A mapping in a range.
pub(crate) struct Mapped {
    pub len: usize,
    pub memory: Arc<Memory>,
    /// The access of the host in guard mode.
    pub host: Access,
    /// In guard mode: explains faults.
    #[expect(dead_code, reason = "dropping it ends the watch")]
    pub watch: Option<Watch>,
    /// The operations to wait for, if the mapping was removed.
    pub ended: Option<Fence>,
}

impl Mapped {
    fn overlaps(&self, addr: usize, from: usize, len: usize) -> bool {
        addr < from + len && from < addr + self.len
    }
}

/// Returns the range that contains an address.
pub(crate) fn around(all: &mut BTreeMap<usize, ReservedRange>, addr: usize) -> Option<&mut ReservedRange> {
    let (base, range) = all.range_mut(..=addr).next_back()?;
    (addr - base < range.mapping.len()).then_some(range)
}

impl Ranges {
    /// Prepares mapped device memory before the library uses it, see [`DeviceMemory::prepare`].
    #[cold]
    pub(crate) fn prepare(&self, addr: usize, len: usize) {
        let mut all = self.all.lock();
        let Some(range) = around(&mut all, addr) else { return };
        for (base, part) in range.parts.range(..addr + len) {
            let (first, last) = (addr.max(*base), (addr + len).min(base + part.len));
            if first < last
                && let Memory::Device { memory, block, .. } = &*part.memory
            {
                memory.prepare(block.addr + (first - base), last - first);
            }
        }
    }

    /// Whether device memory is mapped at this address.
    pub(crate) fn is_device(&self, addr: usize) -> bool {
        let mut all = self.all.lock();
        let part = around(&mut all, addr).and_then(|range| range.parts.range(..=addr).next_back());
        part.is_some_and(|(base, part)| addr - base < part.len && part.memory.ordinal().is_some())
    }

    /// Ends mappings that nothing uses any more.
    pub(crate) fn reap(&self) {
        if self.ended.load(Ordering::Relaxed) != 0 {
            self.reap_ended();
        }
    }

    #[cold]
    fn reap_ended(&self) {
        let mut gone = Vec::new();
        for range in self.all.lock().values_mut() {
            let own = range.mapping.own();
            gone.extend(range.parts.extract_if(.., |addr, part| {
                let over = part.ended.as_mut().is_some_and(Fence::has_passed);
                let own = if part.memory.ordinal().is_some() { own } else { 0 };
                // If the kernel fails, the mapping stays.
                over && pages::vacate(*addr, part.len, own).is_ok()
            }));
        }
        self.ended.fetch_sub(gone.len(), Ordering::Relaxed);
        // The memory is freed without the lock, because that is slow.
        drop(gone);
    }

    /// Waits for operations that use removed mappings in the range.
    pub(crate) fn wait_for_ended(&self, addr: usize, len: usize) {
        while self.ended.load(Ordering::Relaxed) != 0 {
            let streams: Vec<_> = {
                let all = self.all.lock();
                let parts = all.values().flat_map(|range| &range.parts);
                let in_the_way = parts.filter(|(at, part)| part.overlaps(**at, addr, len));
                let fences = in_the_way.filter_map(|(_, part)| part.ended.as_ref());
                let streams = fences.flat_map(Fence::streams);
                streams.map(|(stream, ticket)| (Arc::clone(stream), ticket)).collect()
            };
            for (stream, ticket) in &streams {
                // The wait has no deadline, so it cannot time out.
                let _ = Arc::clone(stream).wait_for(*ticket, None);
            }
            self.reap_ended();
            if streams.is_empty() {
                break;
            }
        }
    }
}

pub(crate) fn refused(what: &str, why: impl Display) -> Fault {
    Fault::out_of_host_memory(format!("{what}: {why}"))
}
