//! The decorators of pools.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use super::FaultDriver;
use super::ledger::Kind;
use super::plan::{Counted, Plan};
use super::site::Site;
use super::stream::FaultStream;
use crate::backend::{
    Access, Block, PointerExport, Pool, PoolAttribute, PoolHandle, PoolOptions, Pools, Result, Stream,
};

impl FaultDriver {
    fn inner_pools(&self) -> &dyn Pools {
        self.inner.pools().expect("it had some when it was asked")
    }
}

impl Pools for FaultDriver {
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>> {
        self.plan.enter(Site::PoolsCreate)?;
        Ok(FaultPool::wrap(self.inner_pools().create(options)?, &self.plan))
    }

    fn have_had(&self, addr: usize) -> bool {
        self.inner_pools().have_had(addr)
    }

    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>> {
        self.plan.enter(Site::PoolsImport)?;
        Ok(FaultPool::wrap(self.inner_pools().import(handle, ordinal)?, &self.plan))
    }
}

/// A pool whose calls are counted and made to fail.
pub(super) struct FaultPool {
    plan: Counted,
    inner: Box<dyn Pool>,
}

impl FaultPool {
    pub(super) fn wrap(inner: Box<dyn Pool>, plan: &Arc<Plan>) -> Box<dyn Pool> {
        Box::new(Self { plan: Counted::new(plan, Kind::Pool), inner })
    }
}

impl Pool for FaultPool {
    forward! {
        fn get(&self, attribute: PoolAttribute) -> Result<u64>, Site::PoolGet;
        fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()>, Site::PoolSet;
        fn trim(&self, keep: usize) -> Result<()>, Site::PoolTrim;
        fn set_access(&self, ordinal: u32, access: Access) -> Result<()>, Site::PoolSetAccess;
        fn access(&self, ordinal: u32) -> Result<Access>, Site::PoolAccess;
        fn export(&self) -> Result<PoolHandle<OwnedFd>>, Site::PoolExport;
        fn export_block(&self, block: Block) -> Result<PointerExport>, Site::PoolExportBlock;
    }

    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block> {
        self.plan.make(Site::PoolAlloc, Kind::PoolBlock, || self.inner.alloc(len, FaultStream::inner_of(stream)?))
    }

    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()> {
        let stream = FaultStream::inner_of(stream)?;
        self.plan.release(Site::PoolFree, Kind::PoolBlock, || self.inner.free(block, stream))
    }

    fn free_now(&self, block: Block) -> Result<()> {
        self.plan.release(Site::PoolFreeNow, Kind::PoolBlock, || self.inner.free_now(block))
    }

    fn import_block(&self, export: &PointerExport) -> Result<Block> {
        self.plan.make(Site::PoolImportBlock, Kind::PoolBlock, || self.inner.import_block(export))
    }
}
