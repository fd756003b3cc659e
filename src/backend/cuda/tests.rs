//! The backend against whatever driver this machine has: a real one, or the test double. Without
//! either the tests say so and pass; what counts on them sets `PORTACL_TEST_CUDA=required`.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::open;
use crate::backend::{
    Block, Copy, Device, Driver, FaultKind, Fill, HostFn, PagePolicy, Place, Span, Stream,
    StreamOptions, Wait, inside_host_function,
};

/// One test at a time: they look at free memory, and share primary contexts.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const LONG: Duration = Duration::from_secs(20);

/// An open driver and its first device, closed again in the end.
struct Setup {
    driver: Arc<dyn Driver>,
    device: Arc<dyn Device>,
    _alone: MutexGuard<'static, ()>,
}

impl Setup {
    /// `None`, and a line that says why, on a machine without a driver.
    fn new() -> Option<Self> {
        let alone = ONE_AT_A_TIME.lock();
        let driver = match open() {
            Ok(driver) => driver,
            Err(fault) => {
                assert_eq!(fault.kind, FaultKind::NoDevice, "{}", fault.text);
                let required = std::env::var_os("PORTACL_TEST_CUDA").is_some();
                assert!(!required, "PORTACL_TEST_CUDA is set, but: {}", fault.text);
                println!("skipped: {}", fault.text);
                return None;
            }
        };
        let device = driver.open(0).unwrap();
        Some(Self { driver, device, _alone: alone })
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
        assert!(self.driver.shutdown());
    }
}

/// A block that is given back in the end.
struct Memory<'a> {
    setup: &'a Setup,
    block: Block,
    place: Place,
}

impl Memory<'_> {
    fn span(&self) -> Span {
        Span { addr: self.block.addr, len: self.block.len, place: self.place }
    }

    /// The bytes of pinned memory, which one test uses.
    #[allow(clippy::mut_from_ref)]
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
            _ => self.setup.device.free(self.block),
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

/// A host function that returns when it is told to.
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

    /// The gate outlives the calls: each holds a reference of its own.
    fn queue(self: &Arc<Self>, stream: &Arc<dyn Stream>) {
        unsafe extern "C" fn pass(gate: *mut c_void) {
            assert!(inside_host_function());
            // SAFETY: the reference that `queue` gave away.
            let gate = unsafe { Arc::from_raw(gate.cast::<Gate>()) };
            gate.entered.fetch_add(1, Ordering::SeqCst);
            wait_until("the gate to open", || gate.open.load(Ordering::SeqCst));
        }
        let argument = Arc::into_raw(Arc::clone(self)).cast_mut().cast();
        // SAFETY: `pass` takes the reference it is given, once.
        stream.host_fn(unsafe { HostFn::new(pass, argument) }).unwrap();
    }

    fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
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

#[test]
fn a_machine_without_a_driver_is_told_what_was_tried() {
    let Err(fault) = open() else { return };
    assert_eq!(fault.kind, FaultKind::NoDevice);
    assert!(fault.text.contains("cpu backend"), "{}", fault.text);
}

#[test]
fn the_device_describes_itself() {
    let Some(setup) = Setup::new() else { return };
    assert_eq!(setup.driver.name(), "cuda");
    assert!(setup.driver.device_count() >= 1);
    let info = setup.device.info();
    assert!(!info.name.is_empty() && info.cores > 0, "{info:?}");
    let free = setup.device.free_memory().unwrap();
    assert!(free > 0 && free <= info.total_memory);
    for priority in [0, info.least_priority] {
        setup.device.create_stream(StreamOptions { priority }).unwrap();
    }
}

#[test]
fn synchronous_copies_and_fills_are_done_on_return() {
    let Some(setup) = Setup::new() else { return };
    for len in [1, 4096, (3 << 20) + 5] {
        let bytes = pattern(len);
        let (first, second) = (setup.on_device(len), setup.on_device(len));
        let pinned = setup.pinned(len);
        setup.write(&first, &bytes);
        setup.copy(second.span(), first.span());
        assert!(setup.read(&second) == bytes, "device to device, {len} bytes");
        setup.copy(pinned.span(), second.span());
        assert!(*pinned.bytes() == *bytes, "device to pinned, {len} bytes");

        setup.device.fill(Fill { dst: second.span(), value: 0xA5 }).unwrap();
        assert!(setup.read(&second).iter().all(|byte| *byte == 0xA5));
        setup.device.fill(Fill { dst: pinned.span(), value: 9 }).unwrap();
        assert!(pinned.bytes().iter().all(|byte| *byte == 9));

        let mut target = vec![0; len];
        setup.copy(pageable(&mut target), pinned.span());
        assert!(target.iter().all(|byte| *byte == 9));
    }
}

