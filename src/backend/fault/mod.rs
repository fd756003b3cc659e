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

/// Methods that call the same method of `inner`. Those with a site can fail instead.
macro_rules! forward {
    ($(fn $method:ident(&$this:ident $(, $argument:ident: $kind:ty)*) $(-> $result:ty)? $(, $site:path)?;)*) => {$(
        fn $method(&$this $(, $argument: $kind)*) $(-> $result)? {
            $($this.plan.enter($site)?;)?
            $this.inner.$method($($argument),*)
        }
    )*};
}

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
use pool::FaultPool;
use shared_memory::FaultSharedMemory;
use site::Site;

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
    Arc::new(FaultDriver { inner, plan })
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
    plan: Arc<Plan>,
}

impl Driver for FaultDriver {
    forward! {
        fn name(&self) -> &'static str;
        fn device_count(&self) -> u32;
        fn describe(&self, ordinal: u32) -> Result<DeviceInfo>, Site::DriverDescribe;
        fn can_access_peer(&self, ordinal: u32, peer: u32) -> Result<bool>, Site::DriverCanAccessPeer;
        fn atomics(&self, ordinal: u32, memory: AtomicMemory, operations: &[u32]) -> Result<Vec<u32>>,
            Site::DriverAtomics;
        fn set_peer_access(&self, ordinal: u32, peer: u32, on: bool) -> Result<()>, Site::DriverSetPeerAccess;
        fn utilization(&self, ordinal: u32) -> Result<u32>, Site::DriverUtilization;
        fn unlocked_host_bytes(&self) -> u64;
        fn create_notify(&self) -> Result<Arc<Notify>>, Site::DriverCreateNotify;
        fn import_notify(&self, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<Arc<Notify>>,
            Site::DriverImportNotify;
        fn native_device(&self, ordinal: u32) -> Option<i32>;
        fn page_size(&self, block: Block) -> usize;
        fn host_block_len(&self, len: usize) -> usize;
        fn has_snapshots(&self) -> bool;
        fn hold_process(&self, patience: Duration) -> Result<()>, Site::DriverHoldProcess;
        fn save_memory(&self, kept: &[(usize, usize)]) -> Result<()>, Site::DriverSaveMemory;
        fn restore_memory(&self) -> Result<()>, Site::DriverRestoreMemory;
        fn release_process(&self) -> Result<()>, Site::DriverReleaseProcess;
    }

    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>> {
        let inner = self.plan.make(Site::DriverOpen, Kind::Device, || self.inner.open(ordinal))?;
        Ok(Arc::new(FaultDevice { inner, plan: Arc::clone(&self.plan) }))
    }

    fn alloc_host(&self, len: usize) -> Result<Block> {
        self.plan.make(Site::DriverAllocHost, Kind::HostBlock, || self.inner.alloc_host(len))
    }

    fn free_host(&self, block: Block) -> Result<()> {
        self.plan.release(Site::DriverFreeHost, Kind::HostBlock, || self.inner.free_host(block))
    }

    fn register_host(&self, addr: usize, len: usize) -> Result<usize> {
        self.plan.make(Site::DriverRegisterHost, Kind::Registration, || self.inner.register_host(addr, len))
    }

    fn unregister_host(&self, addr: usize, len: usize) -> Result<()> {
        self.plan.release(Site::DriverUnregisterHost, Kind::Registration, || self.inner.unregister_host(addr, len))
    }

    fn foreign(&self, addr: usize) -> Foreign {
        // It can only fail by returning unknown.
        self.plan.enter(Site::DriverForeign).map_or(Foreign::Unknown, |()| self.inner.foreign(addr))
    }

    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock> {
        self.plan.enter(Site::DriverForeignBlock).ok()?;
        self.inner.foreign_block(addr)
    }

    fn share_host(&self, node: u32) -> Result<Arc<dyn SharedMemory>> {
        self.plan.enter(Site::DriverShareHost)?;
        let inner = self.inner.share_host(node)?;
        Ok(FaultSharedMemory::wrap(inner, &self.plan, Kind::HostBlock))
    }

    fn import_memory(&self, descriptor: BorrowedFd<'_>, ordinal: u32) -> Result<(Box<dyn Pool>, PoolPlace)> {
        self.plan.enter(Site::DriverImportMemory)?;
        let (inner, place) = self.inner.import_memory(descriptor, ordinal)?;
        Ok((FaultPool::wrap(inner, &self.plan), place))
    }

    fn pools(&self) -> Option<&dyn Pools> {
        self.inner.pools()?;
        Some(self)
    }

    fn virtual_memory(&self) -> &dyn VirtualMemory {
        self
    }

    fn shutdown(&self, patience: Duration) -> bool {
        let all = self.inner.shutdown(patience);
        self.plan.ledger.end(all);
        self.plan.report();
        all
    }
}
