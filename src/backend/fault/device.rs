//! The decorator of a device.

use std::sync::Arc;

use super::ledger::Kind;
use super::plan::{FaultObject, Plan};
use super::site::{Site, decorate};
use super::stream::{FaultEvent, Late};
use crate::backend::base::broker::Parcel;
use crate::backend::{
    Advice, Block, BoundLaunch, Code, Copy, Copy2d, Device, DeviceInfo, Event, Fill, Graph, Kernel, Launch,
    MemoryUsage, Module, Node, PagePolicy, Part, PhysicalMemory, Result, SharedMemory, Span, Stream, StreamOptions,
    Work,
};

/// A device whose calls are counted and made to fail.
pub(super) struct FaultDevice {
    pub(super) inner: Arc<dyn Device>,
    pub(super) plan: Arc<Plan>,
}

decorate! {
    DEVICE: Device for FaultDevice, self.inner, "device";
    fn info(&self) -> &DeviceInfo;
    fn least_priority(&self) -> u32;
    fn free_memory(&self) -> Result<u64>, Driver;
    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block>, OutOfDeviceMemory, make Kind::DeviceBlock;
    fn alloc_managed(&self, len: usize) -> Result<Block>, OutOfDeviceMemory, make Kind::DeviceBlock;
    fn share(&self) -> Result<Arc<dyn SharedMemory>>, OutOfHostMemory, wrap Kind::SharedMemory, Kind::DeviceBlock;
    fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>>,
        OutOfDeviceMemory, wrap Kind::DeviceBlock;
    fn export_memory(&self, block: Block, len: usize) -> Result<Parcel>, Driver;
    fn import_memory(&self, parcel: Parcel) -> Result<Block>, Driver, make Kind::DeviceBlock;
    fn advise(&self, range: Span, advice: Advice) -> Result<()>, Driver;
    fn block_len(&self, len: usize, policy: PagePolicy) -> usize;
    fn note_part(&self, addr: usize, len: usize, part: Part);
    fn memory_usage(&self) -> MemoryUsage;
    fn restart_peak(&self, managed: bool);
    fn free(&self, block: Block) -> Result<()>, Driver, release Kind::DeviceBlock;
    // The core caches nothing then: each free reaches the device, and can fail.
    fn is_unused(&self, _block: Block) -> bool = false;
    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>>,
        OutOfResources, wrap Kind::Stream, Late::new(options.observer.clone());
    fn adopt_stream(&self, native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>>,
        Driver, wrap Kind::Stream, Late::new(options.observer.clone());
    fn native_context(&self) -> Option<usize>;
    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>>, OutOfResources, wrap Kind::Event;
    fn copy(&self, copy: Copy) -> Result<()>, Driver;
    fn copy_batch(&self, copies: &[Copy]) -> Result<()>, Driver;
    fn copy_2d(&self, copy: Copy2d) -> Result<()>, Driver;
    fn fill(&self, fill: Fill) -> Result<()>, Driver;
    fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>>, Driver, wrap Kind::Module;
    fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>>, Driver;
    fn streams_wait_for_tickets(&self) -> bool;
    fn create_graph(&self, nodes: &[Node] = &inner_nodes(nodes)?) -> Result<Arc<dyn Graph>>, Driver, wrap Kind::Graph;
    fn update_graph(
        &self,
        graph: &Arc<dyn Graph> = FaultGraph::inner_of(&**graph, "graph")?,
        nodes: &[Node] = &inner_nodes(nodes)?
    ) -> Result<()>, Driver;
    fn close(&self) -> Result<()>, Driver, by Self::close_and_fail;
}

impl FaultDevice {
    /// Closes the device, and then fails: a device that stayed open could not be opened again.
    fn close_and_fail(&self, site: Site) -> Result<()> {
        let refused = self.plan.enter(site);
        let closed = self.inner.close();
        if closed.is_ok() {
            self.plan.ledger.released(Kind::Device);
        }
        refused.and(closed)
    }
}

/// Nodes with the wrapped objects instead of the decorators.
fn inner_nodes(nodes: &[Node]) -> Result<Vec<Node>> {
    let mut nodes = nodes.to_vec();
    for node in &mut nodes {
        if let Work::Record(event) = &mut node.work {
            *event = Arc::clone(FaultEvent::inner_of(&**event, "event")?);
        }
    }
    Ok(nodes)
}

/// A graph.
pub(super) type FaultGraph = FaultObject<Arc<dyn Graph>>;

decorate! {
    GRAPH: Graph for FaultGraph, self.inner, "graph";
    fn is_running(&self) -> Result<bool>, Driver;
    fn abort(&self);
}

/// A program.
type FaultModule = FaultObject<Arc<dyn Module>>;

decorate! {
    MODULE: Module for FaultModule, self.inner, "module";
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>, Driver;
    fn variable(&self, name: &str) -> Result<Span>, Driver;
    fn code(&self) -> Option<Code>;
}
