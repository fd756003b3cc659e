//! The driver.

use std::collections::HashMap;
use std::ffi::c_int;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUcontext;
use parking_lot::Mutex;

use crate::backend::base::timer::Timer;
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::base::owned::Owned;
use crate::backend::cuda::memory::device_memory;
use crate::backend::cuda::memory::device_memory::{Padding, Pinned};
use crate::backend::cuda::memory::foreign;
use crate::backend::cuda::memory::host_register;
use crate::backend::cuda::memory::pending::Pending;
use crate::backend::cuda::memory::virtual_memory::Stuck;
use crate::backend::cuda::pool::mem_pool::KnownPools;
use crate::backend::cuda::runtime::context::{Context, Contexts, Raw, device_of};
use crate::backend::cuda::runtime::device;
use crate::backend::cuda::runtime::device::DeviceState;
use crate::backend::cuda::runtime::info;
use crate::backend::cuda::runtime::peer::Peers;
use crate::backend::cuda::runtime::snapshot;
use crate::backend::cuda::runtime::utilization::Monitor;
use crate::backend::cuda::stream::StreamState;
use crate::backend::cuda::stream::timed_wait::TimedWait;
use crate::backend::cuda::stream::workers::Workers;
use crate::backend::memory::known;
use crate::backend::runtime::atomics::{
    REDUCTION, SCALAR_32, SCALAR_64, SCALAR_128, SIGNED, UNSIGNED, VECTOR_32X4,
};
use crate::backend::stream::watch::Watcher;
use crate::backend::{
    AtomicMemory, Block, Device, DeviceInfo, Driver, Fault, FaultKind, Foreign, ForeignBlock,
    Notifies, Notify, Pools, Result, VirtualMemory, inside_host_function,
};

/// Loads and initialises the CUDA driver of this machine. A fault of kind
/// [`FaultKind::NoDevice`] tells what is missing.
pub fn open() -> Result<Arc<dyn Driver>> {
    open_chosen(|count| (0..count).collect())
}

