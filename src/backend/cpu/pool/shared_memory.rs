//! Memory that other processes can have as well, and what we have of theirs.
//!
//! A block to be shared takes its place in its device's memory like any other, so addresses, limits
//! and views are those of the device; only what is mapped there is a part of the [`SharedFile`]. Who
//! imports a part of it maps it anywhere, with both views as far apart as a device has them.

use std::collections::{BTreeMap, HashMap};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use parking_lot::Mutex;

use super::shared_file::{ImportedFile, MEMORY, SharedFile};
use crate::algo::host::system_call::is_forbidden;
use crate::backend::cpu::base::arena::{Arena, HUGE, Piece, UNIT};
use crate::backend::cpu::base::files;
use crate::backend::cpu::base::host_ranges;
use crate::backend::cpu::base::pages::Mapping;
use crate::backend::cpu::memory::device_memory::{DeviceMemory, SHARED};
use crate::backend::cpu::memory::host_access;
use crate::backend::cpu::memory::host_access::Watch;
use crate::backend::cpu::memory::pending::Deferred;
use crate::backend::cpu::memory::pinned::{HOST, HostMemory};
use crate::backend::cpu::runtime::device::CpuDevice;
use crate::backend::cpu::runtime::driver::Shared;
use crate::backend::memory::usage::Counter;
use crate::backend::{
    Access, Block, Fault, FaultKind, PointerExport, Pool, PoolAttribute, PoolHandle, PoolPlace,
    Result, SharedMemory, Stream, bind_to_node,
};

/// Marks a block as memory of another process, in its token.
pub const IMPORTED: u64 = 1 << 60;
/// All marks of a token.
pub const MARKS: u64 = 0xf << 60;

fn no_file(error: std::io::Error) -> Fault {
    let kind = match is_forbidden(&error) {
        true => FaultKind::Unsupported,
        false => FaultKind::OutOfHostMemory,
    };
    Fault::new(kind, format!("the system gives no file in memory to be shared: {error}"))
}

fn no_descriptor(error: std::io::Error) -> Fault {
    Fault::new(FaultKind::OutOfHostMemory, format!("the system gives no descriptor: dup: {error}"))
}

/// Memory of a device in a file.
pub struct SharedDeviceMemory {
    device: Arc<CpuDevice>,
    memory: Arc<DeviceMemory>,
    file: Arc<SharedFile>,
}

impl SharedDeviceMemory {
    /// `number`: of the device among all.
    pub fn new(device: Arc<CpuDevice>, memory: Arc<DeviceMemory>, number: u32) -> Result<Self> {
        let size = memory.range().1 as u64;
        let file = SharedFile::new(PoolPlace::Device(number), size).map_err(no_file)?;
        Ok(Self { device, memory, file: Arc::new(file) })
    }
}

impl SharedMemory for SharedDeviceMemory {
    fn alloc(&self, len: usize) -> Result<Block> {
        self.device.take_shared(len, &self.file)
    }

    fn export(&self) -> Result<OwnedFd> {
        self.file.descriptor().map_err(no_descriptor)
    }

    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport> {
        self.file.export(self.memory.offset_of(addr), len as u64)
    }

    fn withdraw(&self, addr: usize) {
        self.file.withdraw(self.memory.offset_of(addr));
    }

    fn close(&self) {
        self.file.close();
    }
}

impl Drop for SharedDeviceMemory {
    fn drop(&mut self) {
        self.close();
    }
}

/// Host memory in a file, on a NUMA node.
pub struct SharedHostMemory {
    segments: Arc<HostSegments>,
    file: Arc<SharedFile>,
    arena: Arc<Mutex<Arena>>,
    node: u32,
}

/// The blocks of host memory that lie in files.
pub struct HostSegments {
    list: Mutex<HashMap<usize, HostSegment>>,
    /// Counts what cannot be locked.
    host: Arc<HostMemory>,
}

/// One of them: what is needed to take it back.
struct HostSegment {
    mapping: Mapping,
    piece: Piece,
    file: Arc<SharedFile>,
    arena: Arc<Mutex<Arena>>,
}

impl HostSegments {
    pub fn new(host: Arc<HostMemory>) -> Arc<Self> {
        Arc::new(Self { list: Mutex::default(), host })
    }

    /// Takes a block back that nothing uses any more.
    pub fn give(&self, block: Block) {
        let Some(segment) = self.list.lock().remove(&block.addr) else { return };
        let HostSegment { mapping, piece, file, arena } = segment;
        drop(mapping);
        files::discard(file.as_fd(), MEMORY + piece.offset, piece.len);
        arena.lock().give(piece.offset, piece.note);
    }

    /// Unmaps all of them.
    pub fn close(&self) {
        self.list.lock().clear();
    }
}