#[test]
fn copies_reach_other_devices() {
    let Some(setup) = Setup::new() else { return };
    if setup.driver.device_count() < 2 {
        println!("skipped: one device only");
        return;
    }
    let other = setup.driver.open(1).unwrap();
    let len = 70_000;
    let here = setup.on_device(len);
    let there = other.alloc(len, PagePolicy::NormalOnly).unwrap();
    let span = Span { addr: there.addr, len, place: Place::Device(1) };
    setup.write(&here, &pattern(len));
    setup.copy(span, here.span());
    let mut bytes = vec![0; len];
    other.copy(Copy { dst: pageable(&mut bytes), src: span, stage_source: false }).unwrap();
    assert!(bytes == pattern(len));

    // An event of one device holds up a stream of the other.
    let (first, second) = (setup.stream(), other.create_stream(StreamOptions::default()).unwrap());
    let gate = Gate::close(&first);
    first.fill(Fill { dst: here.span(), value: 77 }).unwrap();
    let event = setup.device.create_event(false).unwrap();
    first.record(&event).unwrap();
    second.wait(&event).unwrap();
    second.copy(Copy { dst: span, src: here.span(), stage_source: false }).unwrap();
    assert!(!second.is_idle().unwrap());
    gate.open();
    assert_eq!(second.synchronize(None).unwrap(), Wait::Done);
    other.copy(Copy { dst: pageable(&mut bytes), src: span, stage_source: false }).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 77));

    drop(second);
    other.free(there).unwrap();
    other.close().unwrap();
}

#[test]
fn a_stream_keeps_its_order() {
    let Some(setup) = Setup::new() else { return };
    let stream = setup.stream();
    assert!(stream.is_idle().unwrap());
    let len = 10_000;
    let (first, second) = (setup.on_device(len), setup.on_device(len));
    let (from, to) = (setup.pinned(len), setup.pinned(len));
    from.bytes().copy_from_slice(&pattern(len));
    to.bytes().fill(0);

    let gate = Gate::close(&stream);
    let queue = |dst: Span, src: Span| {
        stream.copy(Copy { dst, src, stage_source: false }).unwrap();
    };
    queue(first.span(), from.span());
    queue(second.span(), first.span());
    stream.fill(Fill { dst: first.span(), value: 1 }).unwrap();
    queue(to.span(), second.span());
    assert!(!stream.is_idle().unwrap());
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
    assert!(Instant::now() >= soon);
    assert!(to.bytes().iter().all(|byte| *byte == 0), "copied before its turn");

    gate.open();
    assert_eq!(stream.synchronize(Some(Instant::now() + LONG)).unwrap(), Wait::Done);
    assert!(*to.bytes() == *pattern(len));
    assert!(stream.is_idle().unwrap());
    assert_eq!(stream.take_failure(), None);
    assert_eq!(gate.entered(), 1);
}

#[test]
fn pageable_and_staged_memory_is_free_on_return() {
    let Some(setup) = Setup::new() else { return };
    let stream = setup.stream();
    for len in [100, 300_000] {
        let device = setup.on_device(len);
        let mut bytes = pattern(len);
        let src = pageable(&mut bytes);
        stream.copy(Copy { dst: device.span(), src, stage_source: false }).unwrap();
        bytes.fill(0);
        let dst = pageable(&mut bytes);
        stream.copy(Copy { dst, src: device.span(), stage_source: false }).unwrap();
        assert!(bytes == pattern(len), "{len} bytes of pageable memory");

        let pinned = setup.pinned(len);
        pinned.bytes().fill(3);
        let staged = Copy { dst: device.span(), src: pinned.span(), stage_source: true };
        stream.copy(staged).unwrap();
        pinned.bytes().fill(4);
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        assert!(setup.read(&device).iter().all(|byte| *byte == 3));
    }
}

#[test]
fn host_memory_is_copied_and_filled_in_order() {
    let Some(setup) = Setup::new() else { return };
    let stream = setup.stream();
    let (from, to) = (setup.pinned(5000), setup.pinned(5000));
    from.bytes().fill(1);
    to.bytes().fill(0);
    let gate = Gate::close(&stream);
    stream.fill(Fill { dst: from.span(), value: 8 }).unwrap();
    stream.copy(Copy { dst: to.span(), src: from.span(), stage_source: false }).unwrap();
    assert!(to.bytes().iter().all(|byte| *byte == 0));
    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(to.bytes().iter().all(|byte| *byte == 8));
}

