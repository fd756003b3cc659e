//! Devices of the script, their graphs and modules.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::stream::ScriptEvent;
use super::{Script, ScriptStream, Thing, no_virtual_memory};
use crate::backend::base::broker::Parcel;
use crate::backend::{
    Advice, Block, BoundLaunch, Code, Copy, Copy2d, Device, DeviceInfo, Event, Fault, FaultKind, Fill, Graph, Kernel,
    KernelInfo, Launch, MemoryUsage, Module, Node, PagePolicy, PhysicalMemory, Result, Span, Stream, StreamOptions,
};

pub(super) struct ScriptDevice {
    pub(super) script: Arc<Script>,
    ordinal: u32,
    info: DeviceInfo,
    closed: AtomicBool,
    blocks: Mutex<Vec<usize>>,
    itself: Weak<Self>,
}

impl ScriptDevice {
    pub(super) fn open(script: &Arc<Script>, ordinal: u32, info: DeviceInfo) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            script: Arc::clone(script),
            ordinal,
            info,
            closed: AtomicBool::new(false),
            blocks: Mutex::default(),
            itself: Weak::clone(itself),
        })
    }

    pub(super) fn enter(&self, call: &'static str) -> Result<()> {
        let entered = self.script.enter(call);
        // This is read after the gate: the core closes no device during a call.
        if self.closed.load(Ordering::SeqCst) {
            self.script.broken(&format!("{call} on a device that is closed"));
        }
        match self.script.failed.lock().get(&self.ordinal) {
            Some(fault) => Err(fault.clone()),
            None => entered,
        }
    }
}

impl Device for ScriptDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn least_priority(&self) -> u32 {
        self.script.least_priority.load(Ordering::SeqCst)
    }

    fn free_memory(&self) -> Result<u64> {
        self.enter("free_memory")?;
        Ok(self.info.total_memory)
    }

    fn export_memory(&self, _block: Block, _len: usize) -> Result<Parcel> {
        no_virtual_memory()
    }

    fn import_memory(&self, _parcel: Parcel) -> Result<Block> {
        no_virtual_memory()
    }

    fn alloc_physical(&self, _len: usize) -> Result<Arc<dyn PhysicalMemory>> {
        no_virtual_memory()
    }

    fn alloc(&self, len: usize, _policy: PagePolicy) -> Result<Block> {
        self.enter("alloc")?;
        let block = self.script.alloc(Thing::DeviceBlock, len);
        self.blocks.lock().push(block.addr);
        Ok(block)
    }

    fn alloc_managed(&self, len: usize) -> Result<Block> {
        self.enter("alloc_managed")?;
        let block = self.script.alloc(Thing::DeviceBlock, len);
        self.blocks.lock().push(block.addr);
        Ok(block)
    }

    fn advise(&self, _range: Span, _advice: Advice) -> Result<()> {
        self.enter("advise")
    }

    fn memory_usage(&self) -> MemoryUsage {
        MemoryUsage::default()
    }

    fn restart_peak(&self, _managed: bool) {}

    fn free(&self, block: Block) -> Result<()> {
        let mut blocks = self.blocks.lock();
        match blocks.iter().position(|addr| *addr == block.addr) {
            Some(index) => drop(blocks.swap_remove(index)),
            None => self.script.broken("a block given to a device that it is not of"),
        }
        drop(blocks);
        self.script.gone(Thing::DeviceBlock);
        self.enter("free")
    }

    fn adopt_stream(&self, _native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        self.create_stream(options)
    }

    fn native_context(&self) -> Option<usize> {
        None
    }

    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>> {
        self.enter("create_stream")?;
        self.script.made(Thing::Stream);
        let device = self.itself.upgrade().expect("it is inside a call");
        Ok(ScriptStream::new(device, options))
    }

    fn create_event(&self, _timing: bool) -> Result<Arc<dyn Event>> {
        self.enter("create_event")?;
        self.script.made(Thing::Event);
        let device = self.itself.upgrade().expect("it is inside a call");
        Ok(Arc::new(ScriptEvent::new(device)))
    }

    fn copy(&self, _copy: Copy) -> Result<()> {
        self.enter("copy_now")
    }

    fn copy_batch(&self, _copies: &[Copy]) -> Result<()> {
        self.enter("copy_batch_now")
    }

    fn copy_2d(&self, _copy: Copy2d) -> Result<()> {
        self.enter("copy_2d_now")
    }

    fn fill(&self, _fill: Fill) -> Result<()> {
        self.enter("fill_now")
    }

    fn bind_launch(&self, _launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>> {
        self.enter("bind_launch")?;
        Ok(Arc::new(ScriptLaunch))
    }

    fn create_graph(&self, _nodes: &[Node]) -> Result<Arc<dyn Graph>> {
        self.enter("create_graph")?;
        Ok(Arc::new(ScriptGraph))
    }

    fn update_graph(&self, _graph: &Arc<dyn Graph>, _nodes: &[Node]) -> Result<()> {
        self.enter("update_graph")
    }

    fn load_module(&self, _image: &[u8]) -> Result<Arc<dyn Module>> {
        self.enter("load_module")?;
        self.script.made(Thing::Module);
        let device = self.itself.upgrade().expect("it is inside a call");
        Ok(Arc::new(ScriptModule { device }))
    }

    fn close(&self) -> Result<()> {
        let closed = self.enter("close");
        self.closed.store(true, Ordering::SeqCst);
        self.script.gone(Thing::OpenDevice);
        if !self.blocks.lock().is_empty() {
            self.script.broken("a device closed that has blocks out");
        }
        closed
    }
}

struct ScriptLaunch;

impl BoundLaunch for ScriptLaunch {}

/// A graph whose runs complete at once.
struct ScriptGraph;

impl Graph for ScriptGraph {
    fn is_running(&self) -> Result<bool> {
        Ok(false)
    }

    fn abort(&self) {}
}

/// A module with every kernel.
struct ScriptModule {
    device: Arc<ScriptDevice>,
}

struct ScriptKernel(KernelInfo);

impl Kernel for ScriptKernel {
    fn info(&self) -> &KernelInfo {
        &self.0
    }
}

impl Module for ScriptModule {
    fn kernel(&self, _name: &str) -> Result<Arc<dyn Kernel>> {
        self.device.enter("kernel")?;
        Ok(Arc::new(ScriptKernel(KernelInfo::default())))
    }

    fn variable(&self, _name: &str) -> Result<Span> {
        self.device.enter("variable")?;
        Err(Fault::new(FaultKind::InvalidArgument, "the script has no variables"))
    }

    fn code(&self) -> Option<Code> {
        None
    }
}

impl Drop for ScriptModule {
    fn drop(&mut self) {
        self.device.script.gone(Thing::Module);
    }
}
