//! Decorates all traits of a backend, and makes operations fail later.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::ledger::Resource;
use super::plan::{FaultObject, Plan};
use super::site::{Site, decorate};
use crate::base::broker::Parcel;
use crate::{
    Access, Advice, Block, BoundLaunch, Code, Copy, Copy2d, Device, DeviceInfo, Driver, Event, FailedLaunch, Failure,
    Fault, Fill, Foreign, ForeignBlock, Graph, HostFn, ImportedMemory, Kernel, Launch, MemoryPlace, MemoryUsage,
    Module, Node, Notify, Observer, Op, PagePolicy, Payload, PhysicalMemory, PointerExport, Pool, PoolAttribute,
    PoolChange, PoolHandle, PoolOptions, Pools, Position, Result, SharedMemory, Span, Stream, StreamOptions, Submit,
    VirtualMemory, Wait, Work, thread_number,
};

/// A backend whose calls are counted and made to fail.
pub struct FaultDriver {
    /// The backend.
    pub inner: Arc<dyn Driver>,
    /// Which calls fail.
    pub plan: Arc<Plan>,
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
    fn alloc_host(&self, len: usize) -> Result<Block>, OutOfHostMemory, make Resource::HostBlock;
    fn free_host(&self, block: Block) -> Result<()>, Driver, release Resource::HostBlock;
    fn register_host(&self, addr: usize, len: usize) -> Result<usize>, OutOfHostMemory, make Resource::Registration;
    fn unregister_host(&self, addr: usize, len: usize) -> Result<()>, Driver, release Resource::Registration;
    fn host_memory(&self) -> u64;
    fn unlocked_host_bytes(&self) -> u64;
    fn foreign(&self, addr: usize) -> Foreign, Driver, by Self::foreign_or_unknown;
    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock>, Driver, by Self::foreign_block_or_none;
    fn native_device(&self, ordinal: u32) -> Option<i32>;
    fn pools(&self) -> Option<&dyn Pools> = self.inner.pools().map(|_| self as &dyn Pools);
    fn share_host(&self, node: u32) -> Result<Arc<dyn SharedMemory>>,
        OutOfHostMemory, wrap Resource::SharedMemory, Resource::HostBlock;
    fn import_memory(&self, descriptor: BorrowedFd<'_>, ordinal: u32) -> Result<(Box<dyn Pool>, MemoryPlace)>,
        Driver, by Self::import_pool;
    fn create_notify(&self, alone: bool) -> Result<Arc<Notify>>, OutOfResources;
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
        let inner = self.plan.make(site, Resource::Device, || self.inner.open(ordinal))?;
        Ok(Arc::new(FaultDevice { inner, plan: Arc::clone(&self.plan) }))
    }

    /// Returns what the wrapped driver does, or unknown, which is this call's only way to fail.
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
        Ok((Box::new(self.plan.counted(Resource::Pool, (), inner)), place))
    }

    fn shut_down(&self, patience: Duration) -> bool {
        let all = self.inner.shutdown(patience);
        self.plan.ledger.end(all);
        self.plan.report();
        all
    }
}

/// A device whose calls are counted and made to fail.
struct FaultDevice {
    inner: Arc<dyn Device>,
    plan: Arc<Plan>,
}

