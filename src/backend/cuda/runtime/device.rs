//! An open device: its context, and everything of the driver's that was made in it.

use std::collections::HashSet;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{CUevent, CUevent_flags, CUevent_st, CUmemoryPool, CUstream_st};
use parking_lot::{Mutex, RecursiveRwLock, RecursiveRwLockReadGuard};

use super::context::{Context, Raw};
use super::info;
use crate::backend::base::broker::Parcel;
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::graph;
use crate::backend::cuda::kernel::kernel_launch;
use crate::backend::cuda::kernel::own_module::OwnModules;
use crate::backend::cuda::memory::device_memory::Padding;
use crate::backend::cuda::memory::{device_memory, ipc, managed_memory, virtual_memory};
use crate::backend::cuda::runtime::driver::DriverState;
use crate::backend::cuda::stream;
use crate::backend::cuda::stream::CudaStream;
use crate::backend::cuda::stream::clock::Clock;
use crate::backend::cuda::stream::event::{CudaEvent, poll_until};
use crate::backend::cuda::stream::host_fn::Words;
use crate::backend::cuda::stream::workers::Job;
use crate::backend::cuda::transfer::{memcpy, memcpy_2d};
use crate::backend::memory::usage::Counter;
use crate::backend::{
    Advice, Block, BoundLaunch, Copy, Copy2d, Device, DeviceInfo, Event, Failure, Fault, FaultKind,
    Fill, Graph, Launch, MemoryUsage, Module, Node, PagePolicy, PhysicalMemory, Result, Span,
    Stream, StreamOptions, Wait, inside_host_function,
};

/// How long [`Device::close`] waits for work that the core did not drain (user code that never
/// returns) before it leaves the device as it is.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);

/// A device behind the trait.
pub struct CudaDevice(Arc<DeviceState>);

/// What streams, events and blocks of a device share.
pub struct DeviceState {
    driver: Arc<DriverState>,
    context: Arc<Context>,
    info: DeviceInfo,
    least_priority: u32,
    /// The driver's number of the most urgent stream priority.
    most_urgent: c_int,
    /// Held for reading by whoever may be late (a dropped event, a look at another device's
    /// streams), for writing by `close` alone: false from then on.
    open: RecursiveRwLock<bool>,
    /// The same, to be read without the lock by calls that are not supposed to be late.
    closed: AtomicBool,
    /// Every event that exists, by its handle: those of [`CudaEvent`] and those of marks.
    events: Mutex<HashSet<usize>>,
    /// Events for marks that are not in use.
    spare_events: Mutex<Vec<Raw<CUevent_st>>>,
    /// Events that were dropped where no driver call is allowed, to be destroyed later.
    dropped_events: Mutex<Vec<Raw<CUevent_st>>>,
    /// Streams of our own that are not in use; see [`Self::on_own_stream`].
    spare_streams: Mutex<Vec<Raw<CUstream_st>>>,
    watching: AtomicUsize,
    padding: Padding,
    managed_padding: Padding,
    device_bytes: Counter,
    managed_bytes: Counter,
    /// Pools that exist, by their handles.
    pools: Mutex<HashSet<usize>>,
    kernels: OwnModules,
    /// Set when the device is opened, where its streams can wait for words.
    words: OnceLock<Words>,
    clock: Clock,
    /// Those who wanted to be told have been told that the device failed.
    told: OnceLock<()>,
}

impl DeviceState {
    fn new(driver: &Arc<DriverState>, context: Arc<Context>) -> Result<Self> {
        let info = info::describe(driver.api(), context.device())?;
        let (least_urgent, most_urgent) = priorities(&context)?;
        Ok(Self {
            driver: Arc::clone(driver),
            context,
            info,
            // The driver's numbers are smaller where they are more urgent.
            least_priority: (least_urgent - most_urgent).max(0) as u32,
            most_urgent,
            open: RecursiveRwLock::new(true),
            closed: AtomicBool::new(false),
            events: Mutex::default(),
            spare_events: Mutex::default(),
            dropped_events: Mutex::default(),
            spare_streams: Mutex::default(),
            watching: AtomicUsize::new(0),
            padding: Padding::default(),
            managed_padding: Padding::default(),
            device_bytes: Counter::default(),
            managed_bytes: Counter::default(),
            pools: Mutex::default(),
            kernels: OwnModules::default(),
            words: OnceLock::new(),
            clock: Clock::default(),
            told: OnceLock::new(),
        })
    }