impl SharedHostMemory {
    /// `size`: bytes that it has at most, a multiple of 4 KiB.
    pub fn new(segments: Arc<HostSegments>, size: u64, node: u32) -> Result<Self> {
        let file = SharedFile::new(PoolPlace::HostNode(node), size).map_err(no_file)?;
        let mut arena = Arena::new();
        arena.add_region(0, size);
        Ok(Self { segments, file: Arc::new(file), arena: Arc::new(Mutex::new(arena)), node })
    }

    fn give(&self, piece: Piece) {
        self.arena.lock().give(piece.offset, piece.note);
    }

    /// Where a block's address is in the file.
    fn offset_of(&self, addr: usize) -> u64 {
        let list = self.segments.list.lock();
        let found = list.values().find(|one| {
            Arc::ptr_eq(&one.file, &self.file)
                && addr.wrapping_sub(one.mapping.addr()) < one.mapping.len()
        });
        found.map_or(u64::MAX, |one| one.piece.offset + (addr - one.mapping.addr()) as u64)
    }
}

impl SharedMemory for SharedHostMemory {
    fn alloc(&self, len: usize) -> Result<Block> {
        let refused = |why: &dyn std::fmt::Display| {
            Fault::new(
                FaultKind::OutOfHostMemory,
                format!("the system has no {len} bytes of host memory to be shared: {why}"),
            )
        };
        let whole = len.checked_next_multiple_of(HUGE as usize);
        let mut arena = self.arena.lock();
        if !arena.make_room() {
            return Err(refused(&"none is left to keep account of it"));
        }
        let piece = whole.and_then(|whole| arena.take(whole as u64, HUGE));
        drop(arena);
        let piece = piece.ok_or_else(|| refused(&"more than there is on this machine"))?;
        let mapping =
            Mapping::of_part(piece.len as usize, self.file.as_fd(), MEMORY + piece.offset, 0);
        let mut mapping = mapping.map_err(|error| {
            self.give(piece);
            refused(&error)
        })?;
        mapping.advise_huge();
        let block = Block { addr: mapping.addr(), len: mapping.len(), token: HOST | SHARED };
        bind_to_node(block, self.node).inspect_err(|_| self.give(piece))?;
        host_ranges::mapped(mapping.addr(), mapping.len());
        self.segments.host.lock(&mut mapping);
        let (file, arena) = (Arc::clone(&self.file), Arc::clone(&self.arena));
        let segment = HostSegment { mapping, piece, file, arena };
        self.segments.list.lock().insert(block.addr, segment);
        Ok(block)
    }

