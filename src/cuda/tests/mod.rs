//! Tests of the backend against the driver of this machine: a real one, or the test double. They are ignored unless
//! they are requested, because they fail without either.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::open;
use crate::backend::{
    Block, Calls, Copy, Device, Driver, FaultKind, HostFn, PagePolicy, Place, Span, Stream, StreamOptions, Wait,
    inside_host_function,
};

mod clock;
mod copies;
mod deferred;
mod device;
mod failure;
mod hand_over;
mod host_memory;
mod limit;
mod memory;
mod peer;
mod pool;
mod pool_sharing;
mod reduce;
mod stream;

/// The lock that lets one test run at a time: tests read the amount of free memory, and share primary contexts.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const LONG: Duration = Duration::from_secs(20);

/// The driver's hardware queues by default. A stream more shares one, and may stand behind a stream that waits.
const QUEUES: usize = 8;

/// Whether streams have this many hardware queues, or each its own. Begin a test with it in which a stream passes what
/// holds up another one.
fn has_queues(count: usize) -> bool {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let shared = number("FAKE_CUDA_CONNECTIONS").or_else(|| number("CUDA_DEVICE_MAX_CONNECTIONS")).unwrap_or(QUEUES);
    let has = shared == 0 || shared >= count;
    if !has {
        println!("skipped: needs {count} hardware queues");
    }
    has
}

/// An open driver and its first device, which are closed in the end.
struct Setup {
    driver: Arc<dyn Driver>,
    device: Arc<dyn Device>,
    _alone: MutexGuard<'static, ()>,
}

impl Setup {
    /// Opens the driver.
    fn new() -> Self {
        let alone = ONE_AT_A_TIME.lock();
        let driver = open().unwrap_or_else(|fault| panic!("there is no CUDA driver: {}", fault.text()));
        let device = driver.open(0).unwrap();
        Self { driver, device, _alone: alone }
    }

    fn stream(&self) -> Arc<dyn Stream> {
        self.device.create_stream(StreamOptions::default()).unwrap()
    }

    fn on_device(&self, len: usize) -> Memory<'_> {
        let block = self.device.alloc(len, PagePolicy::HugeFirst).unwrap();
        Memory { setup: self, block, place: Place::Device(0) }
    }

    fn pinned(&self, len: usize) -> Memory<'_> {
        let block = self.driver.alloc_host(len).unwrap();
        Memory { setup: self, block, place: Place::Pinned }
    }

    fn copy(&self, dst: Span, src: Span) {
        self.device.copy(Copy { dst, src, stage_source: false }).unwrap();
    }

    fn read(&self, memory: &Memory<'_>) -> Vec<u8> {
        let mut bytes = vec![0_u8; memory.block.len];
        self.copy(pageable(&mut bytes), memory.span());
        bytes
    }

    fn write(&self, memory: &Memory<'_>, bytes: &[u8]) {
        self.copy(memory.span(), source(bytes));
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.device.close().unwrap();
        assert!(self.driver.shutdown(LONG));
    }
}

/// A block that is freed at the end.
struct Memory<'a> {
    setup: &'a Setup,
    block: Block,
    place: Place,
}

impl Memory<'_> {
    fn span(&self) -> Span {
        Span { addr: self.block.addr, len: self.block.len, place: self.place }
    }

    /// Returns the bytes of pinned memory, which one test uses.
    #[allow(clippy::mut_from_ref, reason = "one test uses a block at a time")]
    fn bytes(&self) -> &mut [u8] {
        assert_eq!(self.place, Place::Pinned);
        let start = std::ptr::with_exposed_provenance_mut(self.block.addr);
        // SAFETY: a live block, and no two borrows of it are used at a time.
        unsafe { std::slice::from_raw_parts_mut(start, self.block.len) }
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        let freed = match self.place {
            Place::Pinned => self.setup.driver.free_host(self.block),
            Place::Pageable | Place::Device(_) => self.setup.device.free(self.block),
        };
        if !std::thread::panicking() {
            freed.unwrap();
        }
    }
}