    pub fn driver(&self) -> &Arc<DriverState> {
        &self.driver
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    pub fn padding(&self) -> &Padding {
        &self.padding
    }

    pub fn managed_padding(&self) -> &Padding {
        &self.managed_padding
    }

    /// Counts the blocks of [`Device::alloc`].
    pub fn device_bytes(&self) -> &Counter {
        &self.device_bytes
    }

    /// Counts the blocks of [`Device::alloc_managed`].
    pub fn managed_bytes(&self) -> &Counter {
        &self.managed_bytes
    }

    /// The driver's handles of pools, for whoever makes and destroys them.
    pub fn pools(&self) -> &Mutex<HashSet<usize>> {
        &self.pools
    }

    pub fn kernels(&self) -> &OwnModules {
        &self.kernels
    }

    /// For host functions; `None` where the driver has to run them itself.
    pub fn words(&self) -> Option<&Words> {
        self.words.get()
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The driver's number for a priority of ours, 0 being the most urgent in ours.
    pub fn driver_priority(&self, priority: u32) -> c_int {
        self.most_urgent + priority.min(self.least_priority) as c_int
    }

    /// Keeps `close` from going on; `None` when it already has.
    pub fn keep_open(&self) -> Option<RecursiveRwLockReadGuard<'_, bool>> {
        // Recursive: a holder may drop the last reference to an event, which asks again.
        let open = self.open.read();
        open.then_some(open)
    }

    #[inline]
    pub fn check_open(&self) -> Result<()> {
        // Acquire, with the Release in `close`: whoever sees "open" uses what is not yet gone.
        if self.closed.load(Ordering::Acquire) { Err(self.is_closed()) } else { Ok(()) }
    }

    #[cold]
    fn is_closed(&self) -> Fault {
        let text = format!("CUDA device {} is closed", self.context.ordinal());
        Fault::new(FaultKind::Driver, text)
    }

    /// Runs driver calls in the device's context.
    #[inline]
    pub fn call(&self, calls: impl FnOnce(&Api) -> Outcome) -> Result<()> {
        self.check_open()?;
        self.context.call(calls)
    }

    /// As [`Self::call`], all of it where it is called: for what programs do most.
    #[inline(always)]
    pub fn call_here(&self, calls: impl FnOnce(&Api) -> Outcome) -> Result<()> {
        self.check_open()?;
        let api = self.context.ready(FaultKind::OutOfDeviceMemory)?;
        let failed = |failure| self.context.note(failure, FaultKind::OutOfDeviceMemory);
        calls(api).map_err(failed)
    }

    /// As [`Self::call_here`], for calls that look for no current context.
    #[inline(always)]
    pub fn call_outside(&self, calls: impl Fn(&Api) -> Outcome) -> Result<()> {
        self.check_open()?;
        self.context.call_outside(calls)
    }

    /// As [`Self::call`], for calls that make something: what runs out is not device memory.
    pub fn create(&self, calls: impl FnOnce(&Api) -> Outcome) -> Result<()> {
        self.check_open()?;
        self.context.call_for(FaultKind::OutOfResources, calls)
    }

    /// Asks the driver whether something has happened.
    pub fn poll(&self, question: impl FnOnce(&Api) -> Outcome) -> Result<bool> {
        self.check_open()?;
        self.context.poll(question)
    }

    pub fn create_event(&self, timing: bool) -> Result<Raw<CUevent_st>> {
        self.sweep_events();
        let flags = match timing {
            true => CUevent_flags::CU_EVENT_DEFAULT,
            false => CUevent_flags::CU_EVENT_DISABLE_TIMING,
        };
        let mut raw: CUevent = std::ptr::null_mut();
        // SAFETY: the driver writes the new event's handle into `raw`.
        self.create(|api| unsafe { api.event_create(&mut raw, flags as u32) })?;
        self.events.lock().insert(raw.addr());
        Ok(Raw(raw))
    }

    /// Ends an event, unless `close` has done so. The driver keeps what it still needs of it.
    pub fn destroy_event(&self, raw: Raw<CUevent_st>) {
        let Some(_open) = self.keep_open() else { return };
        if inside_host_function() {
            // No driver call from here; it stays in `events` until it is swept up.
            self.dropped_events.lock().push(raw);
        } else if self.events.lock().remove(&raw.key()) {
            // SAFETY: it was in the set, so it exists, and nobody else takes it out.
            self.driver.end_in(&self.context, |api| unsafe { api.event_destroy(raw.0) });
        }
    }

    fn sweep_events(&self) {
        let dropped = std::mem::take(&mut *self.dropped_events.lock());
        dropped.into_iter().for_each(|raw| self.destroy_event(raw));
    }

    /// An event for a mark.
    pub fn borrow_event(&self) -> Result<Raw<CUevent_st>> {
        let spare = self.spare_events.lock().pop();
        spare.map_or_else(|| self.create_event(false), Ok)
    }

    /// Takes back what [`Self::borrow_event`] lent. After `close` it is a name of nothing, and
    /// nobody borrows any more.
    pub fn give_event_back(&self, raw: Raw<CUevent_st>) {
        self.spare_events.lock().push(raw);
    }

    /// Queues something on a stream of our own and waits for it. `cuMemcpyDtoD` and `cuMemset*`
    /// return before they are done, and every call without a stream goes to the driver's legacy
    /// stream, which waits for, and holds up, the blocking streams of other libraries.
    pub fn on_own_stream(&self, queue: impl FnOnce(Raw<CUstream_st>) -> Result<()>) -> Result<()> {
        let raw = self.borrow_stream()?;
        let queued = queue(raw);
        // SAFETY: a stream that nobody else uses until it is given back.
        let wait = || self.call(|api| unsafe { api.stream_synchronize(raw.0) });
        let done = wait();
        // What was queued may still use the caller's memory: a driver that has refused to wait is
        // asked once more, and a stream that cannot be waited for is not used again.
        match done.is_ok() || wait().is_ok() {
            true => self.give_stream_back(raw),
            false => self.discard_stream(raw),
        }
        queued.and(done)
    }

    /// A stream of our own, with nothing to do.
    pub fn borrow_stream(&self) -> Result<Raw<CUstream_st>> {
        self.check_open()?;
        let spare = self.spare_streams.lock().pop();
        spare.map_or_else(|| stream::create(self, 0), Ok)
    }

    /// Takes back what [`Self::borrow_stream`] lent, with nothing to do again.
    pub fn give_stream_back(&self, raw: Raw<CUstream_st>) {
        self.spare_streams.lock().push(raw);
    }

    /// Ends what [`Self::borrow_stream`] lent, which may still have something to do.
    pub fn discard_stream(&self, raw: Raw<CUstream_st>) {
        // SAFETY: nobody else has it.
        self.driver.end_in(&self.context, |api| unsafe { api.stream_destroy(raw.0) });
    }

    /// How many streams of our own watch events.
    pub fn watching(&self) -> &AtomicUsize {
        &self.watching
    }

    /// Where the device has failed: before anybody else hears of it those are told who want to be.
    /// The driver cannot say whose operation failed, so any stream will do. No lock may be held.
    #[cold]
    pub fn tell_failure(self: &Arc<Self>) {
        let Some(fault) = self.context.failure() else { return };
        self.told.get_or_init(|| {
            let streams = self.driver.streams_of(self);
            for stream in &streams {
                stream.event_records().give_up(self.driver.watcher());
            }
            let Some(observer) = streams.iter().find_map(|stream| stream.observer()) else {
                return;
            };
            let failure =
                Failure { fault: fault.clone(), position: None, thread: None, launch: None };
            let Some(tell) = observer.failed(failure) else { return };
            let (end, ended) = mpsc::channel::<()>();
            let job = move || {
                tell.run();
                drop(end);
            };
            match self.driver.workers().start(Box::new(job)) {
                // An error says that the other end is gone, as it is to be.
                Ok(()) => drop(ended.recv()),
                // No thread can be had: better here than never.
                Err(job) => job.run(),
            }
        });
    }

    /// Waits until the streams of this device have nothing left to do and the blocks freed
    /// meanwhile are back; false when that takes too long.
    fn drain(self: &Arc<Self>) -> bool {
        self.driver.tell_deferred();
        let deadline = Instant::now() + CLOSE_PATIENCE;
        let drained = poll_until(deadline, || {
            let idle = self.driver.streams_of(self).iter().all(|stream| stream.is_settled());
            if idle {
                self.driver.reap_all();
            }
            // Acquire, with the Release of the last callback.
            let watching =
                self.context.healthy().is_ok() && self.watching.load(Ordering::Acquire) > 0;
            let is_quiet = idle && !watching && !self.driver.has_pending(self);
            Ok(is_quiet && self.words.get().is_none_or(Words::try_end))
        });
        matches!(drained, Ok(Wait::Done))
    }

    /// Destroys what was made in the context. The device is marked closed before.
    fn destroy_all(self: &Arc<Self>) {
        let destroy_stream = |raw: Raw<CUstream_st>| {
            // SAFETY: idle, and in this list only.
            self.driver.end_in(&self.context, |api| unsafe { api.stream_destroy(raw.0) });
        };
        // Adopted ones are not ours to destroy, which they know.
        self.driver.remove_streams_of(self).iter().for_each(|stream| stream.destroy());
        self.spare_streams.lock().drain(..).for_each(destroy_stream);
        self.spare_events.lock().clear();
        self.dropped_events.lock().clear();
        for event in self.events.lock().drain() {
            let raw = event as CUevent;
            // SAFETY: each event in the set exists, and was just taken out of it.
            self.driver.end_in(&self.context, |api| unsafe { api.event_destroy(raw) });
        }
        for pool in self.pools.lock().drain() {
            let raw = pool as CUmemoryPool;
            // SAFETY: each pool in the set exists, and was just taken out of it.
            self.driver.end_in(&self.context, |api| unsafe { api.mem_pool_destroy(raw) });
        }
        self.kernels.unload(self);
        if let Some(words) = self.words.get() {
            words.release(self);
        }
    }
}

/// Opens the device with this ordinal.
pub fn open(driver: &Arc<DriverState>, ordinal: u32) -> Result<Arc<dyn Device>> {
    let context = driver.acquire_context(ordinal)?;
    match DeviceState::new(driver, Arc::clone(&context)) {
        Ok(state) => {
            let state = Arc::new(state);
            driver.add_device(&state);
            let device = CudaDevice(state);
            let complete = Words::probe(&device.0).and_then(|words| {
                if let Some(words) = words {
                    // Set here only.
                    let _ = device.0.words.set(words);
                }
                driver.peers().opened(driver, &device.0)
            });
            if let Err(fault) = complete {
                // That failure is the one to report.
                let _ = device.close();
                return Err(fault);
            }
            Ok(Arc::new(device))
        }
        Err(fault) => {
            driver.note_refusal(driver.release_context(&context));
            Err(fault)
        }
    }
}

/// The driver's numbers of the least and the most urgent stream priority.
fn priorities(context: &Context) -> Result<(c_int, c_int)> {
    let (mut least, mut most) = (0, 0);
    // SAFETY: the driver writes two numbers into `least` and `most`.
    context.call(|api| unsafe { api.ctx_get_stream_priority_range(&mut least, &mut most) })?;
    Ok((least, most))
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    fn least_priority(&self) -> u32 {
        self.0.least_priority
    }

    fn free_memory(&self) -> Result<u64> {
        self.0.driver.reap();
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two sizes into `free` and `total`.
        self.0.call(|api| unsafe { api.mem_get_info(&mut free, &mut total) })?;
        Ok((free as u64).min(self.0.info.total_memory))
    }

    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block> {
        self.0.check_open()?;
        device_memory::alloc_device(&self.0, len, policy)
    }

    fn block_len(&self, len: usize, policy: PagePolicy) -> usize {
        device_memory::block_len(&self.0, len, policy)
    }

    fn alloc_managed(&self, len: usize) -> Result<Block> {
        self.0.check_open()?;
        device_memory::alloc_managed(&self.0, len)
    }

    fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>> {
        self.0.check_open()?;
        virtual_memory::alloc(&self.0, len)
    }

    fn export_memory(&self, block: Block, len: usize) -> Result<Parcel> {
        ipc::export(&self.0, block, len)
    }

    fn import_memory(&self, parcel: Parcel) -> Result<Block> {
        self.0.check_open()?;
        ipc::import(&self.0, &parcel)
    }

    fn advise(&self, range: Span, advice: Advice) -> Result<()> {
        managed_memory::advise(&self.0, range, advice)
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.0.driver.reap();
        MemoryUsage {
            device: self.0.device_bytes.read(),
            managed: self.0.managed_bytes.read(),
            // The driver chooses page sizes and does not tell.
            huge_page_fallbacks: 0,
        }
    }

    fn restart_peak(&self, managed: bool) {
        self.0.driver.reap();
        if managed { &self.0.managed_bytes } else { &self.0.device_bytes }.restart();
    }

    fn free(&self, block: Block) -> Result<()> {
        device_memory::free_device(&self.0, block)
    }

    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        Ok(Arc::new(CudaStream::new(&self.0, options)?))
    }

