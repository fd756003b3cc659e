//! A decorator of any backend that counts its calls and makes chosen ones fail: to test how programs, and the core,
//! handle failures that no hardware has on demand.
//!
//! `PORTACL_FAULT` and `PORTACL_FAULT_COUNT` install it; without them it is absent and costs nothing. Every method of
//! the traits is a call site (a `Site`) or is, with a reason, on the list of those that cannot fail; a test compares.
//!
//! | file | what |
//! |---|---|
//! | `site.rs` | the call sites, by name |
//! | `plan.rs` | which call of which site fails, and how |
//! | `ledger.rs` | the counts of created and released objects, and the report |
//! | `late.rs` | operations that fail asynchronously |
//! | `device.rs`, `stream.rs` | the decorators of devices, streams and events |
//! | `pool.rs`, `shared_memory.rs`, `virtual_memory.rs` | those of pools, shared memory and virtual memory |

mod device;
mod late;
mod ledger;
mod plan;
mod pool;
mod shared_memory;
mod site;
mod stream;
#[cfg(test)]
mod tests;
mod virtual_memory;

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::{
    AtomicMemory, Block, Device, DeviceInfo, Driver, Foreign, ForeignBlock, Notify, Pool, PoolPlace, Pools, Result,
    SharedMemory, VirtualMemory,
};
use crate::backend::at_exit;
use crate::backend::memory::known;
use device::FaultDevice;
use ledger::Kind;
use plan::Plan;
pub use plan::Settings;
use pool::{FaultPool, FaultPools};
use shared_memory::FaultSharedMemory;
use site::Site;
use virtual_memory::FaultVirtualMemory;

/// The plan of this process. It outlives sessions, so that calls are counted over the whole run.
static PLAN: Mutex<Option<Arc<Plan>>> = Mutex::new(None);

/// Puts the decorator around a backend. With the same settings as before the counts go on.
pub fn wrap(inner: Arc<dyn Driver>, settings: &Settings) -> Arc<dyn Driver> {
    let mut current = PLAN.lock();
    let plan = match &*current {
        Some(plan) if plan.settings() == settings => Arc::clone(plan),
        _ => current.insert(Arc::new(Plan::new(settings.clone()))).clone(),
    };
    drop(current);
    report_at_exit();
    // Every address is looked up, so that the look-ups can fail.
    known::cover_all();
    plan.ledger.begin(inner.name());
    Arc::new(FaultDriver::new(inner, plan))
}

/// A backend was opened without the decorator: the next decorated one counts from the start.
pub fn forget() {
    *PLAN.lock() = None;
}

/// A program that ends without aclFinalize gets its report, too.
fn report_at_exit() {
    at_exit(|| {
        if let Some(plan) = PLAN.try_lock().and_then(|plan| plan.clone()) {
            plan.report();
        }
    });
}

struct FaultDriver {
    inner: Arc<dyn Driver>,
    pools: Option<FaultPools>,
    virtual_memory: FaultVirtualMemory,
    plan: Arc<Plan>,
}

impl FaultDriver {
    fn new(inner: Arc<dyn Driver>, plan: Arc<Plan>) -> Self {
        Self {
            pools: FaultPools::new(&inner, &plan),
            virtual_memory: FaultVirtualMemory::new(&inner, &plan),
            inner,
            plan,
        }
    }
}

impl Driver for FaultDriver {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn device_count(&self) -> u32 {
        self.inner.device_count()
    }

    fn describe(&self, ordinal: u32) -> Result<DeviceInfo> {
        self.plan.enter(Site::DriverDescribe)?;
        self.inner.describe(ordinal)
    }

    fn can_access_peer(&self, ordinal: u32, peer: u32) -> Result<bool> {
        self.plan.enter(Site::DriverCanAccessPeer)?;
        self.inner.can_access_peer(ordinal, peer)
    }

    fn atomics(&self, ordinal: u32, memory: AtomicMemory, operations: &[u32]) -> Result<Vec<u32>> {
        self.plan.enter(Site::DriverAtomics)?;
        self.inner.atomics(ordinal, memory, operations)
    }

    fn set_peer_access(&self, ordinal: u32, peer: u32, on: bool) -> Result<()> {
        self.plan.enter(Site::DriverSetPeerAccess)?;
        self.inner.set_peer_access(ordinal, peer, on)
    }

