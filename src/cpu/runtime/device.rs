//! A CPU device: its memory and its streams.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::info;
use crate::backend::base::broker::Parcel;
use crate::backend::{
    Advice, Block, BoundLaunch, Copy, Copy2d, Device, DeviceInfo, Event, Fault, FaultKind, Fill, Graph, Launch,
    MemoryUsage, Module, Node, PagePolicy, PhysicalMemory, PoolChange, Result, SharedMemory, Span, Stream,
    StreamOptions, Wait,
};
use crate::graph;
use crate::kernel::{kernel_launch, module};
use crate::memory::device_memory::{DeviceMemory, MANAGED, Uses};
use crate::memory::ipc::{self, Contents, no_descriptor};
use crate::memory::pending::REAP;
use crate::memory::{bounds, ranges};
use crate::pool::imports::IMPORTED;
use crate::pool::shared_memory::ExportedMemory;
use crate::runtime::shared::Shared;
use crate::runtime::utilization::Working;
use crate::stream::CpuStream;
use crate::stream::event::CpuEvent;
use crate::stream::executor::{Executor, LEAST_PRIORITY};
use crate::stream::operation::SHORT;
use crate::stream::queue::Queue;
use crate::transfer::{memcpy, memcpy_2d};

/// The time for which [`Device::close`] waits for operations that use the memory.
const PATIENCE: Duration = Duration::from_secs(2);

/// An open device of the CPU backend.
pub(crate) struct CpuDevice {
    shared: Arc<Shared>,
    executor: Arc<Executor>,
    info: DeviceInfo,
    ordinal: u32,
    memory: Arc<DeviceMemory>,
    /// The streams that are referenced, and some that were dropped.
    streams: Mutex<Vec<Weak<Queue>>>,
    created: AtomicU64,
}

impl CpuDevice {
    pub(crate) fn new(shared: Arc<Shared>, executor: Arc<Executor>, ordinal: u32, memory: Arc<DeviceMemory>) -> Self {
        let info = info::describe(&shared, ordinal);
        Self { shared, executor, info, ordinal, memory, streams: Mutex::default(), created: AtomicU64::new(0) }
    }

