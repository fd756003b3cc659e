//! A decorator of any backend that counts its calls and makes chosen ones fail: to test how programs, and the core,
//! handle failures that no hardware has on demand.
//!
//! `PORTACL_FAULT` and `PORTACL_FAULT_COUNT` install it; without them it is absent and costs nothing. Every method of
//! the traits is a call site (a `Site`) or is, with a reason, on the list of those that cannot fail; a test compares.
//!
//! | file | what |
//! |---|---|
//! | `site.rs` | the call sites, by name, and the macro by which decorators declare them |
//! | `plan.rs` | which call of which site fails, and how |
//! | `ledger.rs` | the counts of created and released objects, and the report |
//! | `device.rs`, `stream.rs` | the decorators of devices, streams and events, and how operations fail later |
//! | `memory.rs` | those of pools, shared memory and virtual memory |

mod device;
mod ledger;
mod memory;
mod plan;
mod site;
mod stream;
#[cfg(test)]
mod tests;

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::{
    Block, Device, DeviceInfo, Driver, Foreign, ForeignBlock, MemoryPlace, Notify, Pool, Pools, Result, SharedMemory,
    VirtualMemory,
};
use crate::backend::at_exit;
use crate::backend::memory::known;
use device::FaultDevice;
use ledger::Kind;
use plan::Plan;
pub use plan::Settings;
use site::{Site, decorate};

/// The plan of this process. It outlives sessions, so that calls are counted over the whole run.
static PLAN: Mutex<Option<Arc<Plan>>> = Mutex::new(None);

/// Puts the decorator around a backend. With the same settings as before the counts go on.
pub fn wrap(inner: Arc<dyn Driver>, settings: &Settings) -> Arc<dyn Driver> {
    let mut current = PLAN.lock();
    let plan = match &*current {
        Some(plan) if plan.settings == *settings => Arc::clone(plan),
        _ => current.insert(Arc::new(Plan::new(settings.clone()))).clone(),
    };
    drop(current);
    // A program that ends without aclFinalize gets its report, too.
    at_exit(|| {
        if let Some(plan) = PLAN.try_lock().and_then(|plan| plan.clone()) {
            plan.report();
        }
    });
    // Every address is looked up, so that the look-ups can fail.
    known::cover_all();
    plan.ledger.begin(inner.name());
    Arc::new(FaultDriver { inner, plan })
}

/// A backend was opened without the decorator: the next decorated one counts from the start.
pub fn forget() {
    *PLAN.lock() = None;
}

struct FaultDriver {
    inner: Arc<dyn Driver>,
    plan: Arc<Plan>,
}

decorate! {
    DRIVER: Driver for FaultDriver, self.inner, "driver";
    fn name(&self) -> &'static str;
    fn device_count(&self) -> u32;
    fn describe(&self, ordinal: u32) -> Result<DeviceInfo>, Driver;
    fn can_access_peer(&self, ordinal: u32, peer: u32) -> Result<bool>, Driver;
    fn atomics(&self, ordinal: u32, peer: Option<u32>, operations: &[u32]) -> Result<Vec<u32>>, Driver;
    fn set_peer_access(&self, ordinal: u32, peer: u32, on: bool) -> Result<()>, Driver;
    fn utilization(&self, ordinal: u32) -> Result<u32>, Driver;
    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>>, Driver, by Self::open_wrapped;
    fn alloc_host(&self, len: usize) -> Result<Block>, OutOfHostMemory, make Kind::HostBlock;
    fn free_host(&self, block: Block) -> Result<()>, Driver, release Kind::HostBlock;
    fn register_host(&self, addr: usize, len: usize) -> Result<usize>, OutOfHostMemory, make Kind::Registration;
    fn unregister_host(&self, addr: usize, len: usize) -> Result<()>, Driver, release Kind::Registration;
    fn unlocked_host_bytes(&self) -> u64;
    fn foreign(&self, addr: usize) -> Foreign, Driver, by Self::foreign_or_unknown;
    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock>, Driver, by Self::foreign_block_or_none;
    fn native_device(&self, ordinal: u32) -> Option<i32>;
    fn pools(&self) -> Option<&dyn Pools> = self.inner.pools().map(|_| self as &dyn Pools);
    fn share_host(&self, node: u32) -> Result<Arc<dyn SharedMemory>>,
        OutOfHostMemory, wrap Kind::SharedMemory, Kind::HostBlock;
    fn import_memory(&self, descriptor: BorrowedFd<'_>, ordinal: u32) -> Result<(Box<dyn Pool>, MemoryPlace)>,
        Driver, by Self::import_pool;
    fn create_notify(&self) -> Result<Arc<Notify>>, OutOfResources;
    fn import_notify(&self, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<Arc<Notify>>, Driver;
    fn virtual_memory(&self) -> &dyn VirtualMemory = self;
    fn page_size(&self, block: Block) -> usize;
    fn host_block_len(&self, len: usize) -> usize;
    fn has_snapshots(&self) -> bool;
    fn hold_process(&self, patience: Duration) -> Result<()>, Driver;
    fn save_memory(&self, kept: &[(usize, usize)]) -> Result<()>, OutOfHostMemory;
    fn restore_memory(&self) -> Result<()>, OutOfDeviceMemory;
    fn release_process(&self) -> Result<()>, Driver;
    fn shutdown(&self, patience: Duration) -> bool = self.shut_down(patience);
}

impl FaultDriver {
    fn open_wrapped(&self, site: Site, ordinal: u32) -> Result<Arc<dyn Device>> {
        let inner = self.plan.make(site, Kind::Device, || self.inner.open(ordinal))?;
        Ok(Arc::new(FaultDevice { inner, plan: Arc::clone(&self.plan) }))
    }

    /// It can only fail by returning unknown.
    fn foreign_or_unknown(&self, site: Site, addr: usize) -> Foreign {
        self.plan.enter(site).map_or(Foreign::Unknown, |()| self.inner.foreign(addr))
    }

    fn foreign_block_or_none(&self, site: Site, addr: usize) -> Option<ForeignBlock> {
        self.plan.enter(site).ok()?;
        self.inner.foreign_block(addr)
    }

    fn import_pool(
        &self,
        site: Site,
        descriptor: BorrowedFd<'_>,
        ordinal: u32,
    ) -> Result<(Box<dyn Pool>, MemoryPlace)> {
        self.plan.enter(site)?;
        let (inner, place) = self.inner.import_memory(descriptor, ordinal)?;
        Ok((Box::new(self.plan.counted(Kind::Pool, (), inner)), place))
    }

    fn shut_down(&self, patience: Duration) -> bool {
        let all = self.inner.shutdown(patience);
        self.plan.ledger.end(all);
        self.plan.report();
        all
    }
}
