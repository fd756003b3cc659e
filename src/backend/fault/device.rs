//! The decorator of a device.

use std::sync::Arc;

use super::ledger::Kind;
use super::plan::{FaultObject, Plan};
use super::site::Site;
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

impl Device for FaultDevice {
    forward! {
        fn info(&self) -> &DeviceInfo;
        fn least_priority(&self) -> u32;
        fn free_memory(&self) -> Result<u64>, Site::DeviceFreeMemory;
        fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block>, Site::DeviceAlloc, make Kind::DeviceBlock;
        fn alloc_managed(&self, len: usize) -> Result<Block>, Site::DeviceAllocManaged, make Kind::DeviceBlock;
        fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>>,
            Site::DeviceAllocPhysical, wrap Kind::DeviceBlock;
        fn import_memory(&self, parcel: Parcel) -> Result<Block>, Site::DeviceImportMemory, make Kind::DeviceBlock;
        fn free(&self, block: Block) -> Result<()>, Site::DeviceFree, release Kind::DeviceBlock;
        fn export_memory(&self, block: Block, len: usize) -> Result<Parcel>, Site::DeviceExportMemory;
        fn advise(&self, range: Span, advice: Advice) -> Result<()>, Site::DeviceAdvise;
        fn block_len(&self, len: usize, policy: PagePolicy) -> usize;
        fn note_part(&self, addr: usize, len: usize, part: Part);
        fn memory_usage(&self) -> MemoryUsage;
        fn restart_peak(&self, managed: bool);
        fn native_context(&self) -> Option<usize>;
        fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>>, Site::DeviceCreateEvent, wrap Kind::Event;
        fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>>, Site::DeviceLoadModule, wrap Kind::Module;
        fn copy(&self, copy: Copy) -> Result<()>, Site::DeviceCopy;
        fn copy_batch(&self, copies: &[Copy]) -> Result<()>, Site::DeviceCopyBatch;
        fn copy_2d(&self, copy: Copy2d) -> Result<()>, Site::DeviceCopy2d;
        fn fill(&self, fill: Fill) -> Result<()>, Site::DeviceFill;
        fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>>, Site::DeviceBindLaunch;
        fn streams_wait_for_tickets(&self) -> bool;
    }

    fn share(&self) -> Result<Arc<dyn SharedMemory>> {
        let share = || self.inner.share();
        Ok(Arc::new(self.plan.wrap(Site::DeviceShare, Kind::SharedMemory, Kind::DeviceBlock, share)?))
    }

    /// Never, so that the core caches nothing: each free reaches the device, and can fail.
    fn is_unused(&self, _block: Block) -> bool {
        false
    }

    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        let late = Late::new(options.observer.clone());
        let create = || self.inner.create_stream(options);
        Ok(Arc::new(self.plan.wrap(Site::DeviceCreateStream, Kind::Stream, late, create)?))
    }

    fn adopt_stream(&self, native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        let late = Late::new(options.observer.clone());
        let adopt = || self.inner.adopt_stream(native, options);
        Ok(Arc::new(self.plan.wrap(Site::DeviceAdoptStream, Kind::Stream, late, adopt)?))
    }

    fn create_graph(&self, nodes: &[Node]) -> Result<Arc<dyn Graph>> {
        let create = || self.inner.create_graph(&inner_nodes(nodes)?);
        Ok(Arc::new(self.plan.wrap(Site::DeviceCreateGraph, Kind::Graph, (), create)?))
    }

    fn update_graph(&self, graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()> {
        self.plan.enter(Site::DeviceUpdateGraph)?;
        self.inner.update_graph(FaultGraph::inner_of(&**graph, "graph")?, &inner_nodes(nodes)?)
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

impl Graph for FaultGraph {
    forward! {
        fn is_running(&self) -> Result<bool>, Site::GraphIsRunning;
        fn abort(&self);
    }
}

/// A program.
type FaultModule = FaultObject<Arc<dyn Module>>;

impl Module for FaultModule {
    forward! {
        fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>, Site::ModuleKernel;
        fn variable(&self, name: &str) -> Result<Span>, Site::ModuleVariable;
        fn code(&self) -> Option<Code>;
    }
}