    /// Counts an operation as work if it is long: short ones take about as long as counting them would.
    fn begin_if_long(&self, len: usize) -> Option<Working<'_>> {
        (len > SHORT).then(|| self.shared.devices[self.ordinal as usize].busy.begin())
    }

    /// Copies as [`Device::copy`] does: many bytes, or in guard mode, or in memory whose pages are to be made huge.
    #[inline(never)]
    fn copy_any(&self, copy: &Copy) -> Result<()> {
        let _working = self.begin_if_long(copy.dst.len);
        memcpy::copy(&self.shared, copy);
        self.written(&copy.dst);
        Ok(())
    }

    /// Notifies waits for values in this memory.
    fn written(&self, span: &Span) {
        self.shared.watcher.check((span.addr, span.len));
    }

    /// Allocates a block with this flag in its token.
    fn take(&self, len: usize, policy: PagePolicy, mark: u64) -> Result<Block> {
        self.shared.take(&self.memory, len, mark, || self.memory.take(len, policy))
    }

    /// Frees what nothing uses any more. Checks at most `limit` blocks of each kind.
    fn reap(&self, limit: usize) {
        self.shared.reap(limit);
        self.memory.reap(limit);
    }
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn least_priority(&self) -> u32 {
        LEAST_PRIORITY
    }

    fn free_memory(&self) -> Result<u64> {
        self.shared.reap_all(&self.memory);
        Ok(self.memory.free_bytes())
    }

    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block> {
        self.take(len, policy, 0)
    }

    /// Allocates device memory, because all memory here is host memory.
    fn alloc_managed(&self, len: usize) -> Result<Block> {
        let block = self.take(len, PagePolicy::HugeFirst, MANAGED)?;
        self.memory.set_host_access(&block, true).inspect_err(|_| {
            self.memory.freed(&block);
            self.memory.release(block);
        })?;
        Ok(block)
    }

    fn share(&self) -> Result<Arc<dyn SharedMemory>> {
        let number = self.shared.numbers[self.ordinal as usize];
        Ok(Arc::new(ExportedMemory::of_device(Arc::clone(&self.shared), Arc::clone(&self.memory), number)?))
    }

    fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>> {
        // Memory that cannot be mapped at other addresses is of no use here.
        self.memory.check_file()?;
        let block = self.take(len, PagePolicy::HugeFirst, 0)?;
        Ok(ranges::of_device(&self.shared, Arc::clone(&self.memory), block))
    }

    fn export_memory(&self, block: Block, len: usize) -> Result<Parcel> {
        match self.memory.set_apart(block, Uses::Own)? {
            Some(own) => {
                let file = own.file.get().map_err(no_descriptor)?;
                ipc::pack(Contents::Memory, file, own.offset, len as u64)
            }
            None => ipc::pack(Contents::Memory, self.memory.file()?, self.memory.offset(block.addr), len as u64),
        }
    }

    fn import_memory(&self, parcel: Parcel) -> Result<Block> {
        let part = ipc::unpack(parcel)?;
        let range = (part.offset, part.len);
        self.shared.imports.map(&part.file, range, Some(self.ordinal), Arc::default())
    }

    /// Does nothing, because memory does not move.
    fn advise(&self, _range: Span, _advice: Advice) -> Result<()> {
        Ok(())
    }

    fn block_len(&self, len: usize, policy: PagePolicy) -> usize {
        DeviceMemory::block_len(len, policy)
    }

    fn note_part(&self, addr: usize, len: usize, part: PoolChange) {
        let bounds = &self.memory.bounds;
        bounds.reap_parts();
        match part {
            PoolChange::Got => bounds.got(addr, len),
            PoolChange::Lent => bounds.note_allocated(addr, len),
            PoolChange::Returned => bounds.returned(addr, self.shared.users.fence(addr, len)),
        }
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.reap(usize::MAX);
        MemoryUsage {
            device: self.memory.counter(false).read(),
            managed: self.memory.counter(true).read(),
            huge_page_fallbacks: self.memory.huge_failures(),
        }
    }

    fn restart_peak(&self, managed: bool) {
        // Memory that nothing uses any more does not count.
        self.reap(usize::MAX);
        self.memory.counter(managed).restart();
    }

    fn free(&self, block: Block) -> Result<()> {
        if block.token & IMPORTED != 0 {
            self.shared.imports.free(&self.shared.users, block);
            return Ok(());
        }
        self.memory.freed(&block);
        if block.token & MANAGED != 0 {
            // A failure here only weakens the guard.
            let _ = self.memory.set_host_access(&block, false);
        }
        let damage = self.memory.bounds.damage_of(block.addr);
        self.reap(REAP);
        let fence = self.shared.users.fence(block.addr, block.len);
        self.memory.deferred.free(block, fence, |block| self.memory.release(block));
        damage.map_or(Ok(()), |damage| Err(bounds::report(&damage, "the allocation was freed")))
    }

    fn is_unused(&self, block: Block) -> bool {
        // If accesses outside of allocations are detected, frees must be noted.
        let users = &self.shared.users;
        let unused = || users.is_empty() || users.fence(block.addr, block.len).has_passed();
        !self.shared.check.is_on() && unused()
    }

    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        self.executor.ensure_started()?;
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let (shared, executor) = (Arc::clone(&self.shared), Arc::clone(&self.executor));
        let queue = Queue::new(shared, executor, self.ordinal, number, options.priority.level(), options.observer);
        let mut streams = self.streams.lock();
        if streams.len() == streams.capacity() {
            streams.retain(|queue| queue.strong_count() > 0);
            // The next search takes place when the list has grown by as many streams as are live now.
            let live = streams.len();
            streams.reserve(live + 1);
        }
        streams.push(Arc::downgrade(&queue));
        drop(streams);
        Ok(Arc::new(CpuStream { queue }))
    }

    fn adopt_stream(&self, _native: usize, _options: StreamOptions) -> Result<Arc<dyn Stream>> {
        Err(Fault::unsupported("the cpu backend has no driver streams to wrap; create a stream with aclrtCreateStream"))
    }

    fn native_context(&self) -> Option<usize> {
        None
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>> {
        Ok(Arc::new(CpuEvent::new(timing)))
    }

    fn copy(&self, copy: Copy) -> Result<()> {
        if copy.dst.len > SHORT || !self.shared.is_direct(&copy.dst) || !self.shared.is_direct(&copy.src) {
            return self.copy_any(&copy);
        }
        memcpy::copy_directly(&copy);
        self.written(&copy.dst);
        Ok(())
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<()> {
        memcpy::copy_batch(&self.shared, copies);
        copies.iter().for_each(|copy| self.written(&copy.dst));
        Ok(())
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<()> {
        memcpy_2d::copy(&self.shared, &copy);
        self.written(&copy.dst.span);
        Ok(())
    }

    fn fill(&self, fill: Fill) -> Result<()> {
        let _working = self.begin_if_long(fill.dst.len);
        memcpy::fill(&self.shared, &fill);
        self.written(&fill.dst);
        Ok(())
    }

    fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>> {
        module::load(&self.shared, self.ordinal, image)
    }

    fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>> {
        Ok(Arc::new(kernel_launch::call(&self.shared, launch, launch.kept)?))
    }

    fn create_graph(&self, nodes: &[Node]) -> Result<Arc<dyn Graph>> {
        graph::create(nodes)
    }

    fn update_graph(&self, graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()> {
        graph::update(graph, nodes)
    }

    fn close(&self) -> Result<()> {
        let streams = std::mem::take(&mut *self.streams.lock());
        streams.iter().filter_map(Weak::upgrade).for_each(|queue| _ = queue.abandon());
        // Operations that have started, or streams of other devices, may still use the memory.
        let (addr, len) = self.memory.range();
        let deadline = Instant::now() + PATIENCE;
        let fence = self.shared.users.fence(addr, len);
        let unused =
            fence.streams().all(|(stream, ticket)| Arc::clone(stream).wait_for(ticket, Some(deadline)) == Wait::Done);
        *self.shared.devices[self.ordinal as usize].memory.write() = None;
        if unused {
            self.memory.close();
            return Ok(());
        }
        // A leak is better than a crash: the mapping stays for its users, but not what waits for their work.
        self.memory.deferred.clear();
        std::mem::forget(Arc::clone(&self.memory));
        Err(Fault::new(
            FaultKind::Execution,
            format!(
                "device {}: work that has begun, or work of other devices' streams, still uses memory on this device \
                 after {} s, so the {len} bytes of the device stay mapped; synchronize these streams before the device \
                 is reset",
                self.ordinal,
                PATIENCE.as_secs()
            ),
        ))
    }
}