    fn export(&self) -> Result<OwnedFd> {
        self.file.descriptor().map_err(no_descriptor)
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

impl Drop for SharedHostMemory {
    fn drop(&mut self) {
        self.close();
    }
}

/// What this process has of others.
pub struct Imports {
    /// By the address of the block.
    live: Mutex<BTreeMap<usize, Import>>,
    deferred: Deferred,
}

/// A block of another process.
struct Import {
    len: usize,
    /// In guard mode: faults are explained.
    watch: Option<Watch>,
    #[expect(dead_code, reason = "dropping it unmaps the block")]
    mapping: Mapping,
    /// Of its pool, if it is of one.
    counter: Arc<Counter>,
}

impl Drop for Import {
    fn drop(&mut self) {
        self.counter.sub(self.len);
    }
}

impl Imports {
    pub fn new() -> Self {
        Self { live: Mutex::default(), deferred: Deferred::new() }
    }

    /// Whether the address is one that a program has of a device's imported memory.
    pub fn contains(&self, addr: usize) -> bool {
        let live = self.live.lock();
        let before = live.range(..=addr).next_back();
        before.is_some_and(|(base, import)| import.watch.is_some() && addr - base < import.len)
    }

    /// Maps `len` bytes that are at `at` in somebody's file, as memory of the device with this ordinal, or
    /// of the host.
    pub fn map(
        &self,
        shared: &Shared,
        file: BorrowedFd<'_>,
        (at, len): (u64, u64),
        ordinal: Option<u32>,
        counter: Arc<Counter>,
    ) -> Result<Block> {
        self.reap(crate::backend::cpu::runtime::driver::REAP);
        let first = at & !(UNIT - 1);
        let whole = ((at + len).next_multiple_of(UNIT) - first) as usize;
        let own = if ordinal.is_some() { shared.own_view } else { 0 };
        if own != 0 && whole > own {
            return Err(Fault::new(
                FaultKind::OutOfDeviceMemory,
                format!(
                    "in guard mode {len} bytes of another process cannot be imported where a device \
                     has {own}: give it as much memory as there (PORTACL_CPU_MEMORY)"
                ),
            ));
        }
        let mapping = Mapping::of_part(whole, file, first, own);
        let mapping = mapping.map_err(|error| {
            Fault::new(
                FaultKind::OutOfHostMemory,
                format!("{len} bytes of another process cannot be mapped: mmap: {error}"),
            )
        })?;
        let base = mapping.addr();
        host_ranges::mapped(base, whole);
        let (addr, len) = (base + (at - first) as usize, len as usize);
        let token = IMPORTED | ordinal.map_or(HOST, |ordinal| u64::from(ordinal) << 32);
        let block = Block { addr, len, token };
        let watch = ordinal.filter(|_| own != 0).map(|ordinal| {
            let watch = Watch::new(base, whole, own, ordinal);
            host_access::taken(&block, len, ordinal);
            watch
        });
        counter.add(len);
        self.live.lock().insert(addr, Import { len, watch, mapping, counter });
        Ok(block)
    }

    /// Takes a block back. Operations that were queued before keep it.
    pub fn free(&self, shared: &Shared, block: Block) {
        if block.token & HOST == 0 && shared.own_view != 0 {
            host_access::freed(&block);
        }
        let mut fence = shared.users.fence(block.addr, block.len);
        if fence.has_passed() {
            self.give(block);
        } else {
            self.deferred.add(block, fence);
        }
    }

    fn give(&self, block: Block) {
        let gone = self.live.lock().remove(&block.addr);
        // Unmapping is slow: not under the lock.
        drop(gone);
    }

    /// Gives back what nothing uses any more, looking at `limit` blocks at most.
    pub fn reap(&self, limit: usize) {
        self.deferred.reap(limit, |block| self.give(block));
    }

    /// How many blocks there are, those that wait for operations included.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.live.lock().len()
    }

    /// Unmaps all that is left.
    pub fn close(&self) {
        drop(std::mem::take(&mut *self.live.lock()));
    }
}

/// What another process has exported: a pool out of which nothing is taken but what that process has
/// given a name.
pub struct ImportedPool {
    shared: Arc<Shared>,
    file: ImportedFile,
    place: PoolPlace,
    /// Bytes of it that are mapped here.
    mapped: Arc<Counter>,
}

impl ImportedPool {
    /// `ordinal`: of the device that the memory has to be of, if it is of one.
    pub fn new(shared: Arc<Shared>, file: ImportedFile, ordinal: u32) -> Result<Self> {
        let place = match file.place() {
            PoolPlace::Device(number) => {
                let own = shared.numbers[ordinal as usize];
                if number != own {
                    return Err(Fault::new(
                        FaultKind::InvalidArgument,
                        format!(
                            "the exported memory is of device {number} of this machine, the current \
                             one is device {own} of it; make the same device the current one"
                        ),
                    ));
                }
                PoolPlace::Device(ordinal)
            }
            host => host,
        };
        Ok(Self { shared, file, place, mapped: Arc::default() })
    }

    /// Where its memory is, in the numbers of this process.
    pub fn place(&self) -> PoolPlace {
        self.place
    }
}

/// What nobody asks of an imported pool.
fn not_of_an_import<T>(what: &str) -> Result<T> {
    Err(Fault::new(FaultKind::Unsupported, format!("an imported pool has no {what}")))
}

impl Pool for ImportedPool {
    fn alloc(&self, _len: usize, _stream: &dyn Stream) -> Result<Block> {
        not_of_an_import("memory to give")
    }

    /// At once: whatever has been queued keeps the memory.
    fn free(&self, block: Block, _stream: &dyn Stream) -> Result<()> {
        self.free_now(block)
    }

    fn free_now(&self, block: Block) -> Result<()> {
        self.shared.imports.free(&self.shared, block);
        Ok(())
    }

    fn get(&self, attribute: PoolAttribute) -> Result<u64> {
        let mapped = self.mapped.read();
        Ok(match attribute {
            PoolAttribute::ReservedCurrent | PoolAttribute::UsedCurrent => mapped.current,
            PoolAttribute::ReservedHigh | PoolAttribute::UsedHigh => mapped.peak,
            // Nothing of it is used again, or kept.
            PoolAttribute::FollowEventDependencies
            | PoolAttribute::AllowOpportunistic
            | PoolAttribute::AllowInternalDependencies
            | PoolAttribute::ReleaseThreshold => 0,
        })
    }

    fn set(&self, _attribute: PoolAttribute, _value: u64) -> Result<()> {
        not_of_an_import("attributes to set")
    }

    /// There is nothing that is not in use.
    fn trim(&self, _keep: usize) -> Result<()> {
        Ok(())
    }

    /// All memory here is this process's, whichever device uses it.
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
        let ordinal = match self.place {
            PoolPlace::Device(ordinal) => Some(ordinal),
            PoolPlace::Host | PoolPlace::HostNode(_) => None,
        };
        let (file, range) = (self.file.as_fd(), (MEMORY + offset, len));
        let counter = Arc::clone(&self.mapped);
        self.shared.imports.map(&self.shared, file, range, ordinal, counter)
    }
}
