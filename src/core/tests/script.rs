//! A backend that a test scripts, and that checks the promises of the core.

use std::collections::HashMap;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::backend::base::broker::Parcel;
use crate::backend::{
    Access, Block, Device, DeviceInfo, Driver, Fault, FaultKind, Foreign, ForeignBlock, ImportedMemory, Notifies,
    Notify, PhysicalMemory, Result, VirtualMemory, cover_all,
};
use crate::tests::begin_over;

mod device;
mod stream;

use self::device::ScriptDevice;
pub(super) use self::stream::ScriptStream;

const DEVICES: u32 = 2;
pub(super) const DEVICE_MEMORY: u64 = 1 << 30;
/// The number of bytes of host memory.
const HOST_MEMORY: u64 = 1 << 30;
/// The thread that enqueued the work that fails.
pub(super) const THREAD: u32 = 4711;
/// Offset of the address that devices use for registered memory.
pub(super) const DEVICE_OFFSET: usize = 1 << 40;
/// An address where freed device memory was.
pub(super) const STALE: usize = 0x3fff_0000_0000;

/// The script: what a test and the backend share.
#[derive(Default)]
pub(super) struct Script {
    /// The fault that the next call of this name returns.
    faults: Mutex<HashMap<&'static str, Fault>>,
    /// The name of the calls that stop at the gate until it opens.
    gate: Mutex<Option<&'static str>>,
    gate_moved: Condvar,
    at_gate: AtomicUsize,
    /// The faults of devices that have failed for good.
    failed: Mutex<HashMap<u32, Fault>>,
    /// The text of a promise that the core broke.
    broken: Mutex<Option<String>>,
    /// Live objects, by kind.
    live: [AtomicI64; 7],
    /// The lowest priority of the streams of its devices.
    least_priority: AtomicU32,
    /// True after the call of shutdown.
    ended: AtomicBool,
}

/// Kinds of counted objects.
#[derive(Clone, Copy, Debug)]
pub(super) enum Thing {
    OpenDevice,
    Stream,
    Event,
    DeviceBlock,
    HostBlock,
    Registration,
    Module,
}

const THINGS: [Thing; 7] = [
    Thing::OpenDevice,
    Thing::Stream,
    Thing::Event,
    Thing::DeviceBlock,
    Thing::HostBlock,
    Thing::Registration,
    Thing::Module,
];

impl Script {
    /// Begins a session over a new script.
    pub(super) fn begin(patience: Duration) -> Arc<Self> {
        let script = Arc::new(Self::default());
        cover_all();
        begin_over(Arc::new(ScriptDriver(Arc::clone(&script))), patience);
        script
    }

    /// Makes the next `call` fail with a fault of `kind` that says `text`.
    pub(super) fn fail_next(&self, call: &'static str, kind: FaultKind, text: &str) {
        self.faults.lock().insert(call, Fault::new(kind, text));
    }

    pub(super) fn set_least_priority(&self, least: u32) {
        self.least_priority.store(least, Ordering::SeqCst);
    }

    /// Makes the device return this from every call from now on.
    pub(super) fn fail_for_good(&self, device: u32, text: &str) {
        self.failed.lock().insert(device, Fault::new(FaultKind::Execution, text));
    }

    /// Makes calls of this name stop until [`Self::open_gate`].
    pub(super) fn close_gate(&self, call: &'static str) {
        *self.gate.lock() = Some(call);
    }

    pub(super) fn open_gate(&self) {
        *self.gate.lock() = None;
        self.gate_moved.notify_all();
    }

    /// Returns the number of calls that have reached the gate.
    pub(super) fn at_gate(&self) -> usize {
        self.at_gate.load(Ordering::SeqCst)
    }

