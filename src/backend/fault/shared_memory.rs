//! The decorators of memory that processes share.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::ledger::Kind;
use super::plan::Plan;
use super::site::Site;
use crate::backend::{Block, PointerExport, Result, SharedMemory};

/// Shared memory whose calls are counted and made to fail.
pub(super) struct FaultSharedMemory {
    inner: Arc<dyn SharedMemory>,
    plan: Arc<Plan>,
    /// The kind of its blocks.
    blocks: Kind,
}

impl FaultSharedMemory {
    pub(super) fn new(inner: Arc<dyn SharedMemory>, plan: Arc<Plan>, blocks: Kind) -> Arc<Self> {
        plan.ledger.made(Kind::SharedMemory);
        Arc::new(Self { inner, plan, blocks })
    }
}

impl SharedMemory for FaultSharedMemory {
    fn alloc(&self, len: usize) -> Result<Block> {
        self.plan.enter(Site::SharedMemoryAlloc)?;
        let block = self.inner.alloc(len)?;
        self.plan.ledger.made(self.blocks);
        Ok(block)
    }

    fn export(&self) -> Result<OwnedFd> {
        self.plan.enter(Site::SharedMemoryExport)?;
        self.inner.export()
    }

    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport> {
        self.plan.enter(Site::SharedMemoryExportRange)?;
        self.inner.export_range(addr, len)
    }

    fn withdraw(&self, addr: usize) {
        self.inner.withdraw(addr);
    }

    fn close(&self) {
        self.inner.close();
    }
}

impl Drop for FaultSharedMemory {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::SharedMemory);
    }
}