decorate! {
    DEVICE: Device for FaultDevice, self.inner, "device";
    fn info(&self) -> &DeviceInfo;
    fn least_priority(&self) -> u32;
    fn free_memory(&self) -> Result<u64>, Driver;
    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block>, OutOfDeviceMemory, make Resource::DeviceBlock;
    fn alloc_managed(&self, len: usize) -> Result<Block>, OutOfDeviceMemory, make Resource::DeviceBlock;
    fn share(&self) -> Result<Arc<dyn SharedMemory>>, OutOfHostMemory, wrap Resource::SharedMemory, Resource::DeviceBlock;
    fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>>,
        OutOfDeviceMemory, wrap Resource::DeviceBlock;
    fn export_memory(&self, block: Block, len: usize) -> Result<Parcel>, Driver;
    fn import_memory(&self, parcel: Parcel) -> Result<Block>, Driver, make Resource::DeviceBlock;
    fn advise(&self, range: Span, advice: Advice) -> Result<()>, Driver;
    fn block_len(&self, len: usize, policy: PagePolicy) -> usize;
    fn note_part(&self, addr: usize, len: usize, part: PoolChange);
    fn memory_usage(&self) -> MemoryUsage;
    fn restart_peak(&self, managed: bool);
    fn free(&self, block: Block) -> Result<()>, Driver, release Resource::DeviceBlock;
    // The core then caches nothing, so that each free reaches the device and can fail.
    fn is_unused(&self, _block: Block) -> bool = false;
    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>>,
        OutOfResources, wrap Resource::Stream, options.observer.clone();
    fn adopt_stream(&self, native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>>,
        Driver, wrap Resource::Stream, options.observer.clone();
    fn native_context(&self) -> Option<usize>;
    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>>, OutOfResources, wrap Resource::Event;
    fn copy(&self, copy: Copy) -> Result<()>, Driver;
    fn copy_batch(&self, copies: &[Copy]) -> Result<()>, Driver;
    fn copy_2d(&self, copy: Copy2d) -> Result<()>, Driver;
    fn fill(&self, fill: Fill) -> Result<()>, Driver;
    fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>>, Driver, wrap Resource::Module;
    fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>>, Driver;
    fn streams_wait_for_tickets(&self) -> bool;
    fn create_graph(&self, nodes: &[Node] = &inner_nodes(nodes)?) -> Result<Arc<dyn Graph>>, Driver, wrap Resource::Graph;
    fn update_graph(
        &self,
        graph: &Arc<dyn Graph> = FaultGraph::inner_of(&**graph, "graph")?,
        nodes: &[Node] = &inner_nodes(nodes)?
    ) -> Result<()>, Driver;
    fn close(&self) -> Result<()>, Driver, by Self::close_and_fail;
}

impl FaultDevice {
    /// Closes the device, and then fails. A device that stayed open could not be opened again.
    fn close_and_fail(&self, site: Site) -> Result<()> {
        let refused = self.plan.enter(site);
        let closed = self.inner.close();
        if closed.is_ok() {
            self.plan.ledger.released(Resource::Device);
        }
        refused.and(closed)
    }
}

/// Returns nodes with the wrapped objects in place of the decorators.
fn inner_nodes(nodes: &[Node]) -> Result<Vec<Node>> {
    let mut nodes = nodes.to_vec();
    for node in &mut nodes {
        if let Work::Record(event) = &mut node.work {
            *event = Arc::clone(FaultEvent::inner_of(&**event, "event")?);
        }
    }
    Ok(nodes)
}

/// The decorator of a graph.
type FaultGraph = FaultObject<Arc<dyn Graph>>;

decorate! {
    GRAPH: Graph for FaultGraph, self.inner, "graph";
    fn is_running(&self) -> Result<bool>, Driver;
    fn abort(&self);
}

decorate! {
    MODULE: Module for FaultObject<Arc<dyn Module>>, self.inner, "module";
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>, Driver;
    fn variable(&self, name: &str) -> Result<Span>, Driver;
    fn code(&self) -> Option<Code>;
}

/// The decorator of a stream, with the stream's observer.
type FaultStream = FaultObject<Arc<dyn Stream>, Option<Arc<dyn Observer>>>;

impl Submit for FaultStream {
    /// Submits the operation, or one that fails in its place.
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        let site = Site::of(op.kind());
        if let Some(fault) = self.plan.enter_queued(site)? {
            let launch = if let Op::Launch(launch) = op { Some(launch.failed()) } else { None };
            return self.fail_later(fault, launch);
        }
        // The wrapped stream knows only wrapped events and graphs.
        let op = match op {
            Op::Record(event) => Op::Record(FaultEvent::inner_of(&**event, "event")?),
            Op::Wait(event, limit) => Op::Wait(FaultEvent::inner_of(&**event, "event")?, limit),
            Op::RunGraph(graph) => Op::RunGraph(FaultGraph::inner_of(&**graph, "graph")?),
            op @ (Op::Copy(_)
            | Op::CopyBatch(_)
            | Op::Copy2d(_)
            | Op::CopyIndirect(_)
            | Op::Fill(_)
            | Op::Prefetch(_)
            | Op::RandomNum(_)
            | Op::Reduce(_)
            | Op::Launch(_)
            | Op::HostFn(_)
            | Op::HostTask(_)
            | Op::HandOver { .. }
            | Op::WriteValue(_)
            | Op::WaitValue(_)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..)
            | Op::Mark) => op,
        };
        self.inner.submit(op)
    }
}

decorate! {
    STREAM: Stream for FaultStream, self.inner, "stream";
    fn limit_waits(&self, until: Instant);
    fn await_room(&self, operations: usize, deadline: Option<Instant>) -> Option<Wait>;
    fn is_idle(&self) -> Result<bool>, Driver;
    // Callers then use the call that can fail.
    fn is_known_idle(&self) -> bool = false;
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>, Driver;
    fn submitted(&self) -> Option<Position>;
    fn finished(&self) -> Position;
    fn drain_up_to(&self, position: Position) -> Result<()>, Driver;
    fn abandon(&self) -> Position;
    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait;
    fn retire(&self);
    fn set_priority(&self, priority: u32) -> Result<()>, Driver;
    fn native(&self) -> Option<usize>;
}

