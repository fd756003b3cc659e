//! Addresses and memory apart.
//!
//! Memory of a device has its place in the device's memory, like any block; what is mapped is that part
//! of the device's file once more, in a range of addresses that was reserved. Host memory has a file of
//! its own. In guard mode a range has a view for the library as far behind as devices have it.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::host_access::{self, Watch};
use super::ipc::{self, Contents, FilePart};
use super::pinned::HOST;
use crate::algo::host::system_call::is_forbidden;
use crate::backend::base::broker::Parcel;
use crate::backend::cpu::base::arena::HUGE;
use crate::backend::cpu::base::files;
use crate::backend::cpu::base::host_ranges;
use crate::backend::cpu::base::pages;
use crate::backend::cpu::base::pages::Mapping;
use crate::backend::cpu::memory::device_memory::DeviceMemory;
use crate::backend::cpu::memory::pending::Fence;
use crate::backend::cpu::runtime::device::CpuDevice;
use crate::backend::cpu::runtime::driver::{CpuDriver, Shared};
use crate::backend::{
    Access, Block, Fault, FaultKind, ImportedMemory, PhysicalMemory, Result, VirtualMemory,
    bind_to_node,
};

/// Memory without an address, for as long as somebody has it or it is mapped.
enum Memory {
    Device {
        device: Arc<CpuDevice>,
        memory: Arc<DeviceMemory>,
        block: Block,
        ordinal: u32,
    },
    Host {
        file: OwnedFd,
        node: Option<u32>,
    },
    /// Another process's, used on the device with this ordinal.
    Imported {
        part: FilePart,
        ordinal: u32,
    },
}

impl Memory {
    /// For use on a device.
    fn is_device(&self) -> bool {
        !matches!(self, Self::Host { .. })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Self::Device { device, memory, block, .. } = self {
            // Operations know it by other addresses, and what was mapped there they use no more.
            memory.freed(block);
            device.give(*block);
        }
    }
}

struct CpuPhysicalMemory {
    memory: Arc<Memory>,
}

/// Memory of a device, which is given back when nobody has it any more.
pub fn of_device(
    device: Arc<CpuDevice>,
    memory: Arc<DeviceMemory>,
    block: Block,
) -> Arc<dyn PhysicalMemory> {
    let ordinal = (block.token >> 32) as u32;
    let memory = Arc::new(Memory::Device { device, memory, block, ordinal });
    Arc::new(CpuPhysicalMemory { memory })
}

impl PhysicalMemory for CpuPhysicalMemory {
    fn page_size(&self) -> usize {
        match &*self.memory {
            Memory::Device { memory, block, .. } => memory.page_size(*block),
            Memory::Host { .. } | Memory::Imported { .. } => pages::ordinary(),
        }
    }

