//! Implements the driver of the CUDA backend.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::backend::memory::known;
use crate::backend::runtime::atomics::{REDUCTION, SCALAR_32, SCALAR_64, SCALAR_128, SIGNED, UNSIGNED, VECTOR_32X4};
use crate::backend::{Block, Device, DeviceInfo, Driver, Foreign, ForeignBlock, Pools, Result, VirtualMemory};
use crate::base::api::Api;
use crate::memory::{blocks, foreign, host_register, peer, pending, pinned};
use crate::runtime::shared::{CudaDriver, DriverState};
use crate::runtime::{device, info, snapshot};

/// Opens the backend with all devices.
#[cfg(any(test, debug_assertions))]
pub fn open() -> Result<Arc<dyn Driver>> {
    open_chosen(|count| (0..count).collect())
}

/// Loads and initializes the CUDA driver of this machine, with the devices that `choose` selects from the given number,
/// in that order. A fault of kind [`FaultKind::NoDevice`](crate::backend::FaultKind::NoDevice) says what is missing.
pub(crate) fn open_chosen(choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Arc<dyn Driver>> {
    let state = DriverState::new(Api::load()?, choose)?;
    // Other libraries that use the driver may have memory at any address.
    known::cover_all();
    Ok(Arc::new(CudaDriver(Arc::new(state))))
}

/// Converts the driver's bits of an atomic operation to bits of this library: the sizes have other numbers there.
pub(crate) fn atomics_of(said: u32) -> u32 {
    const KINDS: u32 = SIGNED | UNSIGNED | REDUCTION;
    const SIZES: [(u32, u32); 4] = [(8, SCALAR_32), (16, SCALAR_64), (32, SCALAR_128), (64, VECTOR_32X4)];
    let size = |(bit, ours): &(u32, u32)| if said & bit != 0 { *ours } else { 0 };
    SIZES.iter().map(size).fold(said & KINDS, |all, one| all | one)
}

impl Driver for CudaDriver {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn device_count(&self) -> u32 {
        self.0.devices
    }

    fn describe(&self, ordinal: u32) -> Result<DeviceInfo> {
        info::describe(&self.0.api, self.0.contexts.device(ordinal)?)
    }

    fn can_access_peer(&self, ordinal: u32, peer: u32) -> Result<bool> {
        let (device, peer) = (self.0.contexts.device(ordinal)?, self.0.contexts.device(peer)?);
        // SAFETY: devices of the driver.
        Ok(unsafe { self.0.api.device_can_access_peer(device, peer) }? != 0)
    }

    fn atomics(&self, ordinal: u32, peer: Option<u32>, operations: &[u32]) -> Result<Vec<u32>> {
        let DriverState { api, contexts, .. } = &*self.0;
        let (here, count) = (contexts.device(ordinal)?, operations.len() as u32);
        let mut answers = vec![0; operations.len()];
        let (out, asked) = (answers.as_mut_ptr(), operations.as_ptr());
        match peer {
            // SAFETY: a device of the driver, `count` operations, and a place for as many results.
            None => unsafe { api.device_host_atomics(out, asked, count, here) },
            Some(peer) => {
                let there = contexts.device(peer)?;
                // SAFETY: both devices are the driver's, and `out` and `asked` have `count`
                // elements each.
                unsafe { api.device_peer_atomics(out, asked, count, here, there) }
            }
        }?;
        Ok(answers.into_iter().map(atomics_of).collect())
    }

    fn set_peer_access(&self, ordinal: u32, peer: u32, on: bool) -> Result<()> {
        peer::set(&self.0, ordinal, peer, on)
    }

    fn utilization(&self, ordinal: u32) -> Result<u32> {
        let DriverState { api, contexts, monitor, .. } = &*self.0;
        let device = contexts.device(ordinal)?;
        monitor.percentage(info::uuid(api, device)?, info::pci(api, device)?)
    }

    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>> {
        device::open(&self.0, ordinal)
    }

    fn alloc_host(&self, len: usize) -> Result<Block> {
        pinned::alloc_host(&self.0, len)
    }

    fn free_host(&self, block: Block) -> Result<()> {
        pinned::free(&self.0, blocks::base(block))
    }

    fn register_host(&self, addr: usize, len: usize) -> Result<usize> {
        host_register::register(&self.0, addr, len)
    }

    fn unregister_host(&self, addr: usize, _len: usize) -> Result<()> {
        pinned::free(&self.0, addr)
    }

    fn host_memory(&self) -> u64 {
        // SAFETY: two questions about the machine, with constants.
        let said = unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
        let [pages, bytes] = said.map(|number| u64::try_from(number).unwrap_or(0));
        // If it is unknown, only addresses are a bound.
        Some(pages * bytes).filter(|memory| *memory != 0).unwrap_or(isize::MAX as u64)
    }

    /// Returns 0: the driver locks everything that it allocates and registers, or fails.
    fn unlocked_host_bytes(&self) -> u64 {
        0
    }

    fn foreign(&self, addr: usize) -> Foreign {
        foreign::at(&self.0, addr)
    }

    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock> {
        foreign::block_at(&self.0, addr)
    }

    fn native_device(&self, ordinal: u32) -> Option<i32> {
        self.0.contexts.device(ordinal).ok()
    }

    /// Returns the pools, even if the driver is too old for them: then `create` fails with a text about that.
    fn pools(&self) -> Option<&dyn Pools> {
        Some(self)
    }

    fn virtual_memory(&self) -> &dyn VirtualMemory {
        self
    }

    fn page_size(&self, block: Block) -> usize {
        blocks::page_size(block)
    }

    fn has_snapshots(&self) -> bool {
        self.0.api.has_checkpoints()
    }

    fn hold_process(&self, patience: Duration) -> Result<()> {
        pending::reap(&self.0);
        snapshot::hold(&self.0, patience)
    }

    fn save_memory(&self, kept: &[(usize, usize)]) -> Result<()> {
        let devices = (0..self.0.devices).filter_map(|ordinal| self.0.device(ordinal));
        let outside_pools: u64 = devices.map(|device| device.managed_bytes.read().current).sum();
        // Those of the program, also from pools.
        let of_program: u64 = kept.iter().map(|&(_, len)| len as u64).sum();
        snapshot::save(&self.0, outside_pools.max(of_program))
    }

    fn restore_memory(&self) -> Result<()> {
        snapshot::restore(&self.0)
    }

    fn release_process(&self) -> Result<()> {
        snapshot::release(&self.0.api)
    }

    /// Shuts down. Work that was left on a device may use any memory: then nothing is freed.
    fn shutdown(&self, patience: Duration) -> bool {
        self.0.watcher.stop();
        self.0.poller.stop();
        self.0.monitor.close();
        if self.0.is_forsaken() || !self.0.all_drained() {
            return false;
        }
        let deadline = Instant::now() + patience;
        let DriverState { workers, graph_workers, task_threads, .. } = &*self.0;
        if ![workers, graph_workers, task_threads].iter().all(|threads| threads.stop(deadline)) {
            return false;
        }
        pending::reap_all(&self.0);
        pinned::free_all_pinned(&self.0);
        true
    }
}
