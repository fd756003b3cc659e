//! The decorator of a device.

use std::any::Any;
use std::sync::Arc;

use super::ledger::Kind;
use super::plan::{Counted, Plan};
use super::shared_memory::FaultSharedMemory;
use super::site::Site;
use super::stream::{FaultEvent, FaultStream};
use super::virtual_memory::FaultPhysicalMemory;
use crate::backend::base::broker::Parcel;
use crate::backend::{
    Advice, Block, BoundLaunch, Code, Copy, Copy2d, Device, DeviceInfo, Event, Fault, FaultKind, Fill, Graph, Kernel,
    Launch, MemoryUsage, Module, Node, PagePolicy, Part, PhysicalMemory, Result, SharedMemory, Span, Stream,
    StreamOptions, Work,
};

/// A device whose calls are counted and made to fail.
pub(super) struct FaultDevice {
    pub(super) inner: Arc<dyn Device>,
    pub(super) plan: Arc<Plan>,
}

impl Device for FaultDevice {
    forward! {
        fn info(&self) -> &DeviceInfo;
        fn least_priority(&self) -> u32;
        fn free_memory(&self) -> Result<u64>, Site::DeviceFreeMemory;
        fn export_memory(&self, block: Block, len: usize) -> Result<Parcel>, Site::DeviceExportMemory;
        fn advise(&self, range: Span, advice: Advice) -> Result<()>, Site::DeviceAdvise;
        fn block_len(&self, len: usize, policy: PagePolicy) -> usize;
        fn note_part(&self, addr: usize, len: usize, part: Part);
        fn memory_usage(&self) -> MemoryUsage;
        fn restart_peak(&self, managed: bool);
        fn native_context(&self) -> Option<usize>;
        fn copy(&self, copy: Copy) -> Result<()>, Site::DeviceCopy;
        fn copy_batch(&self, copies: &[Copy]) -> Result<()>, Site::DeviceCopyBatch;
        fn copy_2d(&self, copy: Copy2d) -> Result<()>, Site::DeviceCopy2d;
        fn fill(&self, fill: Fill) -> Result<()>, Site::DeviceFill;
        fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>>, Site::DeviceBindLaunch;
        fn streams_wait_for_tickets(&self) -> bool;
    }

    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block> {
        self.plan.make(Site::DeviceAlloc, Kind::DeviceBlock, || self.inner.alloc(len, policy))
    }

    fn alloc_managed(&self, len: usize) -> Result<Block> {
        self.plan.make(Site::DeviceAllocManaged, Kind::DeviceBlock, || self.inner.alloc_managed(len))
    }

    fn share(&self) -> Result<Arc<dyn SharedMemory>> {
        self.plan.enter(Site::DeviceShare)?;
        let inner = self.inner.share()?;
        Ok(FaultSharedMemory::wrap(inner, &self.plan, Kind::DeviceBlock))
    }

    fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>> {
        self.plan.enter(Site::DeviceAllocPhysical)?;
        let inner = self.inner.alloc_physical(len)?;
        Ok(FaultPhysicalMemory::wrap(inner, &self.plan, Kind::DeviceBlock))
    }

    fn import_memory(&self, parcel: Parcel) -> Result<Block> {
        self.plan.make(Site::DeviceImportMemory, Kind::DeviceBlock, || self.inner.import_memory(parcel))
    }

    /// Never, so that the core caches nothing: each free reaches the device, and can fail.
    fn is_unused(&self, _block: Block) -> bool {
        false
    }

    fn free(&self, block: Block) -> Result<()> {
        self.plan.release(Site::DeviceFree, Kind::DeviceBlock, || self.inner.free(block))
    }

    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        self.plan.enter(Site::DeviceCreateStream)?;
        let observer = options.observer.clone();
        Ok(FaultStream::wrap(self.inner.create_stream(options)?, &self.plan, observer))
    }

    fn adopt_stream(&self, native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        self.plan.enter(Site::DeviceAdoptStream)?;
        let observer = options.observer.clone();
        Ok(FaultStream::wrap(self.inner.adopt_stream(native, options)?, &self.plan, observer))
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>> {
        self.plan.enter(Site::DeviceCreateEvent)?;
        let inner = self.inner.create_event(timing)?;
        Ok(Arc::new(FaultEvent { plan: Counted::new(&self.plan, Kind::Event), inner }))
    }

    fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>> {
        self.plan.enter(Site::DeviceLoadModule)?;
        let inner = self.inner.load_module(image)?;
        Ok(Arc::new(FaultModule { plan: Counted::new(&self.plan, Kind::Module), inner }))
    }

    fn create_graph(&self, nodes: &[Node]) -> Result<Arc<dyn Graph>> {
        self.plan.enter(Site::DeviceCreateGraph)?;
        let inner = self.inner.create_graph(&inner_nodes(nodes)?)?;
        Ok(Arc::new(FaultGraph { plan: Counted::new(&self.plan, Kind::Graph), inner }))
    }

    fn update_graph(&self, graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()> {
        self.plan.enter(Site::DeviceUpdateGraph)?;
        self.inner.update_graph(FaultGraph::inner_of(graph)?, &inner_nodes(nodes)?)
    }

    /// Closes the device, and then fails: a device that stayed open could not be opened again.
    fn close(&self) -> Result<()> {
        let refused = self.plan.enter(Site::DeviceClose);
        let closed = self.inner.close();
        if closed.is_ok() {
            self.plan.ledger.released(Kind::Device);
        }
        refused.and(closed)
    }
}

/// A graph that is counted.
pub(super) struct FaultGraph {
    plan: Counted,
    inner: Arc<dyn Graph>,
}

/// Nodes with the wrapped objects instead of the decorators.
fn inner_nodes(nodes: &[Node]) -> Result<Vec<Node>> {
    let mut nodes = nodes.to_vec();
    for node in &mut nodes {
        if let Work::Record(event) = &mut node.work {
            *event = FaultEvent::inner_of(&**event)?;
        }
    }
    Ok(nodes)
}

impl FaultGraph {
    /// The graph inside a decorator.
    pub(super) fn inner_of(graph: &Arc<dyn Graph>) -> Result<&Arc<dyn Graph>> {
        let graph: &dyn Any = &**graph;
        graph
            .downcast_ref()
            .map(|graph: &Self| &graph.inner)
            .ok_or_else(|| Fault::new(FaultKind::Driver, "the graph was made without PORTACL_FAULT's decorator"))
    }
}

impl Graph for FaultGraph {
    forward! {
        fn is_running(&self) -> Result<bool>, Site::GraphIsRunning;
        fn abort(&self);
    }
}

/// A program whose calls are counted and made to fail.
struct FaultModule {
    plan: Counted,
    inner: Arc<dyn Module>,
}

impl Module for FaultModule {
    forward! {
        fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>, Site::ModuleKernel;
        fn variable(&self, name: &str) -> Result<Span>, Site::ModuleVariable;
        fn code(&self) -> Option<Code>;
    }
}
