//! The decorators of pools.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use super::ledger::Kind;
use super::plan::Plan;
use super::site::Site;
use super::stream::FaultStream;
use crate::backend::{
    Access, Block, Driver, PointerExport, Pool, PoolAttribute, PoolHandle, PoolOptions, Pools, Result, Stream,
};

/// The pools of a driver.
pub(super) struct FaultPools {
    driver: Arc<dyn Driver>,
    plan: Arc<Plan>,
}

impl FaultPools {
    /// `None` if the driver has none.
    pub(super) fn new(driver: &Arc<dyn Driver>, plan: &Arc<Plan>) -> Option<Self> {
        driver.pools()?;
        Some(Self { driver: Arc::clone(driver), plan: Arc::clone(plan) })
    }

    fn inner(&self) -> &dyn Pools {
        self.driver.pools().expect("it had some when this was made")
    }
}

impl Pools for FaultPools {
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>> {
        self.plan.enter(Site::PoolsCreate)?;
        Ok(FaultPool::wrap(self.inner().create(options)?, &self.plan))
    }

    fn have_had(&self, addr: usize) -> bool {
        self.inner().have_had(addr)
    }

    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>> {
        self.plan.enter(Site::PoolsImport)?;
        Ok(FaultPool::wrap(self.inner().import(handle, ordinal)?, &self.plan))
    }
}

/// A pool whose calls are counted and made to fail.
pub(super) struct FaultPool {
    inner: Box<dyn Pool>,
    plan: Arc<Plan>,
}

impl FaultPool {
    pub(super) fn wrap(inner: Box<dyn Pool>, plan: &Arc<Plan>) -> Box<dyn Pool> {
        plan.ledger.made(Kind::Pool);
        Box::new(Self { inner, plan: Arc::clone(plan) })
    }
}

impl Pool for FaultPool {
    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block> {
        self.plan.enter(Site::PoolAlloc)?;
        let block = self.inner.alloc(len, FaultStream::inner_of(stream)?)?;
        self.plan.ledger.made(Kind::PoolBlock);
        Ok(block)
    }

    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()> {
        let stream = FaultStream::inner_of(stream)?;
        self.plan.release(Site::PoolFree, Kind::PoolBlock, || self.inner.free(block, stream))
    }

    fn free_now(&self, block: Block) -> Result<()> {
        self.plan.release(Site::PoolFreeNow, Kind::PoolBlock, || self.inner.free_now(block))
    }

    fn get(&self, attribute: PoolAttribute) -> Result<u64> {
        self.plan.enter(Site::PoolGet)?;
        self.inner.get(attribute)
    }

    fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()> {
        self.plan.enter(Site::PoolSet)?;
        self.inner.set(attribute, value)
    }

    fn trim(&self, keep: usize) -> Result<()> {
        self.plan.enter(Site::PoolTrim)?;
        self.inner.trim(keep)
    }

    fn set_access(&self, ordinal: u32, access: Access) -> Result<()> {
        self.plan.enter(Site::PoolSetAccess)?;
        self.inner.set_access(ordinal, access)
    }

    fn access(&self, ordinal: u32) -> Result<Access> {
        self.plan.enter(Site::PoolAccess)?;
        self.inner.access(ordinal)
    }

    fn export(&self) -> Result<PoolHandle<OwnedFd>> {
        self.plan.enter(Site::PoolExport)?;
        self.inner.export()
    }

    fn export_block(&self, block: Block) -> Result<PointerExport> {
        self.plan.enter(Site::PoolExportBlock)?;
        self.inner.export_block(block)
    }

    fn import_block(&self, export: &PointerExport) -> Result<Block> {
        self.plan.enter(Site::PoolImportBlock)?;
        let block = self.inner.import_block(export)?;
        self.plan.ledger.made(Kind::PoolBlock);
        Ok(block)
    }
}

impl Drop for FaultPool {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::Pool);
    }
}