    fn utilization(&self, ordinal: u32) -> Result<u32> {
        self.plan.enter(Site::DriverUtilization)?;
        self.inner.utilization(ordinal)
    }

    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>> {
        self.plan.enter(Site::DriverOpen)?;
        let inner = self.inner.open(ordinal)?;
        self.plan.ledger.made(Kind::Device);
        Ok(Arc::new(FaultDevice::new(inner, Arc::clone(&self.plan))))
    }

    fn alloc_host(&self, len: usize) -> Result<Block> {
        self.plan.enter(Site::DriverAllocHost)?;
        let block = self.inner.alloc_host(len)?;
        self.plan.ledger.made(Kind::HostBlock);
        Ok(block)
    }

    fn free_host(&self, block: Block) -> Result<()> {
        self.plan.release(Site::DriverFreeHost, Kind::HostBlock, || self.inner.free_host(block))
    }

    fn register_host(&self, addr: usize, len: usize) -> Result<usize> {
        self.plan.enter(Site::DriverRegisterHost)?;
        let device_addr = self.inner.register_host(addr, len)?;
        self.plan.ledger.made(Kind::Registration);
        Ok(device_addr)
    }

    fn unregister_host(&self, addr: usize, len: usize) -> Result<()> {
        self.plan.release(Site::DriverUnregisterHost, Kind::Registration, || self.inner.unregister_host(addr, len))
    }

    fn unlocked_host_bytes(&self) -> u64 {
        self.inner.unlocked_host_bytes()
    }

    fn foreign(&self, addr: usize) -> Foreign {
        // It can only fail by returning unknown.
        match self.plan.enter(Site::DriverForeign) {
            Ok(()) => self.inner.foreign(addr),
            Err(_) => Foreign::Unknown,
        }
    }

    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock> {
        self.plan.enter(Site::DriverForeignBlock).ok()?;
        self.inner.foreign_block(addr)
    }

    fn share_host(&self, node: u32) -> Result<Arc<dyn SharedMemory>> {
        self.plan.enter(Site::DriverShareHost)?;
        let inner = self.inner.share_host(node)?;
        Ok(FaultSharedMemory::new(inner, Arc::clone(&self.plan), Kind::HostBlock))
    }

    fn import_memory(&self, descriptor: BorrowedFd<'_>, ordinal: u32) -> Result<(Box<dyn Pool>, PoolPlace)> {
        self.plan.enter(Site::DriverImportMemory)?;
        let (inner, place) = self.inner.import_memory(descriptor, ordinal)?;
        Ok((FaultPool::wrap(inner, &self.plan), place))
    }

    fn create_notify(&self) -> Result<Arc<Notify>> {
        self.plan.enter(Site::DriverCreateNotify)?;
        self.inner.create_notify()
    }

    fn import_notify(&self, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<Arc<Notify>> {
        self.plan.enter(Site::DriverImportNotify)?;
        self.inner.import_notify(bytes, descriptor)
    }

    fn native_device(&self, ordinal: u32) -> Option<i32> {
        self.inner.native_device(ordinal)
    }

    fn pools(&self) -> Option<&dyn Pools> {
        self.pools.as_ref().map(|pools| pools as &dyn Pools)
    }

    fn virtual_memory(&self) -> &dyn VirtualMemory {
        &self.virtual_memory
    }

    fn page_size(&self, block: Block) -> usize {
        self.inner.page_size(block)
    }

    fn host_block_len(&self, len: usize) -> usize {
        self.inner.host_block_len(len)
    }

    fn has_snapshots(&self) -> bool {
        self.inner.has_snapshots()
    }

    fn hold_process(&self, patience: Duration) -> Result<()> {
        self.plan.enter(Site::DriverHoldProcess)?;
        self.inner.hold_process(patience)
    }

    fn save_memory(&self, kept: &[(usize, usize)]) -> Result<()> {
        self.plan.enter(Site::DriverSaveMemory)?;
        self.inner.save_memory(kept)
    }

    fn restore_memory(&self) -> Result<()> {
        self.plan.enter(Site::DriverRestoreMemory)?;
        self.inner.restore_memory()
    }

    fn release_process(&self) -> Result<()> {
        self.plan.enter(Site::DriverReleaseProcess)?;
        self.inner.release_process()
    }

    fn shutdown(&self, patience: Duration) -> bool {
        let all = self.inner.shutdown(patience);
        self.plan.ledger.end(all);
        self.plan.report();
        all
    }
}
