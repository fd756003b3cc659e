//! The decorators of memory that processes share.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::ledger::Kind;
use super::plan::{Counted, Plan};
use super::site::Site;
use crate::backend::{Block, PointerExport, Result, SharedMemory};

/// Shared memory whose calls are counted and made to fail.
pub(super) struct FaultSharedMemory {
    plan: Counted,
    inner: Arc<dyn SharedMemory>,
    /// The kind of its blocks.
    blocks: Kind,
}

impl FaultSharedMemory {
    pub(super) fn wrap(inner: Arc<dyn SharedMemory>, plan: &Arc<Plan>, blocks: Kind) -> Arc<Self> {
        Arc::new(Self { plan: Counted::new(plan, Kind::SharedMemory), inner, blocks })
    }
}

impl SharedMemory for FaultSharedMemory {
    forward! {
        fn export(&self) -> Result<OwnedFd>, Site::SharedMemoryExport;
        fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport>, Site::SharedMemoryExportRange;
        fn withdraw(&self, addr: usize);
        fn close(&self);
    }

    fn alloc(&self, len: usize) -> Result<Block> {
        self.plan.make(Site::SharedMemoryAlloc, self.blocks, || self.inner.alloc(len))
    }
}