    pub(super) fn live(&self, thing: Thing) -> i64 {
        self.live[thing as usize].load(Ordering::SeqCst)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    #[track_caller]
    pub(super) fn assert_kept(&self) {
        let broken = self.broken.lock().clone();
        assert_eq!(broken, None, "the core broke a promise");
    }

    #[track_caller]
    pub(super) fn assert_nothing_left(&self) {
        self.assert_kept();
        for thing in THINGS {
            assert_eq!(self.live(thing), 0, "{thing:?} left");
        }
        assert!(self.has_ended());
    }

    fn made(&self, thing: Thing) {
        self.live[thing as usize].fetch_add(1, Ordering::SeqCst);
    }

    fn gone(&self, thing: Thing) {
        self.live[thing as usize].fetch_sub(1, Ordering::SeqCst);
    }

    fn broken(&self, what: &str) {
        self.broken.lock().get_or_insert_with(|| what.to_owned());
    }

    fn enter(&self, call: &'static str) -> Result<()> {
        if self.has_ended() && call != "drop" {
            self.broken(&format!("{call} after the shutdown"));
        }
        let mut gate = self.gate.lock();
        if *gate == Some(call) {
            self.at_gate.fetch_add(1, Ordering::SeqCst);
            while *gate == Some(call) {
                self.gate_moved.wait(&mut gate);
            }
        }
        drop(gate);
        match self.faults.lock().remove(call) {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    fn alloc(&self, thing: Thing, len: usize) -> Block {
        /// Creates unique addresses. Nothing here reads or writes memory.
        static NEXT: AtomicUsize = AtomicUsize::new(0x4000_0000_0000);
        self.made(thing);
        // A `Block` must have this alignment.
        let alignment = if len < 2 << 20 { 4096 } else { 2 << 20 };
        let room = len.next_multiple_of(4096) + alignment;
        let addr = NEXT.fetch_add(room, Ordering::Relaxed).next_multiple_of(alignment);
        Block { addr, len, token: 0 }
    }
}

struct ScriptDriver(Arc<Script>);

impl Driver for ScriptDriver {
    fn name(&self) -> &'static str {
        "script"
    }

    fn device_count(&self) -> u32 {
        DEVICES
    }

    fn describe(&self, ordinal: u32) -> Result<DeviceInfo> {
        self.0.enter("describe")?;
        Ok(describe(ordinal))
    }

    fn can_access_peer(&self, _ordinal: u32, _peer: u32) -> Result<bool> {
        self.0.enter("can_access_peer")?;
        Ok(true)
    }

    fn atomics(&self, _: u32, _: Option<u32>, operations: &[u32]) -> Result<Vec<u32>> {
        self.0.enter("atomics")?;
        Ok(vec![0; operations.len()])
    }

    fn set_peer_access(&self, _ordinal: u32, _peer: u32, _on: bool) -> Result<()> {
        self.0.enter("set_peer_access")
    }

    fn utilization(&self, _ordinal: u32) -> Result<u32> {
        self.0.enter("utilization")?;
        Ok(50)
    }

    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>> {
        self.0.enter("open")?;
        self.0.made(Thing::OpenDevice);
        // A device that is opened again works again.
        self.0.failed.lock().remove(&ordinal);
        Ok(ScriptDevice::open(&self.0, ordinal, describe(ordinal)))
    }

    fn alloc_host(&self, len: usize) -> Result<Block> {
        self.0.enter("alloc_host")?;
        Ok(self.0.alloc(Thing::HostBlock, len))
    }

    fn free_host(&self, _block: Block) -> Result<()> {
        self.0.gone(Thing::HostBlock);
        self.0.enter("free_host")
    }

    fn register_host(&self, addr: usize, _len: usize) -> Result<usize> {
        self.0.enter("register_host")?;
        self.0.made(Thing::Registration);
        Ok(addr + DEVICE_OFFSET)
    }

    fn unregister_host(&self, _addr: usize, _len: usize) -> Result<()> {
        self.0.gone(Thing::Registration);
        self.0.enter("unregister_host")
    }

    fn host_memory(&self) -> u64 {
        HOST_MEMORY
    }

    fn unlocked_host_bytes(&self) -> u64 {
        0
    }

    fn foreign(&self, addr: usize) -> Foreign {
        if addr == STALE { Foreign::Stale } else { Foreign::Unknown }
    }

    fn foreign_block(&self, _addr: usize) -> Option<ForeignBlock> {
        None
    }

    fn create_notify(&self, alone: bool) -> Result<Arc<Notify>> {
        self.0.enter("create_notify")?;
        let notifies = Notifies::default();
        if alone { notifies.create_alone() } else { notifies.create() }
    }

    fn import_notify(&self, _bytes: &[u8], _descriptor: BorrowedFd<'_>) -> Result<Arc<Notify>> {
        self.0.enter("import_notify")?;
        Err(Fault::unsupported("nothing to import"))
    }

    fn native_device(&self, _ordinal: u32) -> Option<i32> {
        None
    }

    fn virtual_memory(&self) -> &dyn VirtualMemory {
        self
    }

    fn page_size(&self, _block: Block) -> usize {
        4096
    }

    fn hold_process(&self, _patience: Duration) -> Result<()> {
        self.0.enter("hold_process")
    }

    fn save_memory(&self, _kept: &[(usize, usize)]) -> Result<()> {
        self.0.enter("save_memory")
    }

    fn restore_memory(&self) -> Result<()> {
        self.0.enter("restore_memory")
    }

    fn release_process(&self) -> Result<()> {
        self.0.enter("release_process")
    }

    fn shutdown(&self, _patience: Duration) -> bool {
        if self.0.live(Thing::OpenDevice) == 0 && self.0.live(Thing::HostBlock) + self.0.live(Thing::Registration) != 0
        {
            self.0.broken("shutdown with host memory in use");
        }
        self.0.ended.store(true, Ordering::SeqCst);
        true
    }
}

/// Returns the error of calls that no test here uses.
fn no_virtual_memory<T>() -> Result<T> {
    Err(Fault::unsupported("this driver has no virtual memory"))
}

impl VirtualMemory for ScriptDriver {
    fn import(&self, _parcel: Parcel, _ordinal: u32) -> Result<ImportedMemory> {
        no_virtual_memory()
    }

    fn reserve(&self, _len: usize, _align: usize, _wish: usize) -> Result<usize> {
        no_virtual_memory()
    }

    fn release(&self, _addr: usize, _len: usize) -> Result<()> {
        no_virtual_memory()
    }

    fn alloc_host(&self, _len: usize, _node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>> {
        no_virtual_memory()
    }

    fn map(&self, _addr: usize, _len: usize, _memory: &dyn PhysicalMemory) -> Result<()> {
        no_virtual_memory()
    }

    fn unmap(&self, _addr: usize, _len: usize, _memory: &dyn PhysicalMemory) -> Result<()> {
        no_virtual_memory()
    }

    fn set_access(
        &self,
        _addr: usize,
        _len: usize,
        _memory: &dyn PhysicalMemory,
        _ordinal: Option<u32>,
        _access: Access,
    ) -> Result<()> {
        no_virtual_memory()
    }
}

fn describe(ordinal: u32) -> DeviceInfo {
    DeviceInfo {
        name: format!("script {ordinal}"),
        total_memory: DEVICE_MEMORY,
        cores: 1,
        host_cores: 1,
        l2_cache: 1 << 20,
        threads: None,
        uuid: None,
        pci: None,
        shares_memory: false,
        readable_tail: true,
        pools: crate::backend::PoolSupport::default(),
        notes_parts: false,
    }
}