    fn adopt_stream(&self, native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        Ok(Arc::new(CudaStream::adopt(&self.0, native, options)?))
    }

    fn native_context(&self) -> Option<usize> {
        Some(self.0.context().raw().0.expose_provenance())
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>> {
        Ok(Arc::new(CudaEvent::new(&self.0, timing)?))
    }

    fn copy(&self, copy: Copy) -> Result<()> {
        memcpy::copy_now(&self.0, &copy)
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<()> {
        memcpy::copy_batch_now(&self.0, copies)
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<()> {
        memcpy_2d::copy_now(&self.0, &copy)
    }

    fn fill(&self, fill: Fill) -> Result<()> {
        memcpy::fill_now(&self.0, &fill)
    }

    fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>> {
        self.0.check_open()?;
        kernel_launch::load(&self.0, image)
    }

    fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>> {
        self.0.check_open()?;
        kernel_launch::bind(launch)
    }

    fn streams_wait_for_tickets(&self) -> bool {
        self.0.words().is_some()
    }

    fn create_graph(&self, nodes: &[Node]) -> Result<Arc<dyn Graph>> {
        self.0.check_open()?;
        graph::create(&self.0, nodes)
    }

    fn update_graph(&self, graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()> {
        self.0.check_open()?;
        graph::update(graph, nodes)
    }

    fn close(&self) -> Result<()> {
        let device = &self.0;
        device.check_open()?;
        let drained = device.drain();
        device.driver.peers().closing(&device.driver, device);
        {
            let mut open = device.open.write();
            *open = false;
            device.closed.store(true, Ordering::Release);
        }
        if !drained {
            // Whatever still runs keeps its streams, its memory and the context.
            device.driver.forsake();
            return Err(Fault::new(
                FaultKind::Execution,
                format!(
                    "CUDA device {} still has work after {} s, a host function that does not \
                     return perhaps; its context is left as it is until the process ends",
                    device.context.ordinal(),
                    CLOSE_PATIENCE.as_secs()
                ),
            ));
        }
        device.destroy_all();
        let released = device.driver.release_context(&device.context);
        released.and(device.driver.take_refusal())
    }
}
