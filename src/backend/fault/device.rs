//! The decorator of a device.

use std::any::Any;
use std::sync::Arc;

use super::ledger::Kind;
use super::plan::Plan;
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
    inner: Arc<dyn Device>,
    plan: Arc<Plan>,
}

impl FaultDevice {
    pub(super) fn new(inner: Arc<dyn Device>, plan: Arc<Plan>) -> Self {
        Self { inner, plan }
    }
}

impl Device for FaultDevice {
    fn info(&self) -> &DeviceInfo {
        self.inner.info()
    }

    fn least_priority(&self) -> u32 {
        self.inner.least_priority()
    }

    fn free_memory(&self) -> Result<u64> {
        self.plan.enter(Site::DeviceFreeMemory)?;
        self.inner.free_memory()
    }

    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block> {
        self.plan.enter(Site::DeviceAlloc)?;
        let block = self.inner.alloc(len, policy)?;
        self.plan.ledger.made(Kind::DeviceBlock);
        Ok(block)
    }

    fn alloc_managed(&self, len: usize) -> Result<Block> {
        self.plan.enter(Site::DeviceAllocManaged)?;
        let block = self.inner.alloc_managed(len)?;
        self.plan.ledger.made(Kind::DeviceBlock);
        Ok(block)
    }

    fn share(&self) -> Result<Arc<dyn SharedMemory>> {
        self.plan.enter(Site::DeviceShare)?;
        let inner = self.inner.share()?;
        Ok(FaultSharedMemory::new(inner, Arc::clone(&self.plan), Kind::DeviceBlock))
    }

    fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>> {
        self.plan.enter(Site::DeviceAllocPhysical)?;
        let inner = self.inner.alloc_physical(len)?;
        Ok(FaultPhysicalMemory::wrap(inner, &self.plan, Kind::DeviceBlock))
    }

    fn export_memory(&self, block: Block, len: usize) -> Result<Parcel> {
        self.plan.enter(Site::DeviceExportMemory)?;
        self.inner.export_memory(block, len)
    }

    fn import_memory(&self, parcel: Parcel) -> Result<Block> {
        self.plan.enter(Site::DeviceImportMemory)?;
        let block = self.inner.import_memory(parcel)?;
        self.plan.ledger.made(Kind::DeviceBlock);
        Ok(block)
    }

    fn advise(&self, range: Span, advice: Advice) -> Result<()> {
        self.plan.enter(Site::DeviceAdvise)?;
        self.inner.advise(range, advice)
    }

    fn block_len(&self, len: usize, policy: PagePolicy) -> usize {
        self.inner.block_len(len, policy)
    }

    fn note_part(&self, addr: usize, len: usize, part: Part) {
        self.inner.note_part(addr, len, part);
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.inner.memory_usage()
    }

    fn restart_peak(&self, managed: bool) {
        self.inner.restart_peak(managed);
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
        let inner = self.inner.create_stream(options)?;
        self.plan.ledger.made(Kind::Stream);
        Ok(Arc::new(FaultStream::new(inner, Arc::clone(&self.plan), observer)))
    }

    fn adopt_stream(&self, native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        self.plan.enter(Site::DeviceAdoptStream)?;
        let observer = options.observer.clone();
        let inner = self.inner.adopt_stream(native, options)?;
        self.plan.ledger.made(Kind::Stream);
        Ok(Arc::new(FaultStream::new(inner, Arc::clone(&self.plan), observer)))
    }

    fn native_context(&self) -> Option<usize> {
        self.inner.native_context()
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>> {
        self.plan.enter(Site::DeviceCreateEvent)?;
        let inner = self.inner.create_event(timing)?;
        self.plan.ledger.made(Kind::Event);
        Ok(Arc::new(FaultEvent::new(inner, Arc::clone(&self.plan))))
    }

    fn copy(&self, copy: Copy) -> Result<()> {
        self.plan.enter(Site::DeviceCopy)?;
        self.inner.copy(copy)
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<()> {
        self.plan.enter(Site::DeviceCopyBatch)?;
        self.inner.copy_batch(copies)
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<()> {
        self.plan.enter(Site::DeviceCopy2d)?;
        self.inner.copy_2d(copy)
    }

    fn fill(&self, fill: Fill) -> Result<()> {
        self.plan.enter(Site::DeviceFill)?;
        self.inner.fill(fill)
    }

    fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>> {
        self.plan.enter(Site::DeviceLoadModule)?;
        let inner = self.inner.load_module(image)?;
        self.plan.ledger.made(Kind::Module);
        Ok(Arc::new(FaultModule { inner, plan: Arc::clone(&self.plan) }))
    }

    fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>> {
        self.plan.enter(Site::DeviceBindLaunch)?;
        self.inner.bind_launch(launch)
    }

    fn streams_wait_for_tickets(&self) -> bool {
        self.inner.streams_wait_for_tickets()
    }

    fn create_graph(&self, nodes: &[Node]) -> Result<Arc<dyn Graph>> {
        self.plan.enter(Site::DeviceCreateGraph)?;
        let inner = self.inner.create_graph(&inner_nodes(nodes)?)?;
        self.plan.ledger.made(Kind::Graph);
        Ok(Arc::new(FaultGraph { inner, plan: Arc::clone(&self.plan) }))
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
    inner: Arc<dyn Graph>,
    plan: Arc<Plan>,
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
    fn is_running(&self) -> Result<bool> {
        self.plan.enter(Site::GraphIsRunning)?;
        self.inner.is_running()
    }

    fn abort(&self) {
        self.inner.abort();
    }
}

impl Drop for FaultGraph {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::Graph);
    }
}

/// A program whose calls are counted and made to fail.
struct FaultModule {
    inner: Arc<dyn Module>,
    plan: Arc<Plan>,
}

impl Module for FaultModule {
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        self.plan.enter(Site::ModuleKernel)?;
        self.inner.kernel(name)
    }

    fn variable(&self, name: &str) -> Result<Span> {
        self.plan.enter(Site::ModuleVariable)?;
        self.inner.variable(name)
    }

    fn code(&self) -> Option<Code> {
        self.inner.code()
    }
}

impl Drop for FaultModule {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::Module);
    }
}
