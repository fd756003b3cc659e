//! The decorators of pools, of memory that processes share, of memory without an address, and of address ranges.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use super::FaultDriver;
use super::ledger::Kind;
use super::plan::FaultObject;
use super::site::{Site, decorate};
use super::stream::FaultStream;
use crate::backend::base::broker::Parcel;
use crate::backend::{
    Access, Block, ImportedMemory, PhysicalMemory, PointerExport, Pool, PoolAttribute, PoolHandle, PoolOptions, Pools,
    Result, SharedMemory, Stream, VirtualMemory,
};

decorate! {
    POOLS: Pools for FaultDriver, self.inner.pools().expect("it had some when it was asked"), "pools";
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>>, OutOfDeviceMemory, boxed Kind::Pool;
    fn have_had(&self, addr: usize) -> bool;
    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>>,
        Driver, boxed Kind::Pool;
}

/// A pool.
type FaultPool = FaultObject<Box<dyn Pool>>;

decorate! {
    POOL: Pool for FaultPool, self.inner, "pool";
    fn alloc(&self, len: usize, stream: &dyn Stream = &**FaultStream::inner_of(stream, "stream")?) -> Result<Block>,
        OutOfDeviceMemory, make Kind::PoolBlock;
    fn free(&self, block: Block, stream: &dyn Stream = &**FaultStream::inner_of(stream, "stream")?) -> Result<()>,
        Driver, release Kind::PoolBlock;
    fn free_now(&self, block: Block) -> Result<()>, Driver, release Kind::PoolBlock;
    fn get(&self, attribute: PoolAttribute) -> Result<u64>, Driver;
    fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()>, Driver;
    fn trim(&self, keep: usize) -> Result<()>, Driver;
    fn set_access(&self, ordinal: u32, access: Access) -> Result<()>, Driver;
    fn access(&self, ordinal: u32) -> Result<Access>, Driver;
    fn export(&self) -> Result<PoolHandle<OwnedFd>>, Driver;
    fn export_block(&self, block: Block) -> Result<PointerExport>, Driver;
    fn import_block(&self, export: &PointerExport) -> Result<Block>, Driver, make Kind::PoolBlock;
}

/// Shared memory, and the kind of its blocks.
type FaultSharedMemory = FaultObject<Arc<dyn SharedMemory>, Kind>;

decorate! {
    SHARED_MEMORY: SharedMemory for FaultSharedMemory, self.inner, "shared_memory";
    fn alloc(&self, len: usize) -> Result<Block>, OutOfDeviceMemory, make self.extra;
    fn export(&self) -> Result<OwnedFd>, Driver;
    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport>, Driver;
    fn withdraw(&self, addr: usize);
    fn close(&self);
}

/// Memory without an address.
pub(super) type FaultPhysicalMemory = FaultObject<Arc<dyn PhysicalMemory>>;

decorate! {
    PHYSICAL_MEMORY: PhysicalMemory for FaultPhysicalMemory, self.inner, "physical_memory";
    fn page_size(&self) -> usize;
    fn export(&self) -> Result<Parcel>, Driver;
}

decorate! {
    VIRTUAL_MEMORY: VirtualMemory for FaultDriver, self.inner.virtual_memory(), "virtual_memory";
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize>, OutOfHostMemory, make Kind::Range;
    fn release(&self, addr: usize, len: usize) -> Result<()>, Driver, end Kind::Range;
    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>>,
        OutOfHostMemory, wrap Kind::HostBlock;
    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory>, Driver, by Self::import_physical;
    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory = inner_memory(memory)?) -> Result<()>,
        Driver, make Kind::Mapping;
    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory = inner_memory(memory)?) -> Result<()>,
        Driver, end Kind::Mapping;
    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory = inner_memory(memory)?,
        ordinal: Option<u32>,
        access: Access
    ) -> Result<()>, Driver;
}

impl FaultDriver {
    fn import_physical(&self, site: Site, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory> {
        self.plan.enter(site)?;
        let imported = self.inner.virtual_memory().import(parcel, ordinal)?;
        let kind = if imported.on_device { Kind::DeviceBlock } else { Kind::HostBlock };
        Ok(ImportedMemory { memory: Arc::new(self.plan.counted(kind, (), imported.memory)), ..imported })
    }
}

fn inner_memory(memory: &dyn PhysicalMemory) -> Result<&dyn PhysicalMemory> {
    FaultPhysicalMemory::inner_of(memory, "memory").map(|inner| &**inner)
}
