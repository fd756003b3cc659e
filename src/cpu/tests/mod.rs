//! Tests that call the traits as the core does, each in all modes.

mod abort;
mod cost;
mod failure;
mod fault;
mod hand_over;
mod host_memory;
mod limit;
mod memory;
mod order;
mod parallel;
mod pinned;
mod reduce;
mod shared_memory;
mod threads;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::backend::Options;
use crate::backend::{
    Block, Calls, Copy, Device, Driver, Element, Event, Fault, Fill, Foreign, Heard, HostFn, PagePolicy, Place,
    Priority, Reduce, ReduceOp, Span, Stream, StreamOptions, Wait,
};
use crate::runtime::driver::CpuDriver;

pub(super) const MIB: usize = 1 << 20;

/// A driver with two devices of 256 MiB. The first of them is open.
pub(super) struct Bench {
    pub(super) driver: CpuDriver,
    pub(super) device: Arc<dyn Device>,
}

/// The observers of streams, by the stream's address.
static HEARD: Mutex<BTreeMap<usize, Arc<Heard>>> = Mutex::new(BTreeMap::new());

/// Returns the first failure of a stream of [`Bench::stream`] since the last call, and drops the others.
pub(super) fn take_failure(stream: &Arc<dyn Stream>) -> Option<Fault> {
    let heard = Arc::clone(&HEARD.lock()[&Arc::as_ptr(stream).addr()]);
    heard.take().into_iter().next().map(|failure| failure.fault)
}

/// Runs a test in all modes.
pub(super) fn in_all_modes(test: impl Fn(Bench)) {
    for asynchronous in [false, true] {
        test(Bench::new(asynchronous));
    }
    test(Bench::guarded());
    test(Bench::closing());
}

impl Bench {
    pub(super) fn new(asynchronous: bool) -> Self {
        Self::with_memory(asynchronous, 256 << 20)
    }

    /// Opens a bench in guard mode: the host cannot access device memory.
    pub(super) fn guarded() -> Self {
        Self::with(Options { guard: true, ..Self::options(false, 256 << 20) })
    }

    /// Opens a bench as [`Self::guarded`] does, with pinned memory mapped twice.
    pub(super) fn closing() -> Self {
        Self::with(Options { guard: true, closes_pinned: true, ..Self::options(false, 256 << 20) })
    }

    pub(super) fn with_memory(asynchronous: bool, memory_per_device: u64) -> Self {
        Self::with(Self::options(asynchronous, memory_per_device))
    }

    fn options(asynchronous: bool, memory_per_device: u64) -> Options {
        let memory_per_device = Some(memory_per_device);
        Options { devices: Some(2), memory_per_device, asynchronous, seed: 7, ..Options::default() }
    }

    fn with(options: Options) -> Self {
        let driver = CpuDriver::new(options, |count| (0..count).collect()).unwrap();
        let device = driver.open(0).unwrap();
        Self { driver, device }
    }

    pub(super) fn stream(&self) -> Arc<dyn Stream> {
        let heard = Arc::new(Heard::default());
        let stream = self.device.create_stream(heard.options()).unwrap();
        HEARD.lock().insert(Arc::as_ptr(&stream).addr(), heard);
        stream
    }

    pub(super) fn event(&self) -> Arc<dyn Event> {
        self.device.create_event(true).unwrap()
    }

    pub(super) fn alloc(&self, len: usize) -> Block {
        self.device.alloc(len, PagePolicy::HugeFirst).unwrap()
    }

    pub(super) fn threads(&self) -> usize {
        self.driver.executor.threads()
    }

    pub(super) fn cores(&self) -> usize {
        self.driver.shared.cores
    }

    /// Reads `len` bytes at an address of the first device, and waits for them.
    pub(super) fn read(&self, addr: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0u8; len];
        let copy = Copy { dst: pageable(&mut bytes), src: device(addr, len), stage_source: false };
        self.device.copy(copy).unwrap();
        bytes
    }
}

pub(super) fn device(addr: usize, len: usize) -> Span {
    Span { addr, len, place: Place::Device(0) }
}

pub(super) fn pinned(addr: usize, len: usize) -> Span {
    Span { addr, len, place: Place::Pinned }
}

pub(super) fn pageable(bytes: &mut [u8]) -> Span {
    let addr = bytes.as_mut_ptr().expose_provenance();
    Span { addr, len: bytes.len(), place: Place::Pageable }
}

pub(super) fn fill(addr: usize, len: usize, value: u8) -> Fill {
    Fill::bytes(device(addr, len), value)
}

pub(super) fn copy(dst: Span, src: Span) -> Copy {
    Copy { dst, src, stage_source: false }
}

/// Returns the operation `dst += src`, in 32-bit integers.
pub(super) fn add(dst: usize, src: usize, len: usize) -> Reduce {
    Reduce { dst: device(dst, len), src: device(src, len), op: ReduceOp::Sum, element: Element::Int32 }
}

pub(super) fn sync(stream: &Arc<dyn Stream>) {
    let deadline = Instant::now() + Duration::from_secs(60);
    assert_eq!(stream.synchronize(Some(deadline)).unwrap(), Wait::Done, "hangs");
}

/// Creates a host function from a closure.
pub(super) fn host_fn(closure: impl FnOnce() + Send + 'static) -> HostFn {
    HostFn::from_closure(closure)
}

/// Runs a host function in another stream. When it returns, the executor has seen what was enqueued before.
pub(super) fn run_other_work(bench: &Bench) {
    let (stream, (call, called)) = (bench.stream(), channel());
    stream.host_fn(host_fn(move || call.send(()).unwrap())).unwrap();
    called.recv_timeout(Duration::from_secs(60)).expect("held up by other streams");
}

/// Holds a stream up until it is opened or dropped.
pub(super) struct Gate(#[expect(dead_code, reason = "dropping it opens the gate")] Sender<()>);

impl Gate {
    /// Enqueues a host function that waits. Returns when it has begun.
    pub(super) fn close(stream: &Arc<dyn Stream>) -> Self {
        let (gate, begun) = Self::queue(stream);
        begun.recv().unwrap();
        gate
    }

    /// Enqueues a host function that waits. The receiver gets a message when it has begun.
    pub(super) fn queue(stream: &Arc<dyn Stream>) -> (Self, Receiver<()>) {
        let (open, opened) = channel::<()>();
        let (begin, begun) = channel();
        let wait = move || {
            let _ = begin.send(());
            let _ = opened.recv();
        };
        stream.host_fn(host_fn(wait)).unwrap();
        (Self(open), begun)
    }

    pub(super) fn open(self) {}
}
