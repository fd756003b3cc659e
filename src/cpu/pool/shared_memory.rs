//! Memory that other processes can import, and imported memory from other processes.
//!
//! A shared block lies in its device's memory like any other, so addresses, limits and views are those of the device.
//! Only its mapping is a part of the [`SharedFile`]. An importer maps a part of that file at any address, with both
//! views at the distance that a device has.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use parking_lot::Mutex;

use super::shared_file::{ImportedFile, MEMORY, SharedFile};
use crate::algo::sync::level::Level;
use crate::backend::{
    Access, Block, Fault, MemoryPlace, PointerExport, Pool, PoolAttribute, PoolHandle, Result, SharedMemory, Stream,
    bind_to_node,
};
use crate::base::arena::{Arena, ArenaBlock, HUGE};
use crate::base::pages::{Mapping, Source};
use crate::base::{files, host_ranges};
use crate::memory::device_memory::{DeviceMemory, SHARED};
use crate::memory::ipc::{self, no_descriptor};
use crate::memory::pinned::{HOST, HostMemory};
use crate::runtime::shared::Shared;

/// The mask of all flags of a token.
pub(crate) const MARKS: u64 = 0xf << 60;

/// Memory of this process in a file.
pub(crate) struct ExportedMemory {
    file: Arc<SharedFile>,
    origin: Origin,
}

/// The place of the memory's blocks.
enum Origin {
    Device(Arc<Shared>, Arc<DeviceMemory>),
    /// Host memory: the blocks of all such files, the arena that says which part of this file is free, and the NUMA
    /// node.
    Host(Arc<HostSegments>, Arc<Mutex<Arena>>, u32),
}

/// The blocks of host memory that lie in files.
pub(crate) struct HostSegments {
    list: Mutex<HashMap<usize, HostSegment>>,
    /// The pinned memory, which counts memory that could not be locked.
    host: Arc<HostMemory>,
}

/// The data that is needed to free a segment.
struct HostSegment {
    mapping: Mapping,
    in_file: ArenaBlock,
    file: Arc<SharedFile>,
    arena: Arc<Mutex<Arena>>,
}

impl HostSegments {
    pub(crate) fn new(host: Arc<HostMemory>) -> Arc<Self> {
        Arc::new(Self { list: Mutex::default(), host })
    }

    /// Allocates a block in this file, on a NUMA node. The arena says what is free.
    fn take(&self, len: usize, file: &Arc<SharedFile>, arena: &Arc<Mutex<Arena>>, node: u32) -> Result<Block> {
        let refused = |why: &dyn std::fmt::Display| {
            Fault::out_of_host_memory(format!("{len} bytes of shared host memory cannot be allocated: {why}"))
        };
        let whole = len.checked_next_multiple_of(HUGE as usize);
        let mut locked = arena.lock();
        ensure!(
            locked.make_room(),
            refused(&"no memory is left to keep track of another allocation; free host memory")
        );
        let in_file = whole.and_then(|whole| locked.take(whole as u64, HUGE));
        drop(locked);
        let in_file = in_file.ok_or_else(|| {
            Fault::out_of_host_memory(format!(
                "the shared host memory pool has no free range of {len} bytes; free allocations in the pool, or \
                 request less"
            ))
        })?;
        let free = || _ = arena.lock().free(in_file.offset, in_file.note);
        let opened = file.file.get();
        let mapping =
            opened.and_then(|file| Mapping::new(in_file.len as usize, Source::File(file, MEMORY + in_file.offset), 0));
        let mut mapping = mapping.inspect_err(|_| free()).map_err(|error| {
            refused(&format_args!("{error}. If memory is missing, raise ulimit -v or vm.max_map_count"))
        })?;
        mapping.advise_huge();
        let block = Block { addr: mapping.addr(), len: mapping.len(), token: HOST | SHARED };
        bind_to_node(block, node).inspect_err(|_| free())?;
        host_ranges::mapped(mapping.addr(), mapping.len());
        self.host.lock(&mut mapping);
        let segment = HostSegment { mapping, in_file, file: Arc::clone(file), arena: Arc::clone(arena) };
        self.list.lock().insert(block.addr, segment);
        Ok(block)
    }

    /// Returns the offset of a block's address in this file.
    fn offset_of(&self, file: &Arc<SharedFile>, addr: usize) -> u64 {
        let list = self.list.lock();
        let found = list
            .values()
            .find(|one| Arc::ptr_eq(&one.file, file) && addr.wrapping_sub(one.mapping.addr()) < one.mapping.len());
        found.map_or(u64::MAX, |one| one.in_file.offset + (addr - one.mapping.addr()) as u64)
    }

    /// Frees a block that nothing uses any more.
    pub(crate) fn free_unused(&self, block: Block) {
        let Some(segment) = self.list.lock().remove(&block.addr) else { return };
        let HostSegment { mapping, in_file, file, arena } = segment;
        files::discard(&file.file, MEMORY + in_file.offset, mapping.addr(), mapping.len());
        drop(mapping);
        arena.lock().free(in_file.offset, in_file.note);
    }

    /// Unmaps all segments.
    pub(crate) fn close(&self) {
        self.list.lock().clear();
    }
}

impl ExportedMemory {
    /// Creates device memory. `number` is the device's number among all.
    pub(crate) fn of_device(shared: Arc<Shared>, memory: Arc<DeviceMemory>, number: u32) -> Result<Self> {
        let size = memory.range().1 as u64;
        Self::new(MemoryPlace::Device(number), size, Origin::Device(shared, memory))
    }