fn pageable(bytes: &mut [u8]) -> Span {
    let addr = bytes.as_mut_ptr().expose_provenance();
    Span { addr, len: bytes.len(), place: Place::Pageable }
}

fn source(bytes: &[u8]) -> Span {
    Span { addr: bytes.as_ptr().expose_provenance(), len: bytes.len(), place: Place::Pageable }
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index * 7 + 3) as u8).collect()
}

/// A host function that returns when the test opens it.
#[derive(Default)]
struct Gate {
    entered: AtomicU32,
    open: AtomicBool,
}

impl Gate {
    fn close(stream: &Arc<dyn Stream>) -> Arc<Self> {
        let gate = Arc::new(Self::default());
        gate.queue(stream);
        gate
    }

    /// Enqueues a call that waits. The gate outlives the calls: each holds a reference.
    fn queue(self: &Arc<Self>, stream: &Arc<dyn Stream>) {
        stream.host_fn(self.function()).unwrap();
    }

    /// Returns a host function that waits at the gate.
    fn function(self: &Arc<Self>) -> HostFn {
        unsafe extern "C" fn pass(gate: *mut c_void) {
            assert!(inside_host_function());
            // SAFETY: the reference that `queue` gave away.
            let gate = unsafe { Arc::from_raw(gate.cast::<Gate>()) };
            gate.entered.fetch_add(1, Ordering::SeqCst);
            wait_until("the gate to open", || gate.open.load(Ordering::SeqCst));
        }
        let argument = Arc::into_raw(Arc::clone(self)).cast_mut().cast();
        // SAFETY: `pass` takes the reference it is given, once.
        unsafe { HostFn::new(pass, argument) }
    }

    fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }

    fn entered(&self) -> u32 {
        self.entered.load(Ordering::SeqCst)
    }
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LONG, "waited too long for {what}");
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Returns a function of the driver library, or of the test double.
fn symbol<F: std::marker::Copy>(name: &str) -> Option<F> {
    // SAFETY: the backend has loaded it before.
    let library = unsafe { libloading::Library::new("libcuda.so.1") }.ok()?;
    // SAFETY: the caller knows the signature.
    let found = *unsafe { library.get::<F>(name) }.ok()?;
    std::mem::forget(library);
    Some(found)
}

/// Whether this driver's streams can wait for a word. Without that there are no timeouts.
fn has_limits() -> bool {
    let has = symbol::<*const c_void>("cuStreamWaitValue32_v2").is_some();
    if !has {
        println!("skipped: this driver's streams cannot wait for a word");
    }
    has
}

fn has_two_devices(setup: &Setup) -> bool {
    let has = setup.driver.device_count() >= 2;
    if !has {
        println!("skipped: one device only");
    }
    has
}

/// Whether there are two devices that reach each other. If not, prints that.
fn has_peers(setup: &Setup) -> bool {
    let has = setup.driver.device_count() >= 2 && setup.driver.can_access_peer(1, 0).unwrap();
    if !has {
        println!("skipped: needs devices that reach each other");
    }
    has
}

/// Returns what only the test double has. Without it, prints that the test is skipped; the test must then return.
fn of_double<T>(found: Option<T>) -> Option<T> {
    if found.is_none() {
        println!("skipped: needs the test double");
    }
    found
}

/// Returns how often the test double was called by this name, or by all names for "". Returns `None` for a real driver.
fn calls(name: &str) -> Option<u64> {
    let ask: unsafe extern "C" fn(*const c_char) -> u64 = symbol("fakeCudaCalls")?;
    let name = CString::new(name).unwrap();
    // SAFETY: `name` is a CString, and the test double only reads it.
    Some(unsafe { ask(name.as_ptr()) })
}

/// Makes the test double fail as `spec` says (see its README). For a real driver, prints that the test is skipped, and
/// returns `None`.
fn fail(spec: &str) -> Option<()> {
    let set: unsafe extern "C" fn(*const c_char) -> c_int = of_double(symbol("fakeCudaFail"))?;
    let spec = CString::new(spec).unwrap();
    // SAFETY: `spec` is a CString, which lives until the test double has parsed it.
    assert_eq!(unsafe { set(spec.as_ptr()) }, 0);
    Some(())
}