    /// Memory of a device is kept for those who have it; a file of its own stays by itself.
    fn export(&self) -> Result<Parcel> {
        let parcel = match &*self.memory {
            Memory::Device { memory, block, .. } => {
                let at = memory.offset_of(block.addr);
                ipc::pack(Contents::Physical, memory.file()?, at, block.len as u64)
            }
            Memory::Host { file, .. } => {
                let len = files::file_len(file.as_fd());
                let len = len.map_err(|error| refused("its file in memory", error))?;
                return ipc::pack(Contents::Host, file.as_fd(), 0, len);
            }
            Memory::Imported { part, .. } => {
                ipc::pack(Contents::Physical, part.file.as_fd(), part.offset, part.len)
            }
        };
        Ok(Parcel { kept: Some(Arc::clone(&self.memory) as _), ..parcel? })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn own(memory: &dyn PhysicalMemory) -> &Arc<Memory> {
    let own = memory.as_any().downcast_ref::<CpuPhysicalMemory>();
    &own.expect("memory of this driver").memory
}

/// The ranges of a driver.
#[derive(Default)]
pub struct Ranges {
    all: Mutex<BTreeMap<usize, Range>>,
    /// Mappings that operations still use although they were taken back.
    ended: AtomicUsize,
}

struct Range {
    /// The addresses, and the room for the library's views.
    mapping: Mapping,
    parts: BTreeMap<usize, Part>,
}

/// What is mapped somewhere.
struct Part {
    len: usize,
    memory: Arc<Memory>,
    /// In guard mode: faults are explained.
    #[expect(dead_code, reason = "dropping it ends the watch")]
    watch: Option<Watch>,
    /// It was taken back; what is waited for.
    ended: Option<Fence>,
}

impl Part {
    fn overlaps(&self, addr: usize, from: usize, len: usize) -> bool {
        addr < from + len && from < addr + self.len
    }
}

/// The range that an address lies in.
fn around(all: &mut BTreeMap<usize, Range>, addr: usize) -> Option<&mut Range> {
    let (base, range) = all.range_mut(..=addr).next_back()?;
    (addr - base < range.mapping.len()).then_some(range)
}

impl Ranges {
    /// Before the library uses memory of a device that is mapped: see [`DeviceMemory::prepare`].
    #[cold]
    pub fn prepare(&self, addr: usize, len: usize) {
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

    /// Whether memory of a device is mapped there.
    pub fn is_device(&self, addr: usize) -> bool {
        let mut all = self.all.lock();
        let part = around(&mut all, addr).and_then(|range| range.parts.range(..=addr).next_back());
        part.is_some_and(|(base, part)| addr - base < part.len && part.memory.is_device())
    }

    /// Ends mappings that nothing uses any more.
    pub fn reap(&self) {
        if self.ended.load(Ordering::Relaxed) != 0 {
            self.reap_in(|_, _| true);
        }
    }

    #[cold]
    fn reap_in(&self, wanted: impl Fn(usize, &Part) -> bool) {
        let mut gone = Vec::new();
        for range in self.all.lock().values_mut() {
            let own = range.mapping.own();
            let ended = range.parts.iter_mut().filter_map(|(addr, part)| {
                let over = wanted(*addr, part)
                    && part.ended.as_mut().is_some_and(|fence| fence.has_passed());
                (over && vacate(*addr, part, own)).then_some(*addr)
            });
            let ended: Vec<usize> = ended.collect();
            gone.extend(ended.iter().map(|addr| range.parts.remove(addr)));
        }
        self.ended.fetch_sub(gone.len(), Ordering::Relaxed);
        // Giving memory back is slow: not under the lock.
        drop(gone);
    }

    /// Waits until nothing that was taken back is in the way.
    fn settle(&self, addr: usize, len: usize) {
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
                // Without a deadline it does not time out.
                let _ = stream.wait_until(&|| stream.operations.has_finished(*ticket), None);
            }
            self.reap_in(|at, part| part.overlaps(at, addr, len));
            if streams.is_empty() {
                break;
            }
        }
    }

    /// Unmaps everything.
    pub fn close(&self) {
        let all = std::mem::take(&mut *self.all.lock());
        drop(all);
    }
}

/// Takes a part out of the address space. Where the kernel refuses, it stays.
fn vacate(addr: usize, part: &Part, own: usize) -> bool {
    let own = if part.memory.is_device() { own } else { 0 };
    pages::vacate(addr, part.len, own).is_ok()
}

/// Host memory without an address is a file.
fn no_file(error: std::io::Error) -> Fault {
    let fault = refused("the system gives no file in memory", &error);
    match is_forbidden(&error) {
        true => fault.with_kind(FaultKind::Unsupported),
        false => fault,
    }
}

fn refused(what: &str, why: impl Display) -> Fault {
    Fault::new(FaultKind::OutOfHostMemory, format!("{what}: {why}"))
}

impl VirtualMemory for CpuDriver {
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize> {
        self.shared.ranges.reap();
        let own = self.shared.own_view;
        if own != 0 && len > own {
            return Err(refused(
                "PORTACL_CPU_GUARD=1",
                format_args!("a range has at most {own} bytes in guard mode, not {len}"),
            ));
        }
        let mapping = Mapping::reserved(len, align.max(HUGE as usize), wish, own);
        let mapping = mapping.map_err(|error| match wish {
            0 => refused("the system has no room for so many addresses", error),
            _ => refused("the addresses that were asked for are not free", error),
        })?;
        let addr = mapping.addr();
        host_ranges::mapped(addr, len);
        self.shared.ranges.all.lock().insert(addr, Range { mapping, parts: BTreeMap::new() });
        Ok(addr)
    }

