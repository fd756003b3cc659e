//! Blocks that lie in the file of a pool that processes share.

use std::io;
use std::sync::Arc;

use super::{DeviceMemory, SHARED};
use crate::backend::{Block, Fault, PagePolicy, Result};
use crate::base::files;
use crate::base::pages::{self, Mapping, Source};
use crate::memory::host_access;
use crate::pool::shared_file::{self, SharedFile};

/// A block in a separate file.
pub(super) struct SharedBlock {
    pub(super) len: usize,
    file: Arc<SharedFile>,
    /// The device's memory that was mapped there before.
    parked: Option<Mapping>,
}

impl DeviceMemory {
    /// Allocates a block of whole 2 MiB pages as [`Self::take`] does, and maps it from `file`, at the same offset as
    /// here. The file is as large as all of this memory.
    pub(crate) fn take_shared(&self, len: usize, file: &Arc<SharedFile>) -> Result<Option<Block>> {
        let Some(block) = self.take_block(len, PagePolicy::HugeFirst)? else { return Ok(None) };
        let parked = self.map_shared(block, file).inspect_err(|_| self.free_unused(block)).map_err(|error| {
            Fault::out_of_host_memory(format!(
                "a block of {len} bytes cannot be mapped for sharing: {error}. If memory is missing, raise ulimit -v \
                 or vm.max_map_count, or free host memory"
            ))
        })?;
        self.shared.lock().insert(block.addr, SharedBlock { len: block.len, file: Arc::clone(file), parked });
        if self.is_guarded() {
            host_access::taken(&block, len);
        }
        Ok(Some(Block { token: block.token | SHARED, ..block }))
    }

    /// Maps a shared file in place of a block. Returns what was mapped there. If it fails, the block is as it was, or
    /// the process has no room for the mappings that it has.
    fn map_shared(&self, block: Block, file: &SharedFile) -> io::Result<Option<Mapping>> {
        let at = self.offset(block.addr);
        let parked = self.backing.park(self.own(block.addr), at, block.len)?;
        let source = Source::File(file.file.get()?, shared_file::MEMORY + at);
        pages::replace(block.addr, block.len, source, self.library_view)
            .inspect_err(|_| _ = self.map_parked(block, at, parked.as_ref()))?;
        Ok(parked)
    }

    /// Maps the device's memory at an offset in place of a block in a separate file.
    pub(super) fn map_parked(&self, block: Block, offset: u64, parked: Option<&Mapping>) -> io::Result<()> {
        let source = parked.map_or(Source::Unreserved, |parked| self.backing.another(parked.addr(), offset));
        pages::replace(block.addr, block.len, source, self.library_view)
    }

    /// Frees a block in a separate file.
    pub(super) fn free_shared(&self, block: Block) {
        let Some(SharedBlock { file, parked, .. }) = self.shared.lock().remove(&block.addr) else { return };
        let at = shared_file::MEMORY + self.offset(block.addr);
        files::discard(&file.file, at, self.own(block.addr), block.len);
        // If the kernel fails, the block is not reused: its content could leak.
        if self.map_parked(block, self.offset(block.addr), parked.as_ref()).is_ok() {
            self.free_unused(Block { token: block.token & !SHARED, ..block });
        }
    }
}
