//! The decorators of pools, of memory that processes share, of memory without an address, and of address ranges.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use super::FaultDriver;
use super::ledger::Kind;
use super::plan::FaultObject;
use super::site::Site;
use super::stream::FaultStream;
use crate::backend::base::broker::Parcel;
use crate::backend::{
    Access, Block, ImportedMemory, PhysicalMemory, PointerExport, Pool, PoolAttribute, PoolHandle, PoolOptions, Pools,
    Result, SharedMemory, Stream, VirtualMemory,
};

impl FaultDriver {
    fn inner_pools(&self) -> &dyn Pools {
        self.inner.pools().expect("it had some when it was asked")
    }
}

impl Pools for FaultDriver {
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>> {
        let create = || self.inner_pools().create(options);
        Ok(Box::new(self.plan.wrap(Site::PoolsCreate, Kind::Pool, (), create)?))
    }

    fn have_had(&self, addr: usize) -> bool {
        self.inner_pools().have_had(addr)
    }

    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>> {
        let import = || self.inner_pools().import(handle, ordinal);
        Ok(Box::new(self.plan.wrap(Site::PoolsImport, Kind::Pool, (), import)?))
    }
}

/// A pool.
type FaultPool = FaultObject<Box<dyn Pool>>;

impl Pool for FaultPool {
    forward! {
        fn get(&self, attribute: PoolAttribute) -> Result<u64>, Site::PoolGet;
        fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()>, Site::PoolSet;
        fn trim(&self, keep: usize) -> Result<()>, Site::PoolTrim;
        fn free_now(&self, block: Block) -> Result<()>, Site::PoolFreeNow, release Kind::PoolBlock;
        fn set_access(&self, ordinal: u32, access: Access) -> Result<()>, Site::PoolSetAccess;
        fn access(&self, ordinal: u32) -> Result<Access>, Site::PoolAccess;
        fn export(&self) -> Result<PoolHandle<OwnedFd>>, Site::PoolExport;
        fn export_block(&self, block: Block) -> Result<PointerExport>, Site::PoolExportBlock;
        fn import_block(&self, export: &PointerExport) -> Result<Block>, Site::PoolImportBlock, make Kind::PoolBlock;
    }

    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block> {
        let stream = FaultStream::inner_of(stream, "stream");
        self.plan.make(Site::PoolAlloc, Kind::PoolBlock, || self.inner.alloc(len, &**stream?))
    }

    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()> {
        let stream = FaultStream::inner_of(stream, "stream")?;
        self.plan.release(Site::PoolFree, Kind::PoolBlock, || self.inner.free(block, &**stream))
    }
}

/// Shared memory, and the kind of its blocks.
type FaultSharedMemory = FaultObject<Arc<dyn SharedMemory>, Kind>;

impl SharedMemory for FaultSharedMemory {
    forward! {
        fn export(&self) -> Result<OwnedFd>, Site::SharedMemoryExport;
        fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport>, Site::SharedMemoryExportRange;
        fn withdraw(&self, addr: usize);
        fn close(&self);
    }

    fn alloc(&self, len: usize) -> Result<Block> {
        self.plan.make(Site::SharedMemoryAlloc, self.extra, || self.inner.alloc(len))
    }
}

impl VirtualMemory for FaultDriver {
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize> {
        self.plan
            .make(Site::VirtualMemoryReserve, Kind::Range, || self.inner.virtual_memory().reserve(len, align, wish))
    }

    fn release(&self, addr: usize, len: usize) -> Result<()> {
        // A release that fails can be repeated.
        self.plan.enter(Site::VirtualMemoryRelease)?;
        self.inner.virtual_memory().release(addr, len)?;
        self.plan.ledger.released(Kind::Range);
        Ok(())
    }

    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>> {
        let alloc = || self.inner.virtual_memory().alloc_host(len, node);
        Ok(Arc::new(self.plan.wrap(Site::VirtualMemoryAllocHost, Kind::HostBlock, (), alloc)?))
    }

    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory> {
        self.plan.enter(Site::VirtualMemoryImport)?;
        let imported = self.inner.virtual_memory().import(parcel, ordinal)?;
        let kind = if imported.on_device { Kind::DeviceBlock } else { Kind::HostBlock };
        Ok(ImportedMemory { memory: Arc::new(self.plan.counted(kind, (), imported.memory)), ..imported })
    }

    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        let memory = FaultPhysicalMemory::inner_of(memory, "memory")?;
        let map = || self.inner.virtual_memory().map(addr, len, &**memory);
        self.plan.make(Site::VirtualMemoryMap, Kind::Mapping, map)
    }

    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        self.plan.enter(Site::VirtualMemoryUnmap)?;
        let memory = FaultPhysicalMemory::inner_of(memory, "memory")?;
        self.inner.virtual_memory().unmap(addr, len, &**memory)?;
        self.plan.ledger.released(Kind::Mapping);
        Ok(())
    }

    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory,
        ordinal: Option<u32>,
        access: Access,
    ) -> Result<()> {
        self.plan.enter(Site::VirtualMemorySetAccess)?;
        let memory = FaultPhysicalMemory::inner_of(memory, "memory")?;
        self.inner.virtual_memory().set_access(addr, len, &**memory, ordinal, access)
    }
}

/// Memory without an address.
pub(super) type FaultPhysicalMemory = FaultObject<Arc<dyn PhysicalMemory>>;

impl PhysicalMemory for FaultPhysicalMemory {
    forward! {
        fn page_size(&self) -> usize;
        fn export(&self) -> Result<Parcel>, Site::PhysicalMemoryExport;
    }
}
