//! The state that all devices of a driver share, and that devices and streams use.
//!
//! Higher modules keep their own state of a driver in [`DriverState::features`].

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use cudarc::driver::sys::{CUdevice_attribute, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType};
use parking_lot::Mutex;

use crate::algo::map::typed_slots::Slots;
use crate::backend::stream::watch::Watcher;
use crate::backend::stream::workers::Workers;
use crate::backend::{Access, Fault, FaultKind, MemoryPlace, Result};
use crate::base::api::{Api, Outcome};
use crate::base::owned::{Owned, Sharing};
use crate::memory::blocks::Padding;
use crate::pool::pool_pages::KnownPools;
use crate::runtime::context::{Context, Contexts, Raw};
use crate::runtime::info;
use crate::runtime::utilization::Monitor;
use crate::stream::timed_wait::Poller;

/// The time after which an idle thread for tasks of the host ends.
const IDLE_TASKS: Duration = Duration::from_secs(5);

/// The driver behind the trait.
pub(crate) struct CudaDriver(pub Arc<DriverState>);

/// The state that all objects of this backend share.
pub(crate) struct DriverState {
    pub api: Arc<Api>,
    pub devices: u32,
    pub contexts: Contexts,
    /// True if a snapshot has saved the content of the devices' memory.
    pub saved: AtomicBool,
    pub sharing: Sharing,
    pub owned: Owned,
    pub known_pools: KnownPools,
    /// The padding of pinned memory.
    pub padding: Padding,
    /// The threads that run host functions.
    pub workers: Workers,
    /// The threads that run tasks of graphs. Tasks call the driver and no code of the program, so none delays the
    /// others for long.
    pub graph_workers: Workers,
    /// The threads that run tasks of the host.
    pub task_threads: Workers,
    pub watcher: Arc<Watcher>,
    /// Ends waits for events that have a timeout.
    pub poller: Arc<Poller>,
    pub monitor: Monitor,
    /// True if a device was left with work that does not end.
    pub forsaken: AtomicBool,
    /// The first release that the driver refused when no call could return that.
    pub refused: Mutex<Option<Fault>>,
    /// True if some streams are dropped and not destroyed. It is here because many calls read it.
    pub any_dropped: AtomicBool,
    /// The number of pending blocks (`memory/pending.rs`). It is here because many calls read it.
    pub pending_count: AtomicUsize,
    /// The slots in which higher modules keep their state of this driver.
    pub features: Slots,
}

impl DriverState {
    pub(crate) fn new(api: Api, choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Self> {
        // SAFETY: the driver was initialised.
        let devices = u32::try_from(unsafe { api.device_get_count() }?).unwrap_or(0);
        if devices == 0 {
            return Err(Fault::new(
                FaultKind::NoDevice,
                "the CUDA driver has no device; check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use the cpu backend",
            ));
        }
        let (api, chosen) = (Arc::new(api), choose(devices));
        Ok(Self {
            devices: chosen.len() as u32,
            contexts: Contexts::new(&api, chosen.into()),
            api,
            saved: AtomicBool::new(false),
            sharing: Sharing::default(),
            owned: Owned::default(),
            known_pools: KnownPools::default(),
            padding: Padding::default(),
            workers: Workers::new("portacl-host-fn", None),
            graph_workers: Workers::new("portacl-host-fn", None),
            task_threads: Workers::new("portacl-task", Some(IDLE_TASKS)),
            watcher: Arc::default(),
            poller: Arc::default(),
            monitor: Monitor::default(),
            forsaken: AtomicBool::new(false),
            refused: Mutex::default(),
            any_dropped: AtomicBool::new(false),
            pending_count: AtomicUsize::new(0),
            features: Slots::default(),
        })
    }

    pub(crate) fn release_context(&self, context: &Context) -> Result<()> {
        // The kind is changed even if the context has failed: this is about the reference.
        let refused = |failure| Fault::from(failure).with_kind(FaultKind::Driver);
        self.contexts.release(context).map_err(refused)
    }

    /// Releases something of `context` with `calls`. If the driver refuses, [`Self::take_refusal`] returns that. A
    /// context that has failed has released everything already.
    pub(crate) fn end_in(&self, context: &Context, calls: impl FnOnce(&Api) -> Outcome) {
        let ended = context.attempt(calls);
        if context.healthy().is_ok() {
            self.note_refusal(ended.map_err(Fault::from));
        }
    }

    /// Keeps the first failure that no call could return, for the next close of a device.
    pub(crate) fn note_refusal(&self, released: Result<()>) {
        // Every call reports the failure of a failed device.
        if let Err(fault) = released
            && fault.kind() != FaultKind::Execution
        {
            self.refused.lock().get_or_insert(fault);
        }
    }

    /// Returns the first failure that no call has returned.
    pub(crate) fn take_refusal(&self) -> Result<()> {
        let Some(fault) = self.refused.lock().take() else { return Ok(()) };
        Err(fault.with_text(|said| format!("the driver refused to release an object: {said}")))
    }

    pub(crate) fn is_forsaken(&self) -> bool {
        // Relaxed: the flag publishes nothing else.
        self.forsaken.load(Ordering::Relaxed)
    }

    /// Runs driver calls in the calling thread's context, or in one of this library if the thread has none, or one that
    /// is destroyed or has failed. Returns `None` if there is no context.
    pub(crate) fn in_some_context<T>(&self, mut calls: impl FnMut(&Api) -> Outcome<T>) -> Option<Outcome<T>> {
        // SAFETY: a query of this thread's context.
        let current = match unsafe { self.api.ctx_get_current() } {
            Ok(current) => current,
            Err(failure) if failure.wants_context() || failure.is_sticky() => std::ptr::null_mut(),
            Err(_) => return None,
        };
        if !current.is_null() && !self.contexts.is_left_over(Raw(current)) {
            let outcome = calls(&self.api);
            // The failure of a context of another library says nothing about others.
            if !outcome.as_ref().is_err_and(|failure| failure.wants_context() || failure.is_sticky()) {
                return Some(outcome);
            }
        }
        let context = self.contexts.acquire_healthy()?;
        let outcome = context.attempt(calls);
        self.note_refusal(self.release_context(&context));
        Some(outcome)
    }

    /// Returns a place as the driver describes it.
    pub(crate) fn location(&self, place: MemoryPlace) -> CUmemLocation {
        let (type_, id) = match place {
            MemoryPlace::Device(ordinal) => {
                (CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, self.contexts.number(ordinal))
            }
            MemoryPlace::Host(None) => (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0),
            MemoryPlace::Host(Some(node)) => (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA, node),
        };
        CUmemLocation { type_, id: id as c_int }
    }

    /// Returns an access of a device as the driver describes it.
    pub(crate) fn access(&self, ordinal: u32, access: Access) -> CUmemAccessDesc {
        let flags = match access {
            Access::None => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
            Access::Read => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ,
            Access::ReadWrite => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        CUmemAccessDesc { location: self.location(MemoryPlace::Device(ordinal)), flags }
    }

    /// Returns an attribute of a device, or 0 if its driver does not have the attribute.
    pub(crate) fn device_attribute(&self, ordinal: u32, attribute: CUdevice_attribute) -> Result<u32> {
        info::attribute(&self.api, self.contexts.device(ordinal)?, attribute)
    }
}
