//! Blocks that other processes may have: each lies in a memory file of its own, because a process that gets a
//! descriptor can read and write the whole file.
//!
//! A block moves to its file when it is exported, with its address and its contents, while threads may use it: those
//! that write wait until it has moved. Its place in the device's memory stays taken. When the block is freed, the
//! device's memory is mapped there again, and other processes keep the file.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::DeviceMemory;
use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::grow::filled;
use crate::algo::host::notice::notice_once;
use crate::algo::host::system_call::named;
use crate::backend::{Access, Block, Fault, Result};
use crate::base::arena::{Arena, HUGE, UNIT};
use crate::base::files;
use crate::base::pages::{self, Mapping, Source, whole_pages};
use crate::base::write_barrier::WriteBarrier;
use crate::memory::ipc;

/// The number of bytes that are copied at a time.
const STEP: u64 = HUGE;

/// The file of a block.
pub(crate) struct OwnFile {
    pub file: Descriptor,
    /// The offset of the block, which is as far from a multiple of 2 MiB as its address is.
    pub offset: u64,
}

/// The addresses at which threads may use a block.
#[derive(Clone, Copy)]
pub(crate) enum Uses<'a> {
    /// Its own.
    Own,
    /// These, where it is mapped, with the access of the host there.
    Mapped(&'a [(usize, Access)]),
}

/// A block that has moved.
struct Moved {
    len: usize,
    own: Arc<OwnFile>,
    /// The device's memory that was mapped there before.
    parked: Option<Mapping>,
}

#[derive(Default)]
pub(super) struct Apart {
    blocks: Mutex<HashMap<usize, Moved>>,
    /// Whether there are any. Written while `blocks` is locked.
    any: AtomicBool,
}

/// Says what an export grants that the kernel does not let move.
fn warn(error: &io::Error) {
    notice_once(&format!(
        "importing processes can read and write all memory on the exporting device, because the system does not let \
         exported memory move to a separate file: {error}; allow userfaultfd (the sysctl vm.unprivileged_userfaultfd, \
         the container's seccomp profile) on Linux 5.19 or later (aarch64: 6.10), or export physical memory before it \
         is mapped (docs/sharing.md)"
    ));
}

impl DeviceMemory {
    /// Returns the file of a block of whole pages. The first call moves the block there. Returns `None` if threads may
    /// use the block, and the system cannot hold their writes back: then it stays in the file of the device.
    pub(crate) fn set_apart(&self, block: Block, uses: Uses<'_>) -> Result<Option<Arc<OwnFile>>> {
        self.check_file()?;
        let page = pages::ordinary().max(UNIT as usize);
        if !block.addr.is_multiple_of(page) || !block.len.is_multiple_of(page) {
            return Ok(None);
        }
        let mut blocks = self.apart.blocks.lock();
        if let Some(found) = blocks.get(&block.addr) {
            return Ok(Some(Arc::clone(&found.own)));
        }
        // A thread that frees the block from now on finds the flag, and waits: see `free_arena`.
        self.apart.any.store(true, Ordering::SeqCst);
        let moved = match self.arena.lock().contains(self.offset(block.addr), block.len as u64, block.token as u32) {
            true => self.move_to_file(block, uses),
            false => Err(Fault::invalid("another thread frees the memory")),
        };
        let moved = moved.map(|moved| {
            moved.map(|moved| {
                let own = Arc::clone(&moved.own);
                blocks.insert(block.addr, moved);
                own
            })
        });
        self.apart.any.store(!blocks.is_empty(), Ordering::SeqCst);
        moved
    }