impl FaultStream {
    /// Enqueues a host function that reports a failure with `fault`, in place of an operation.
    fn fail_later(&self, fault: Fault, launch: Option<FailedLaunch>) -> Result<Position> {
        // The position is locked while the function is enqueued, because it is known only then.
        let (position, thread) = (Arc::new(Mutex::new(None)), Some(thread_number()));
        let (known, observer) = (Arc::clone(&position), self.extra.clone());
        let fail = move || {
            let failure = Failure { fault, position: *known.lock(), thread, launch };
            // This thread is already one for user code.
            if let Some(report) = observer.and_then(|observer| observer.failed(failure)) {
                report.run();
            }
        };
        let mut position = position.lock();
        let queued = self.inner.submit(Op::HostFn(Payload::new(&mut Some(HostFn::from_closure(fail)))))?;
        Ok(*position.insert(queued))
    }
}

/// The decorator of an event.
type FaultEvent = FaultObject<Arc<dyn Event>>;

decorate! {
    EVENT: Event for FaultEvent, self.inner, "event";
    fn is_complete(&self) -> Result<bool>, Driver;
    // The reason is the same as for streams.
    fn is_known_complete(&self) -> bool = false;
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>, Driver;
    fn elapsed_ms(&self, start: &dyn Event = &**Self::inner_of(start, "event")?) -> Result<f32>, Driver;
    fn time_ns(&self) -> Result<u64>, Driver;
    fn native(&self) -> Option<usize>;
}

decorate! {
    POOLS: Pools for FaultDriver, self.inner.pools().expect("it had some when it was asked"), "pools";
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>>, OutOfDeviceMemory, boxed Resource::Pool;
    fn have_had(&self, addr: usize) -> bool;
    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>>,
        Driver, boxed Resource::Pool;
}

decorate! {
    POOL: Pool for FaultObject<Box<dyn Pool>>, self.inner, "pool";
    fn alloc(&self, len: usize, stream: &dyn Stream = &**FaultStream::inner_of(stream, "stream")?) -> Result<Block>,
        OutOfDeviceMemory, make Resource::PoolBlock;
    fn free(&self, block: Block, stream: &dyn Stream = &**FaultStream::inner_of(stream, "stream")?) -> Result<()>,
        Driver, release Resource::PoolBlock;
    fn free_now(&self, block: Block) -> Result<()>, Driver, release Resource::PoolBlock;
    fn get(&self, attribute: PoolAttribute) -> Result<u64>, Driver;
    fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()>, Driver;
    fn trim(&self, keep: usize) -> Result<()>, Driver;
    fn set_access(&self, ordinal: u32, access: Access) -> Result<()>, Driver;
    fn access(&self, ordinal: u32) -> Result<Access>, Driver;
    fn export(&self) -> Result<PoolHandle<OwnedFd>>, Driver;
    fn export_block(&self, block: Block) -> Result<PointerExport>, Driver;
    fn import_block(&self, export: &PointerExport) -> Result<Block>, Driver, make Resource::PoolBlock;
}

// The decorator knows the kind of its blocks.
decorate! {
    SHARED_MEMORY: SharedMemory for FaultObject<Arc<dyn SharedMemory>, Resource>, self.inner, "shared_memory";
    fn alloc(&self, len: usize) -> Result<Block>, OutOfDeviceMemory, make self.extra;
    fn export(&self) -> Result<OwnedFd>, Driver;
    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport>, Driver;
    fn withdraw(&self, addr: usize);
    fn close(&self);
}

/// The decorator of memory without an address.
type FaultPhysicalMemory = FaultObject<Arc<dyn PhysicalMemory>>;

decorate! {
    PHYSICAL_MEMORY: PhysicalMemory for FaultPhysicalMemory, self.inner, "physical_memory";
    fn page_size(&self) -> usize;
    fn export(&self) -> Result<Parcel>, Driver;
}

decorate! {
    VIRTUAL_MEMORY: VirtualMemory for FaultDriver, self.inner.virtual_memory(), "virtual_memory";
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize>, OutOfHostMemory, make Resource::Range;
    fn release(&self, addr: usize, len: usize) -> Result<()>, Driver, end Resource::Range;
    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>>,
        OutOfHostMemory, wrap Resource::HostBlock;
    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory>, Driver, by Self::import_physical;
    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory = inner_memory(memory)?) -> Result<()>,
        Driver, make Resource::Mapping;
    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory = inner_memory(memory)?) -> Result<()>,
        Driver, end Resource::Mapping;
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
        let kind = if imported.on_device { Resource::DeviceBlock } else { Resource::HostBlock };
        Ok(ImportedMemory { memory: Arc::new(self.plan.counted(kind, (), imported.memory)), ..imported })
    }
}

fn inner_memory(memory: &dyn PhysicalMemory) -> Result<&dyn PhysicalMemory> {
    FaultPhysicalMemory::inner_of(memory, "memory").map(|inner| &**inner)
}