#[test]
fn events_order_streams_and_measure_time() {
    let Some(setup) = Setup::new() else { return };
    let (first, second) = (setup.stream(), setup.stream());
    let event = setup.device.create_event(false).unwrap();
    assert!(event.is_complete().unwrap(), "never recorded");
    assert_eq!(event.synchronize(None).unwrap(), Wait::Done);
    second.wait(&event).unwrap();
    assert_eq!(second.synchronize(None).unwrap(), Wait::Done);

    let start = setup.device.create_event(true).unwrap();
    let end = setup.device.create_event(true).unwrap();
    first.record(&start).unwrap();
    let gate = Gate::close(&first);
    first.record(&event).unwrap();
    second.wait(&event).unwrap();
    drop(event);
    second.record(&end).unwrap();
    assert!(!end.is_complete().unwrap());
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(end.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
    gate.open();
    assert_eq!(end.synchronize(None).unwrap(), Wait::Done);
    assert!(end.is_complete().unwrap() && start.is_complete().unwrap());
    let ms = end.elapsed_ms(&*start).unwrap();
    assert!(ms >= 15.0, "the gate was closed for 20 ms, {ms} were measured");
    assert!(start.elapsed_ms(&*end).unwrap() < 0.0);
}

#[test]
fn blocks_are_aligned_and_tell_their_pages() {
    let Some(setup) = Setup::new() else { return };
    let cases = [(1, 512), (700, 512), (4096, 4096), (5000, 4096), (2 << 20, 2 << 20)];
    let mut blocks = Vec::new();
    for policy in [PagePolicy::HugeFirst, PagePolicy::NormalOnly] {
        for (len, alignment) in cases {
            let block = setup.device.alloc(len, policy).unwrap();
            assert!(block.addr.is_multiple_of(alignment) && block.len >= len, "{block:?}");
            assert_eq!(setup.driver.page_size(block), 4096);
            blocks.push(block);
        }
    }
    for block in blocks {
        setup.device.free(block).unwrap();
    }
    for (len, alignment) in cases {
        let memory = setup.pinned(len);
        assert!(memory.block.addr.is_multiple_of(alignment), "{:?}", memory.block);
        assert_eq!(setup.driver.page_size(memory.block), 4096);
    }
}

#[test]
fn huge_pages_come_or_are_refused() {
    let Some(setup) = Setup::new() else { return };
    let before = setup.device.free_memory().unwrap();
    let block = setup.device.alloc(100, PagePolicy::HugeOnly).unwrap();
    let memory = Memory { setup: &setup, block, place: Place::Device(0) };
    assert!(block.addr.is_multiple_of(2 << 20) && block.len.is_multiple_of(2 << 20));
    assert_eq!(setup.driver.page_size(block), 2 << 20);
    let bytes = pattern(block.len);
    setup.write(&memory, &bytes);
    assert!(setup.read(&memory) == bytes);
    drop(memory);
    assert_eq!(setup.device.free_memory().unwrap(), before);

    let fault = setup.device.alloc(100, PagePolicy::Huge1GOnly).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unsupported);
}

#[test]
fn too_much_memory_is_refused_with_numbers() {
    let Some(setup) = Setup::new() else { return };
    let len = setup.device.info().total_memory as usize + (1 << 30);
    for policy in [PagePolicy::HugeFirst, PagePolicy::HugeOnly] {
        let fault = setup.device.alloc(len, policy).unwrap_err();
        assert_eq!(fault.kind, FaultKind::OutOfDeviceMemory, "{}", fault.text);
        assert!(fault.text.contains(&len.to_string()), "{}", fault.text);
        assert!(fault.text.contains("are free"), "{}", fault.text);
    }
    let fault = setup.driver.alloc_host(1 << 60).unwrap_err();
    assert_eq!(fault.kind, FaultKind::OutOfHostMemory, "{}", fault.text);
}

#[test]
fn freeing_does_not_wait_and_queued_work_keeps_the_memory() {
    let Some(setup) = Setup::new() else { return };
    let stream = setup.stream();
    let len = 3 << 20;
    let before = setup.device.free_memory().unwrap();
    let result = setup.on_device(len);
    let taken = before - setup.device.free_memory().unwrap();
    let (device, pinned) = (setup.on_device(len), setup.pinned(len));
    pinned.bytes().copy_from_slice(&pattern(len));

    let gate = Gate::close(&stream);
    stream.copy(Copy { dst: device.span(), src: pinned.span(), stage_source: false }).unwrap();
    stream.copy(Copy { dst: result.span(), src: device.span(), stage_source: false }).unwrap();
    // These return although the stream waits for this thread.
    drop(pinned);
    drop(device);
    let another = setup.on_device(len);
    setup.device.fill(Fill { dst: another.span(), value: 0 }).unwrap();
    assert_eq!(before - setup.device.free_memory().unwrap(), 3 * taken, "freed too early");

    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(setup.read(&result) == pattern(len));
    assert_eq!(before - setup.device.free_memory().unwrap(), 2 * taken, "not freed");
}