    /// Returns the source from which a block with this file is mapped another time.
    pub(crate) fn another_of<'a>(&self, addr: usize, own: &'a OwnFile) -> Source<'a> {
        Source::Mapped(self.own(addr), Some((&own.file, own.offset)))
    }

    /// Returns the blocks that have moved: address and length.
    pub(super) fn moved_ranges(&self) -> Vec<(usize, usize)> {
        self.apart.blocks.lock().iter().map(|(addr, moved)| (*addr, moved.len)).collect()
    }

    fn move_to_file(&self, block: Block, uses: Uses<'_>) -> Result<Option<Moved>> {
        let others = if let Uses::Mapped(others) = uses { others } else { &[] };
        // No thread writes to memory that is mapped nowhere.
        let is_unused = matches!(uses, Uses::Mapped([]));
        let barrier = if is_unused { None } else { WriteBarrier::new().inspect_err(warn).ok() };
        if barrier.is_none() && !is_unused {
            return Ok(None);
        }
        let (at, offset) = (self.offset(block.addr), block.addr as u64 % HUGE);
        let refused = |error: io::Error| {
            Fault::out_of_host_memory(format!(
                "a block of {} bytes cannot be exported, because it cannot move to a memory file of its own: {error}. \
                 If memory is missing, free host memory, or raise ulimit -v or vm.max_map_count",
                block.len
            ))
        };
        let file = files::sealed_file(c"portacl-export", offset + block.len as u64);
        let file = file.map_err(|error| ipc::no_file(" for exported memory", &error))?;
        let parked = self.backing.park(self.own(block.addr), at, block.len).map_err(refused)?;
        let views = || std::iter::once(block.addr).chain(others.iter().map(|(addr, _)| *addr));
        if let Some(barrier) = &barrier {
            let mut held = views().map(|addr| barrier.hold(self.own(addr), block.len).inspect_err(warn));
            if held.any(|held| held.is_err()) {
                return Ok(None);
            }
        }
        let (first, last) = whole_pages(block.addr, block.len);
        let was_huge = first < last && pages::is_huge(self.own(first), last - first);
        self.copy_to(&file, offset, block).map_err(refused)?;
        let source = Source::File(file.get().map_err(refused)?, offset);
        for addr in views() {
            if let Err(error) = pages::replace(addr, block.len, source, self.library_view) {
                // The contents are the same in both files, as far as no thread has written since.
                let before = views().take_while(|before| *before != addr);
                before.for_each(|addr| _ = self.map_parked(Block { addr, ..block }, at, parked.as_ref()));
                return Err(refused(error));
            }
        }
        for (addr, access) in others {
            if self.is_guarded() && *access != Access::None {
                pages::set_access(*addr, block.len, *access).map_err(refused)?;
            }
        }
        drop(barrier);
        if let Some(parked) = &parked {
            self.backing.discard(parked.addr(), (at, at + block.len as u64));
        }
        if was_huge && pages::collapse(self.own(first), last - first).is_err() {
            self.huge_failures.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Some(Moved { len: block.len, own: Arc::new(OwnFile { file, offset }), parked }))
    }

    /// Copies the contents of a block. No thread writes there.
    fn copy_to(&self, file: &Descriptor, offset: u64, block: Block) -> io::Result<()> {
        let (start, end) = (self.offset(block.addr), self.offset(block.addr) + block.len as u64);
        let mut bytes = filled(0_u8, STEP.min(end - start) as usize).ok_or(ErrorKind::OutOfMemory)?;
        let mut next = start;
        while let Some((first, last)) = self.backing.next_data(next, &[(start, end)])? {
            let mut at = first;
            while at < last {
                let stop = last.min(at + STEP);
                let bytes = &mut bytes[..(stop - at) as usize];
                self.backing.read(self.own(self.base + at as usize), at, bytes)?;
                file.file()?.write_all_at(bytes, offset + at - start).map_err(|error| named("pwrite", error))?;
                at = stop;
            }
            next = last;
        }
        Ok(())
    }

    /// Maps the device's memory at the place of a block that is freed, if the block has its own file. Returns false if
    /// the kernel does not: then the block is not reused, because other processes could read what follows.
    pub(super) fn map_back(&self, block: Block) -> bool {
        if !self.apart.any.load(Ordering::SeqCst) {
            return true;
        }
        let mut blocks = self.apart.blocks.lock();
        let Some(moved) = blocks.remove(&block.addr) else { return true };
        self.apart.any.store(!blocks.is_empty(), Ordering::SeqCst);
        let is_back = self.map_parked(block, self.offset(block.addr), moved.parked.as_ref()).is_ok();
        self.bounds.close_pages(block);
        is_back
    }

    /// Locks the arena to free a block there. Returns `None` if the block cannot be reused.
    pub(super) fn free_arena(&self, block: Block) -> Option<MutexGuard<'_, Arena>> {
        let arena = self.arena.lock();
        if !self.apart.any.load(Ordering::SeqCst) {
            return Some(arena);
        }
        // An export may have begun after the block was checked, or have found it taken.
        drop(arena);
        self.map_back(block).then(|| self.arena.lock())
    }

    /// Forgets all files, with the mapping of the memory.
    pub(super) fn forget_files(&self) {
        self.apart.blocks.lock().clear();
    }
}