    fn release(&self, addr: usize, len: usize) -> Result<()> {
        self.shared.ranges.settle(addr, len);
        let range = self.shared.ranges.all.lock().remove(&addr);
        drop(range);
        Ok(())
    }

    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>> {
        let file = files::device_file(len as u64).map_err(no_file)?;
        Ok(Arc::new(CpuPhysicalMemory { memory: Arc::new(Memory::Host { file, node }) }))
    }

    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory> {
        let part = ipc::unpack(parcel)?;
        let (on_device, len) = (part.contents != Contents::Host, part.len as usize);
        if !part.len.is_multiple_of(HUGE) || !part.offset.is_multiple_of(HUGE) {
            return Err(Fault::new(
                FaultKind::InvalidArgument,
                "what the other process has exported is damaged",
            ));
        }
        let memory = match on_device {
            true => Memory::Imported { part, ordinal },
            false => Memory::Host { file: part.file, node: None },
        };
        let memory = Arc::new(CpuPhysicalMemory { memory: Arc::new(memory) });
        Ok(ImportedMemory { memory, len, on_device })
    }

    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        self.shared.ranges.settle(addr, len);
        let memory = Arc::clone(own(memory));
        let own = self.shared.own_view;
        let mapped = match &*memory {
            Memory::Device { memory, block, .. } => {
                pages::replace(addr, len, memory.file()?, memory.offset_of(block.addr), own)
            }
            Memory::Imported { part, .. } => {
                pages::replace(addr, len, part.file.as_fd(), part.offset, own)
            }
            Memory::Host { file, .. } => pages::replace(addr, len, file.as_fd(), 0, 0),
        };
        mapped.map_err(|error| refused("the kernel maps no memory there: mmap", error))?;
        let mut watch = None;
        match *memory {
            Memory::Device { ordinal, .. } | Memory::Imported { ordinal, .. } if own != 0 => {
                watch = Some(Watch::new(addr, len, own, ordinal));
                host_access::taken(&Block { addr, len, token: 0 }, len, ordinal);
            }
            Memory::Device { .. } | Memory::Imported { .. } => {}
            Memory::Host { node, .. } => {
                self.settle_host_memory(addr, len, node).inspect_err(|_| {
                    // Nobody has the address: what stays there harms nobody.
                    let _ = pages::vacate(addr, len, 0);
                })?;
            }
        }
        let mut all = self.shared.ranges.all.lock();
        let range = around(&mut all, addr).expect("the core has reserved it");
        range.parts.insert(addr, Part { len, memory, watch, ended: None });
        Ok(())
    }

    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        let shared: &Shared = &self.shared;
        if shared.own_view != 0 && own(memory).is_device() {
            host_access::freed(&Block { addr, len, token: 0 });
            // What the kernel refuses here only makes the guard weaker.
            let _ = pages::set_access(addr, len, Access::None);
        }
        let fence = shared.users.fence(addr, len);
        {
            let mut all = shared.ranges.all.lock();
            let range = around(&mut all, addr).expect("the core has reserved it");
            if let Some(part) = range.parts.get_mut(&addr) {
                part.ended = Some(fence);
                shared.ranges.ended.fetch_add(1, Ordering::Relaxed);
            }
        }
        shared.ranges.reap();
        Ok(())
    }

    /// Devices here reach all memory of the process; what they may do is the core's business.
    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory,
        ordinal: Option<u32>,
        access: Access,
    ) -> Result<()> {
        let guarded = self.shared.own_view != 0 && own(memory).is_device();
        if ordinal.is_some() || !guarded {
            return Ok(());
        }
        pages::set_access(addr, len, access)
            .map_err(|error| refused("the kernel does not change the access", error))
    }
}

impl CpuDriver {
    /// Host memory that has just been mapped is to be where it was asked for, and to stay there.
    fn settle_host_memory(&self, addr: usize, len: usize, node: Option<u32>) -> Result<()> {
        if let Some(node) = node {
            bind_to_node(Block { addr, len, token: HOST }, node)?;
        }
        if let Err(error) = pages::lock(addr, len) {
            self.host.note_unlocked(len, &error);
        }
        Ok(())
    }
}