#[test]
fn memory_of_finished_work_comes_back_when_it_is_needed() {
    let Some(setup) = Setup::new() else { return };
    let (first, second) = (setup.stream(), setup.stream());
    let len = (setup.device.free_memory().unwrap() as usize / 4 * 3) >> 21 << 21;
    let large = setup.on_device(len);
    let gate = Gate::close(&first);
    drop(large);
    let fault = setup.device.alloc(len, PagePolicy::NormalOnly).unwrap_err();
    assert_eq!(fault.kind, FaultKind::OutOfDeviceMemory);
    assert!(fault.text.contains("1 freed blocks wait"), "{}", fault.text);

    gate.open();
    wait_until("the first stream", || first.is_idle().unwrap());
    // Another stream is busy with something that ends without this thread's help.
    let small = setup.on_device(1 << 20);
    for value in 0..20 {
        second.fill(Fill { dst: small.span(), value }).unwrap();
    }
    drop(setup.on_device(len));
    assert_eq!(second.synchronize(None).unwrap(), Wait::Done);
}

#[test]
fn an_abandoned_stream_takes_nothing_and_starts_no_host_function() {
    let Some(setup) = Setup::new() else { return };
    let stream = setup.stream();
    let gate = Gate::close(&stream);
    let skipped = Arc::new(Gate::default());
    skipped.open();
    // Its reference is lost with the call that does not happen.
    skipped.queue(&stream);
    wait_until("the host function to start", || gate.entered() == 1);
    stream.abandon();
    let memory = setup.on_device(16);
    let fault = stream.fill(Fill { dst: memory.span(), value: 1 }).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Execution);
    // The stream goes while it is busy.
    drop(stream);
    drop(memory);
    gate.open();
    wait_until("the memory and the stream to be released", || {
        setup.device.free_memory().unwrap();
        Arc::strong_count(&gate) == 1
    });
    assert_eq!(skipped.entered(), 0);
}

#[test]
fn streams_and_events_outlive_their_device_harmlessly() {
    let Some(setup) = Setup::new() else { return };
    let device = setup.driver.open(0).unwrap();
    let stream = device.create_stream(StreamOptions::default()).unwrap();
    let event = device.create_event(true).unwrap();
    let pinned = setup.pinned(4096);
    stream.fill(Fill { dst: pinned.span(), value: 5 }).unwrap();
    stream.record(&event).unwrap();
    device.close().unwrap();
    assert!(pinned.bytes().iter().all(|byte| *byte == 5), "close waits, and pinned memory stays");
    let fault = device.create_event(false).err().unwrap();
    assert!(fault.text.contains("closed"), "{}", fault.text);
    assert!(event.is_complete().is_err());
    drop(event);
    drop(stream);
    drop(device);
    pinned.bytes().fill(6);
}

#[test]
fn pinned_memory_needs_no_open_device() {
    let Some(setup) = Setup::new() else { return };
    let driver = open().unwrap();
    let block = driver.alloc_host(100_000).unwrap();
    let place = driver.foreign_place(block.addr + 50_000);
    assert_eq!(place, Some(Place::Pinned));
    driver.free_host(block).unwrap();
    // What is not given back goes with the driver.
    driver.alloc_host(1 << 20).unwrap();
    assert!(driver.shutdown());
    drop(setup);
}

#[test]
fn the_driver_knows_where_its_memory_is() {
    let Some(setup) = Setup::new() else { return };
    let (device, pinned) = (setup.on_device(8192), setup.pinned(8192));
    let local = 0_u64;
    let here = std::ptr::from_ref(&local).addr();
    let places = || {
        [device.block.addr + 100, pinned.block.addr + 100, here]
            .map(|addr| setup.driver.foreign_place(addr))
    };
    let expected = [Some(Place::Device(0)), Some(Place::Pinned), None];
    assert_eq!(places(), expected);
    // Also on a thread that has no context yet.
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(places(), expected));
    });
}

#[test]
fn threads_share_a_stream() {
    let Some(setup) = Setup::new() else { return };
    let stream = setup.stream();
    let memories: Vec<_> = (0..4).map(|_| setup.on_device(4096)).collect();
    std::thread::scope(|scope| {
        for (index, memory) in memories.iter().enumerate() {
            let stream = &stream;
            let span = memory.span();
            scope.spawn(move || {
                for round in 0..20 {
                    let value = (index * 20 + round) as u8;
                    stream.fill(Fill { dst: span, value }).unwrap();
                }
                assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
            });
        }
    });
    for (index, memory) in memories.iter().enumerate() {
        let expected = (index * 20 + 19) as u8;
        assert!(setup.read(memory).iter().all(|byte| *byte == expected));
    }
}