/// As [`open`], with only those devices, in that order, that `choose` picks from so many.
pub fn open_chosen(choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Arc<dyn Driver>> {
    let state = DriverState::new(Api::load()?, choose)?;
    // Other libraries that use the driver may have memory anywhere.
    known::cover_all();
    Ok(Arc::new(CudaDriver(Arc::new(state))))
}

/// There is no device that could have host memory in its context.
pub fn no_healthy_device() -> Fault {
    let text = "no CUDA device can be used: none is visible, or all have failed; reset them";
    Fault::new(FaultKind::Execution, text)
}

/// The driver behind the trait.
pub struct CudaDriver(pub Arc<DriverState>);

/// What everything of this backend shares.
pub struct DriverState {
    pub api: Arc<Api>,
    pub devices: u32,
    pub contexts: Contexts,
    pub peers: Peers,
    /// Devices that were opened, as long as somebody has them.
    pub opened: Mutex<Vec<Weak<DeviceState>>>,
    /// Every stream of every open device, also those that are dropped but not finished.
    pub streams: Mutex<Vec<Arc<StreamState>>>,
    /// Some of them are dropped and have not been destroyed.
    pub any_dropped: AtomicBool,
    pub pending: Pending,
    pub saved: snapshot::Saved,
    pub stuck: Stuck,
    pub owned: Owned,
    pub known_pools: KnownPools,
    pub padding: Padding,
    /// Pinned host memory by its address, with the context that it belongs to.
    pub pinned: Mutex<HashMap<usize, (Pinned, Arc<Context>)>>,
    /// Run host functions.
    pub workers: Workers,
    pub timer: Arc<Timer<TimedWait>>,
    pub watcher: Arc<Watcher>,
    pub notifies: Notifies,
    pub monitor: Monitor,
    /// A device was left with work that does not end.
    pub forsaken: AtomicBool,
    /// The first release that the driver refused where no caller could be told.
    pub refused: Mutex<Option<Fault>>,
}

impl DriverState {
    pub fn new(api: Api, choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Self> {
        let mut devices: c_int = 0;
        // SAFETY: the driver writes the number of its devices into `devices`.
        unsafe { api.device_get_count(&mut devices) }?;
        let devices = u32::try_from(devices).unwrap_or(0);
        if devices == 0 {
            return Err(Fault::new(
                FaultKind::NoDevice,
                "the CUDA driver has no device; see what `nvidia-smi` and CUDA_VISIBLE_DEVICES \
                 say, or use the cpu backend",
            ));
        }
        let chosen = choose(devices);
        Ok(Self {
            api: Arc::new(api),
            devices: chosen.len() as u32,
            contexts: Contexts::new(chosen.into()),
            peers: Peers::default(),
            opened: Mutex::default(),
            streams: Mutex::default(),
            any_dropped: AtomicBool::new(false),
            pending: Pending::default(),
            saved: snapshot::Saved::default(),
            stuck: Stuck::default(),
            owned: Owned::default(),
            known_pools: KnownPools::default(),
            padding: Padding::default(),
            pinned: Mutex::default(),
            workers: Workers::default(),
            timer: Arc::default(),
            watcher: Arc::default(),
            notifies: Notifies::default(),
            monitor: Monitor::default(),
            forsaken: AtomicBool::new(false),
            refused: Mutex::default(),
        })
    }

    pub fn api(&self) -> &Api {
        &self.api
    }

    pub fn pending(&self) -> &Pending {
        &self.pending
    }

    pub fn stuck(&self) -> &Stuck {
        &self.stuck
    }

    pub fn owned(&self) -> &Owned {
        &self.owned
    }

    pub fn known_pools(&self) -> &KnownPools {
        &self.known_pools
    }

    /// The driver's number of the device with this ordinal.
    pub fn number(&self, ordinal: u32) -> u32 {
        self.contexts.number(ordinal)
    }

    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    pub fn timer(&self) -> &Arc<Timer<TimedWait>> {
        &self.timer
    }

    pub fn watcher(&self) -> &Arc<Watcher> {
        &self.watcher
    }

    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    pub fn acquire_context(&self, ordinal: u32) -> Result<Arc<Context>> {
        self.contexts.acquire(&self.api, ordinal)
    }

    pub fn release_context(&self, context: &Context) -> Result<()> {
        // Also where the context has failed: this is about the reference.
        let refused = |failure| Fault::from(failure).with_kind(FaultKind::Driver);
        self.contexts.release(context).map_err(refused)
    }

    /// The end of something of `context` that its owner need not hear of: if the driver refuses,
    /// [`Self::take_refusal`] tells. A context that has failed has taken everything along already.
    pub fn end_in(&self, context: &Context, calls: impl FnOnce(&Api) -> Outcome) {
        let ended = context.attempt(calls);
        if context.healthy().is_ok() {
            self.note_refusal(ended.map_err(Fault::from));
        }
    }

    /// What nobody else is told: the first one is kept for whoever closes a device next.
    pub fn note_refusal(&self, released: Result<()>) {
        match released {
            // A failed device; every call says so.
            Err(fault) if fault.kind() == FaultKind::Execution => {}
            Err(fault) => {
                self.refused.lock().get_or_insert(fault);
            }
            Ok(()) => {}
        }
    }

    /// The first refusal that nobody has been told of.
    pub fn take_refusal(&self) -> Result<()> {
        match self.refused.lock().take() {
            None => Ok(()),
            Some(fault) => {
                let said = fault.text();
                let text = format!("something was not released, the driver refused: {said}");
                Err(fault.with_text(text))
            }
        }
    }

    /// A context for what belongs to no device in particular: one that is in use anyway, else the
    /// first device's that has not failed.
    pub fn acquire_any_context(&self) -> Result<Arc<Context>> {
        let in_use = self.contexts.healthy().map(|context| context.ordinal()).next();
        let usable = || (0..self.devices).find(|&ordinal| self.contexts.is_usable(ordinal));
        self.acquire_context(in_use.or_else(usable).ok_or_else(no_healthy_device)?)
    }

    pub fn add_device(&self, device: &Arc<DeviceState>) {
        let mut opened = self.opened.lock();
        opened.retain(|device| device.strong_count() > 0);
        opened.push(Arc::downgrade(device));
    }

    /// The device with this ordinal, if it is open.
    pub fn device(&self, ordinal: u32) -> Option<Arc<DeviceState>> {
        let opened = self.opened.lock();
        opened
            .iter()
            .filter_map(Weak::upgrade)
            .find(|device| device.context().ordinal() == ordinal && device.check_open().is_ok())
    }

    /// Of pinned memory.
    pub fn padding(&self) -> &Padding {
        &self.padding
    }

    pub fn remember_pinned(&self, base: usize, kind: Pinned, context: Arc<Context>) {
        self.pinned.lock().insert(base, (kind, context));
    }

    /// The context of pinned memory that is about to be given back. `None` when it must not be:
    /// work that never ends may use it.
    pub fn forget_pinned(&self, base: usize) -> Option<(Pinned, Arc<Context>)> {
        let pinned = self.pinned.lock().remove(&base)?;
        (!self.is_forsaken()).then_some(pinned)
    }

    pub fn pinned_bases(&self) -> Vec<usize> {
        self.pinned.lock().keys().copied().collect()
    }

    pub fn add_stream(&self, stream: &Arc<StreamState>) {
        self.streams.lock().push(Arc::clone(stream));
    }

    /// Streams that have given memory back to pools since they were asked to settle that.
    pub fn streams_with_frees(&self) -> Vec<Arc<StreamState>> {
        let streams = self.streams.lock();
        streams.iter().filter(|stream| stream.has_frees()).cloned().collect()
    }

    /// The stream whose state is at this address, if it is still there.
    pub fn stream_at(&self, address: usize) -> Option<Arc<StreamState>> {
        let streams = self.streams.lock();
        streams.iter().find(|stream| Arc::as_ptr(stream).addr() == address).cloned()
    }

    /// Tells the driver what streams have given back to pools. False if it was told everything.
    pub fn tell_deferred(&self) -> bool {
        if !self.known_pools.are_used() {
            return false;
        }
        let streams = self.streams_with_frees();
        let mut any = false;
        for stream in streams.iter().filter(|stream| stream.defers()) {
            any |= stream.look(StreamState::tell_deferred_aside).is_some();
        }
        any
    }

    /// Streams that may have work, as far as that is known without asking the driver.
    pub fn streams_with_work(&self) -> Vec<Arc<StreamState>> {
        let streams = self.streams.lock();
        streams.iter().filter(|stream| !stream.is_known_idle()).cloned().collect()
    }

    /// No stream has work.
    pub fn all_settled(&self) -> bool {
        self.streams_with_work().iter().all(|stream| stream.is_settled())
    }

    pub fn streams_of(&self, device: &Arc<DeviceState>) -> Vec<Arc<StreamState>> {
        let streams = self.streams.lock();
        streams.iter().filter(|stream| Arc::ptr_eq(stream.device(), device)).cloned().collect()
    }

    /// Takes the streams of a device out of the list: the caller destroys them.
    pub fn remove_streams_of(&self, device: &Arc<DeviceState>) -> Vec<Arc<StreamState>> {
        let mut streams = self.streams.lock();
        let (removed, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut *streams)
            .into_iter()
            .partition(|stream| Arc::ptr_eq(stream.device(), device));
        *streams = kept;
        removed
    }

    /// A stream in the list has lost its owner.
    pub fn stream_dropped(&self) {
        // Relaxed: a hint; who misses it sweeps with the next call.
        self.any_dropped.store(true, Ordering::Relaxed);
        // A host function may hold the last reference, and may not call the driver.
        if !inside_host_function() {
            self.sweep_streams();
        }
    }

    /// Destroys dropped streams that have finished.
    pub fn sweep_streams(&self) {
        if !self.any_dropped.swap(false, Ordering::Relaxed) {
            return;
        }
        let dropped: Vec<_> =
            self.streams.lock().iter().filter(|stream| stream.is_dropped()).cloned().collect();
        for stream in dropped {
            // `close` destroys what it finds in the list, so its end has to wait for this.
            let Some(_open) = stream.device().keep_open() else { continue };
            stream.tell_all_deferred();
            if !stream.is_settled() {
                self.any_dropped.store(true, Ordering::Relaxed);
            } else if self.remove_stream(&stream) {
                stream.destroy();
            }
        }
    }

    /// True when it was in the list.
    pub fn remove_stream(&self, stream: &Arc<StreamState>) -> bool {
        let mut streams = self.streams.lock();
        let Some(index) = streams.iter().position(|known| Arc::ptr_eq(known, stream)) else {
            return false;
        };
        streams.swap_remove(index);
        true
    }

    /// Releases what queued work no longer uses, without waiting.
    pub fn reap(&self) {
        self.sweep_streams();
        self.pending.reap(self);
    }

    /// As [`Self::reap`], even if the driver waits for other work.
    pub fn reap_all(&self) {
        self.sweep_streams();
        self.pending.reap_all(self);
    }

    /// Memory of this device waits to be released.
    pub fn has_pending(&self, device: &DeviceState) -> bool {
        self.pending.has_any_of(device)
    }

    /// Gives up on a device whose work does not end.
    pub fn forsake(&self) {
        // Relaxed: a flag by itself.
        self.forsaken.store(true, Ordering::Relaxed);
    }

    pub fn is_forsaken(&self) -> bool {
        self.forsaken.load(Ordering::Relaxed)
    }

    /// Runs driver calls in the calling thread's context, or in one of ours where it has none.
    /// `None` when there is none at all.
    pub fn in_some_context(&self, calls: impl FnOnce(&Api) -> Outcome) -> Option<Outcome> {
        let mut current: CUcontext = std::ptr::null_mut();
        // SAFETY: the driver writes null or this thread's context into `current`.
        unsafe { self.api.ctx_get_current(&mut current) }.ok()?;
        if !current.is_null() && !self.contexts.is_left_over(Raw(current)) {
            return Some(calls(&self.api));
        }
        let context = self.contexts.acquire_healthy()?;
        let outcome = context.attempt(calls);
        self.note_refusal(self.release_context(&context));
        Some(outcome)
    }
}

/// What the driver says of an atomic operation, in bits of ours: the sizes have other numbers there.
pub fn atomics_of(said: u32) -> u32 {
    const KINDS: u32 = SIGNED | UNSIGNED | REDUCTION;
    const SIZES: [(u32, u32); 4] =
        [(8, SCALAR_32), (16, SCALAR_64), (32, SCALAR_128), (64, VECTOR_32X4)];
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
        info::describe(self.0.api(), device_of(self.0.api(), self.0.number(ordinal))?)
    }

    fn can_access_peer(&self, ordinal: u32, peer: u32) -> Result<bool> {
        let api = self.0.api();
        let device = |ordinal| device_of(api, self.0.number(ordinal));
        let (mut can, device, peer) = (0, device(ordinal)?, device(peer)?);
        // SAFETY: devices of the driver, and a place for the answer.
        unsafe { api.device_can_access_peer(&mut can, device, peer) }?;
        Ok(can != 0)
    }

    fn atomics(&self, ordinal: u32, memory: AtomicMemory, operations: &[u32]) -> Result<Vec<u32>> {
        let api = self.0.api();
        let device = |ordinal| device_of(api, self.0.number(ordinal));
        let (here, count) = (device(ordinal)?, operations.len() as u32);
        let mut answers = vec![0; operations.len()];
        let (out, asked) = (answers.as_mut_ptr(), operations.as_ptr());
        match memory {
            // SAFETY: a device of the driver, so many operations, and a place for as many answers.
            AtomicMemory::Host => unsafe { api.device_host_atomics(out, asked, count, here) },
            AtomicMemory::Device(peer) => {
                let there = device(peer)?;
                // SAFETY: both devices are the driver's, and `out` and `asked` have `count`
                // elements each.
                unsafe { api.device_peer_atomics(out, asked, count, here, there) }
            }
        }?;
        Ok(answers.into_iter().map(atomics_of).collect())
    }

    fn set_peer_access(&self, ordinal: u32, peer: u32, on: bool) -> Result<()> {
        self.0.peers.set(&self.0, ordinal, peer, on)
    }

    fn utilization(&self, ordinal: u32) -> Result<u32> {
        let api = self.0.api();
        let device = device_of(api, self.0.number(ordinal))?;
        self.0.monitor.percentage(info::uuid(api, device)?, info::pci(api, device)?)
    }

    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>> {
        device::open(&self.0, ordinal)
    }

    fn alloc_host(&self, len: usize) -> Result<Block> {
        device_memory::alloc_host(&self.0, len)
    }

    fn free_host(&self, block: Block) -> Result<()> {
        device_memory::free_host(&self.0, block)
    }

    fn register_host(&self, addr: usize, len: usize) -> Result<usize> {
        host_register::register(&self.0, addr, len)
    }

    fn unregister_host(&self, addr: usize, _len: usize) -> Result<()> {
        host_register::unregister(&self.0, addr)
    }

    /// The driver locks what it gives and registers, or refuses.
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
        device_of(self.0.api(), self.0.number(ordinal)).ok()
    }

    fn create_notify(&self) -> Result<Arc<Notify>> {
        self.0.notifies.create()
    }

    fn import_notify(&self, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<Arc<Notify>> {
        Notify::import(bytes, descriptor)
    }

    /// Also where the driver is too old for them: there are none then, and a text that says so.
    fn pools(&self) -> Option<&dyn Pools> {
        Some(self)
    }

    fn virtual_memory(&self) -> &dyn VirtualMemory {
        self
    }

    fn page_size(&self, block: Block) -> usize {
        device_memory::page_size(block)
    }

    fn has_snapshots(&self) -> bool {
        self.0.api().has_checkpoints()
    }

    fn hold_process(&self, patience: Duration) -> Result<()> {
        snapshot::hold(self.0.api(), patience)
    }

    fn save_memory(&self, _kept: &[(usize, usize)]) -> Result<()> {
        let devices = (0..self.0.devices).filter_map(|ordinal| self.0.device(ordinal));
        let managed = devices.map(|device| device.managed_bytes().read().current).sum();
        self.0.saved.save(self.0.api(), managed)
    }

    fn restore_memory(&self) -> Result<()> {
        self.0.saved.restore(self.0.api())
    }

    fn release_process(&self) -> Result<()> {
        snapshot::release(self.0.api())
    }

    /// Work that a device was left with may use any memory: then everything stays as it is.
    fn shutdown(&self, patience: Duration) -> bool {
        self.0.timer.stop();
        self.0.watcher.stop();
        self.0.monitor.close();
        if self.0.is_forsaken() || !self.0.all_settled() {
            return false;
        }
        if !self.0.workers.stop(Instant::now() + patience) {
            return false;
        }
        self.0.reap_all();
        device_memory::free_all_pinned(&self.0);
        true
    }
}
