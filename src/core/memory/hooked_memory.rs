//! Allocation and release of memory between the hooks of the program.

use std::sync::Arc;

use crate::backend::{Block, PagePolicy};
use crate::core::base::error::{Code, Error, Result};
use crate::core::memory;
use crate::core::memory::allocation::{Allocation, Owner, open_device};
use crate::core::memory::memory_hook::{
    self, Event, Found, HOST, MemoryKind, Moment, around_allocation, around_free, around_import,
};
use crate::core::memory::page_policy::padded;
use crate::core::pool::mem_pool::pool::rounded;
use crate::core::runtime;
use crate::core::runtime::device::Device;
use crate::core::runtime::thread;

fn event(device: i32, kind: MemoryKind, size: usize, rounded: usize) -> Event {
    let (addr, handle, stream) = (0, 0, 0);
    Event { device, kind, size, rounded, addr, handle, stream, page_size: 0, failed: false }
}

/// What an allocation is, for hooks.
fn found(addr: &usize) -> Found {
    let attributes = memory::pointer_attributes(*addr);
    let page_size = attributes.map_or(0, |attributes| attributes.page_size as usize);
    Found { addr: *addr, handle: 0, page_size }
}

/// Hands device memory to the program, which `allocate` takes from where it is, on pages of this kind.
pub fn malloc(
    size: usize,
    tail: bool,
    pages: PagePolicy,
    allocate: impl FnOnce() -> Result<usize>,
) -> Result<usize> {
    let device = thread::current()?.device.clone();
    let rounded = padded(size, tail && device.readable_tail)
        .map_or(size, |len| device.native.block_len(len, pages));
    let event = event(device.id as i32, MemoryKind::Device, size, rounded);
    drop(device);
    around_allocation(Moment::Malloc, event, allocate, found)
}

/// As [`malloc`], for managed memory.
pub fn malloc_managed(
    size: usize,
    rounded: usize,
    allocate: impl FnOnce() -> Result<usize>,
) -> Result<usize> {
    let id = thread::current()?.device.id;
    let event = event(id as i32, MemoryKind::Managed, size, rounded);
    around_allocation(Moment::Malloc, event, allocate, found)
}

/// As [`malloc`], for page-locked host memory, of which the library keeps none.
pub fn malloc_host(size: usize, take: impl FnOnce() -> Result<usize>) -> Result<usize> {
    let driver = runtime::session()?.driver.clone();
    let rounded = padded(size, false).map_or(size, |len| driver.host_block_len(len));
    drop(driver);
    let event = event(HOST, MemoryKind::Pinned, size, rounded);
    let alloc = Event { size: 0, ..event };
    let take = || around_allocation(Moment::Alloc, alloc, take, found);
    around_allocation(Moment::Malloc, event, take, found)
}

/// As [`malloc`], for memory of a pool in the order of a stream, or for a graph.
pub fn malloc_from_pool(
    kind: MemoryKind,
    device: Option<u32>,
    size: usize,
    stream: u64,
    take: impl FnOnce() -> Result<usize>,
) -> Result<usize> {
    let device = device.map_or(HOST, |id| id as i32);
    let event = Event { stream, ..event(device, kind, size, rounded(size)) };
    around_allocation(Moment::Malloc, event, take, found)
}

/// Takes a block of `len` bytes from a device, which is not held while hooks run: they may reset it.
pub fn alloc(
    device: Arc<Device>,
    kind: MemoryKind,
    len: usize,
    take: impl FnOnce(&Device) -> Result<usize>,
) -> Result<usize> {
    let (id, owner) = (device.id, device.owner);
    drop(device);
    let event = event(id as i32, kind, 0, len);
    around_allocation(Moment::Alloc, event, || take(&*open_again(id, owner)?), found)
}

