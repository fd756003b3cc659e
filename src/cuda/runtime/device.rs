//! Implements an open device.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::backend::base::broker::Parcel;
use crate::backend::{
    Advice, Block, BoundLaunch, Copy, Copy2d, Device, DeviceInfo, Event, Fault, FaultKind, Fill, Graph, Launch,
    MemoryUsage, Module, Node, PagePolicy, PhysicalMemory, Result, Span, Stream, StreamOptions, Wait,
};
use crate::graph;
use crate::kernel::library_module::LibraryModule;
use crate::kernel::{kernel_launch, module};
use crate::memory::{device_memory, ipc, managed_memory, peer, pending, virtual_memory};
use crate::runtime::device_state::DeviceState;
use crate::runtime::shared::DriverState;
use crate::stream::CudaStream;
use crate::stream::event::CudaEvent;
use crate::stream::mark::poll_until;
use crate::stream::words::Words;
use crate::transfer::{host_task, memcpy, memcpy_2d, memcpy_indirect, random_num, reduce};

/// The time for which [`Device::close`] waits for work that the core did not drain (user code that never returns).
/// After that it leaves the device as it is.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);

/// The library's kernels, loaded with each device.
static LIBRARY_MODULES: [&LibraryModule; 3] = [&reduce::KERNELS, &memcpy_indirect::KERNELS, &random_num::KERNELS];

/// A device behind the trait.
pub(crate) struct CudaDevice(Arc<DeviceState>);

/// Waits until the streams of this device are idle and no block is pending. Returns false if that takes too long.
fn drain(device: &Arc<DeviceState>) -> bool {
    let driver = &device.driver;
    driver.flush_deferred();
    let deadline = Instant::now() + CLOSE_PATIENCE;
    let drained = poll_until(deadline, || {
        let idle = driver.streams_of(device).iter().all(|stream| stream.is_drained());
        if idle {
            pending::reap_all(driver);
        }
        let is_quiet = idle && !pending::has_any_of(device);
        Ok(is_quiet && device.words.get().is_none_or(Words::try_end))
    });
    matches!(drained, Ok(Wait::Done))
}

/// Destroys what was created in the context. The device is already marked as closed.
fn destroy_all(device: &Arc<DeviceState>) {
    host_task::free_staging(device);
    // Adopted streams belong to other libraries, which destroy them.
    device.driver.remove_streams_of(device).iter().for_each(|stream| stream.destroy());
    device.destroy_all();
    LIBRARY_MODULES.iter().for_each(|module| module.unload(device));
    if let Some(words) = device.words.get() {
        words.release(&device.driver, &device.context);
    }
}

/// Opens the device with this ordinal.
pub(crate) fn open(driver: &Arc<DriverState>, ordinal: u32) -> Result<Arc<dyn Device>> {
    let context = driver.contexts.acquire(ordinal)?;
    let state = DeviceState::new(driver, Arc::clone(&context))
        .inspect_err(|_| driver.note_refusal(driver.release_context(&context)))?;
    let device = CudaDevice(Arc::new(state));
    driver.add_device(&device.0);
    let complete = device
        .0
        .create_library_streams()
        .and_then(|()| device.0.find_words())
        .and_then(|()| peer::opened(driver, &device.0));
    // This failure is the one to report, not one of the close.
    complete.inspect_err(|_| drop(device.close()))?;
    // Loading them later could wait for running work. After a failure here, the first use loads them again.
    LIBRARY_MODULES.iter().for_each(|module| drop(module.kernel(&device.0, 0)));
    Ok(Arc::new(device))
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    fn least_priority(&self) -> u32 {
        self.0.priorities.least
    }

    fn free_memory(&self) -> Result<u64> {
        pending::reap(&self.0.driver);
        let (free, _) = device_memory::free_and_total(&self.0)?;
        // The total of a device is constant, and callers subtract.
        Ok((free as u64).min(self.0.info.total_memory))
    }

    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block> {
        device_memory::alloc_device(&self.0, len, policy)
    }

    fn alloc_managed(&self, len: usize) -> Result<Block> {
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
        ipc::import(&self.0, &parcel)
    }

    fn advise(&self, range: Span, advice: Advice) -> Result<()> {
        managed_memory::advise(&self.0, range, advice)
    }

    fn block_len(&self, len: usize, policy: PagePolicy) -> usize {
        device_memory::block_len(&self.0, len, policy)
    }

    fn memory_usage(&self) -> MemoryUsage {
        pending::reap(&self.0.driver);
        MemoryUsage {
            device: self.0.device_bytes.read(),
            managed: self.0.managed_bytes.read(),
            // The driver chooses page sizes and does not return them.
            huge_page_fallbacks: 0,
        }
    }

    fn restart_peak(&self, managed: bool) {
        pending::reap(&self.0.driver);
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
        Some(self.0.context.raw.0.expose_provenance())
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
        module::load(&self.0, image)
    }

    fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>> {
        self.0.check_open()?;
        kernel_launch::bind(launch)
    }

    fn streams_wait_for_tickets(&self) -> bool {
        self.0.words.get().is_some()
    }

    fn create_graph(&self, nodes: &[Node]) -> Result<Arc<dyn Graph>> {
        graph::create(&self.0, nodes)
    }

    fn update_graph(&self, graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()> {
        graph::update(graph, nodes)
    }

    fn close(&self) -> Result<()> {
        let device = &self.0;
        device.check_open()?;
        let driver = &device.driver;
        let drained = drain(device);
        peer::closing(driver, device);
        device.set_closed();
        if !drained {
            // Work that still runs needs its streams, its memory and the context.
            driver.forsaken.store(true, Ordering::Relaxed);
            return Err(Fault::new(
                FaultKind::Execution,
                format!(
                    "CUDA device {} still has work after {} s, for example a kernel or a host function that does not \
                     end; the device's context stays until the process ends; end the work before the device is reset",
                    device.context.ordinal,
                    CLOSE_PATIENCE.as_secs()
                ),
            ));
        }
        destroy_all(device);
        let released = driver.release_context(&device.context);
        released.and(driver.take_refusal())
    }
}