    /// Creates host memory. `size` is the maximum number of its bytes, a multiple of 4 KiB.
    pub(crate) fn of_host(segments: Arc<HostSegments>, size: u64, node: u32) -> Result<Self> {
        let mut arena = Arena::default();
        arena.add_region(0, size);
        let origin = Origin::Host(segments, Arc::new(Mutex::new(arena)), node);
        Self::new(MemoryPlace::Host(Some(node)), size, origin)
    }

    fn new(place: MemoryPlace, size: u64, origin: Origin) -> Result<Self> {
        let file = SharedFile::new(place, size).map_err(|error| ipc::no_file(" for a shared pool", &error))?;
        Ok(Self { file: Arc::new(file), origin })
    }

    /// Returns the offset of a block's address in the file.
    fn offset_of(&self, addr: usize) -> u64 {
        match &self.origin {
            Origin::Device(_, memory) => memory.offset(addr),
            Origin::Host(segments, ..) => segments.offset_of(&self.file, addr),
        }
    }
}

impl SharedMemory for ExportedMemory {
    fn alloc(&self, len: usize) -> Result<Block> {
        match &self.origin {
            Origin::Device(shared, memory) => shared.take(memory, len, 0, || memory.take_shared(len, &self.file)),
            Origin::Host(segments, arena, node) => segments.take(len, &self.file, arena, *node),
        }
    }

    fn export(&self) -> Result<OwnedFd> {
        self.file.file.duplicate().map_err(no_descriptor)
    }

    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport> {
        self.file.export(self.offset_of(addr), len as u64)
    }

    fn withdraw(&self, addr: usize) {
        self.file.withdraw(self.offset_of(addr));
    }

    fn close(&self) {
        self.file.close();
    }
}

impl Drop for ExportedMemory {
    fn drop(&mut self) {
        self.close();
    }
}

/// A pool of another process, of which only named blocks can be imported.
pub(crate) struct ImportedPool {
    shared: Arc<Shared>,
    file: ImportedFile,
    /// The place of the pool, in this process's numbers.
    pub place: MemoryPlace,
    /// The number of bytes of the pool that are mapped here.
    mapped: Arc<Level>,
}

impl ImportedPool {
    /// Creates the pool. `ordinal` is the device that the memory must be on, if it must be on one.
    pub(crate) fn new(shared: Arc<Shared>, file: ImportedFile, ordinal: u32) -> Result<Self> {
        let place = match file.place() {
            MemoryPlace::Device(number) => {
                let own = shared.numbers[ordinal as usize];
                if number != own {
                    return Err(Fault::invalid(format!(
                        "the exported memory is on device {number} of this machine, but the current device is device \
                         {own} of this machine; make the exporting device current"
                    )));
                }
                MemoryPlace::Device(ordinal)
            }
            host => host,
        };
        Ok(Self { shared, file, place, mapped: Arc::default() })
    }
}

/// Returns the error for calls that imported pools do not support.
fn not_of_an_import<T>(what: &str) -> Result<T> {
    Err(Fault::unsupported(format!("an imported pool has no {what}; use the pool in the process that created it")))
}

impl Pool for ImportedPool {
    fn alloc(&self, _len: usize, _stream: &dyn Stream) -> Result<Block> {
        not_of_an_import("memory to allocate")
    }

    /// Frees the block at once: pending operations keep the memory.
    fn free(&self, block: Block, _stream: &dyn Stream) -> Result<()> {
        self.free_now(block)
    }

    fn free_now(&self, block: Block) -> Result<()> {
        self.shared.imports.free(&self.shared.users, block);
        Ok(())
    }

    fn get(&self, attribute: PoolAttribute) -> Result<u64> {
        let mapped = self.mapped.read();
        Ok(match attribute {
            PoolAttribute::ReservedCurrent | PoolAttribute::UsedCurrent => mapped.current,
            PoolAttribute::ReservedHigh | PoolAttribute::UsedHigh => mapped.peak,
            // The memory in such a pool is never reused or cached.
            PoolAttribute::FollowEventDependencies
            | PoolAttribute::AllowOpportunistic
            | PoolAttribute::AllowInternalDependencies
            | PoolAttribute::ReleaseThreshold => 0,
        })
    }

    fn set(&self, _attribute: PoolAttribute, _value: u64) -> Result<()> {
        not_of_an_import("attributes to set")
    }

    /// Does nothing, because there is no unused memory.
    fn trim(&self, _keep: usize) -> Result<()> {
        Ok(())
    }

    /// Does nothing, because every device can access all memory of the process.
    fn set_access(&self, _ordinal: u32, _access: Access) -> Result<()> {
        Ok(())
    }

    fn access(&self, _ordinal: u32) -> Result<Access> {
        Ok(Access::ReadWrite)
    }

    fn export(&self) -> Result<PoolHandle<OwnedFd>> {
        not_of_an_import("handle to export")
    }

    fn export_block(&self, _block: Block) -> Result<PointerExport> {
        not_of_an_import("pointers to export")
    }

    fn import_block(&self, export: &PointerExport) -> Result<Block> {
        let (offset, len) = self.file.locate(export)?;
        let (file, range) = (&self.file.file, (MEMORY + offset, len));
        self.shared.imports.map(file, range, self.place.device(), Arc::clone(&self.mapped))
    }
}