/// Takes `len` bytes for a pool, on a device or in host memory, where a request in the order of a
/// stream wants more than it has. The block.
pub fn alloc_segment(
    kind: MemoryKind,
    device: Option<u32>,
    len: usize,
    stream: u64,
    take: impl FnOnce() -> Result<Block>,
) -> Result<Block> {
    let device = device.map_or(HOST, |id| id as i32);
    let event = Event { stream, ..event(device, kind, 0, len) };
    around_allocation(Moment::Alloc, event, take, |block| {
        let session = runtime::existing_session();
        let page_size = session.map_or(0, |session| session.driver.page_size(*block));
        Found { addr: block.addr, handle: 0, page_size }
    })
}

/// As [`malloc`], for memory without an address, which `take` makes a handle for: on a device, or in host
/// memory.
pub fn malloc_physical(
    device: Option<u32>,
    size: usize,
    rounded: usize,
    take: impl FnOnce() -> Result<u64>,
) -> Result<u64> {
    let event = match device {
        Some(id) => event(id as i32, MemoryKind::Device, size, rounded),
        None => event(HOST, MemoryKind::Pinned, size, rounded),
    };
    let found = |handle: &u64| Found { handle: *handle, ..Found::default() };
    let alloc = Event { size: 0, ..event };
    let take = || around_allocation(Moment::Alloc, alloc, take, found);
    around_allocation(Moment::Malloc, event, take, found)
}

/// The device that was open as `owner` before hooks ran.
pub fn open_again(id: u32, owner: Owner) -> Result<Arc<Device>> {
    open_device(id).filter(|device| device.owner == owner).ok_or_else(|| {
        Error::new(
            Code::ContextNull,
            format_args!(
                "device {id} was reset while a memory hook ran; call aclrtSetDevice again"
            ),
        )
    })
}

/// Gives memory back by `free`. What is no allocation of these kinds is no business of hooks: the call
/// says what it is.
pub fn free(addr: usize, kinds: &[MemoryKind], free: impl FnOnce() -> Result<()>) -> Result<()> {
    free_in(0, addr, kinds, free)
}

/// As [`free`], in the order of a stream.
pub fn free_in(
    stream: u64,
    addr: usize,
    kinds: &[MemoryKind],
    free: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let Some(found) = Allocation::known(addr).filter(|found| found.base == addr) else {
        return free();
    };
    let Some((kind, device)) = MemoryKind::of(&found) else { return free() };
    // What was imported of a pool, or is a graph's, is freed like memory of a pool.
    let freed_as = if found.pool().is_some() { MemoryKind::Pool } else { kind };
    if !kinds.contains(&freed_as) {
        return free();
    }
    let page_size = self::found(&addr).page_size;
    let event = event(device, kind, 0, found.block().len);
    around_free(Event { addr, page_size, stream, ..event }, free)
}

/// Memory of another process, or memory without an address: at an address, or 0 and a handle that names it; on
/// a device, or in host memory.
pub struct Piece {
    /// Which memory.
    pub kind: MemoryKind,
    /// The first byte.
    pub addr: usize,
    /// What names it where there is no address.
    pub handle: u64,
    /// Bytes.
    pub len: usize,
    /// Where it is.
    pub device: Option<u32>,
}

impl Piece {
    fn event(&self) -> Event {
        let Self { kind, addr, handle, len, device } = *self;
        let page_size = if addr == 0 { 0 } else { found(&addr).page_size };
        let device = device.map_or(HOST, |id| id as i32);
        Event { addr, handle, page_size, ..event(device, kind, 0, len) }
    }

    /// Hands what was imported to the program, unless a hook refuses that: then `give_back` takes it back. Only
    /// now is its length known, so that failures before this are not told.
    pub fn hand_out(&self, give_back: impl FnOnce() -> Result<()>) -> Result<()> {
        if !memory_hook::exist() {
            return Ok(());
        }
        around_import(&Event { size: self.len, ..self.event() }).inspect_err(|_| {
            // The refusal is what there is to tell.
            let _ = give_back();
        })
    }

    /// Gives it back by `free`.
    pub fn free(&self, free: impl FnOnce() -> Result<()>) -> Result<()> {
        around_free(self.event(), free)
    }
}
