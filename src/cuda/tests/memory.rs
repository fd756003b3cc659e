//! Tests of memory: its place, its alignment, when it is free again; and of synchronous copies and fills.

use std::sync::{Arc, Barrier};

use super::{Gate, LONG, Memory, Setup, calls, of_double, open, pageable, pattern, symbol, wait_until};
use crate::backend::{Block, Calls, Copy, FaultKind, Fill, Foreign, PagePolicy, Place, Span, Wait};

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn synchronous_copies_and_fills_are_done_on_return() {
    let setup = Setup::new();
    for len in [1, 4096, (3 << 20) + 5] {
        let bytes = pattern(len);
        let (first, second) = (setup.on_device(len), setup.on_device(len));
        let pinned = setup.pinned(len);
        setup.write(&first, &bytes);
        setup.copy(second.span(), first.span());
        assert!(setup.read(&second) == bytes, "device to device, {len} bytes");
        setup.copy(pinned.span(), second.span());
        assert!(*pinned.bytes() == *bytes, "device to pinned, {len} bytes");

        setup.device.fill(Fill::bytes(second.span(), 0xA5)).unwrap();
        assert!(setup.read(&second).iter().all(|byte| *byte == 0xA5));
        setup.device.fill(Fill::bytes(pinned.span(), 9)).unwrap();
        assert!(pinned.bytes().iter().all(|byte| *byte == 9));

        let mut target = vec![0; len];
        setup.copy(pageable(&mut target), pinned.span());
        assert!(target.iter().all(|byte| *byte == 9));
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn blocks_are_aligned_and_have_a_page_size() {
    let setup = Setup::new();
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
#[ignore = "needs a CUDA driver or the test double"]
fn huge_pages_come_or_are_refused() {
    let setup = Setup::new();
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
    assert_eq!(fault.kind(), FaultKind::Unsupported);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn too_much_memory_is_refused_with_numbers() {
    let setup = Setup::new();
    let len = setup.device.info().total_memory as usize + (1 << 30);
    let device = &setup.device;
    let faults = [PagePolicy::HugeFirst, PagePolicy::HugeOnly].map(|policy| device.alloc(len, policy).unwrap_err());
    for fault in faults.into_iter().chain([device.alloc_managed(len).unwrap_err()]) {
        assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory, "{}", fault.text());
        assert!(fault.text().contains(&len.to_string()), "{}", fault.text());
        assert!(fault.text().contains("are free"), "{}", fault.text());
    }
    let fault = setup.driver.alloc_host(1 << 60).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfHostMemory, "{}", fault.text());
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn freeing_does_not_wait_and_queued_work_keeps_the_memory() {
    let setup = Setup::new();
    let stream = setup.stream();
    // Drivers count in whole pages of 2 MiB.
    let len = 4 << 20;
    let before = setup.device.free_memory().unwrap();
    let result = setup.on_device(len);
    let taken = before - setup.device.free_memory().unwrap();
    let (device, pinned) = (setup.on_device(len), setup.pinned(len));
    pinned.bytes().copy_from_slice(&pattern(len));

    let gate = Gate::close(&stream);
    stream.copy(Copy { dst: device.span(), src: pinned.span(), stage_source: false }).unwrap();
    stream.copy(Copy { dst: result.span(), src: device.span(), stage_source: false }).unwrap();
    // These return although the stream waits for this thread.
    let addresses = [pinned.block.addr + 100, device.block.addr + 100];
    drop(pinned);
    drop(device);
    for addr in addresses {
        assert_eq!(setup.driver.foreign(addr), Foreign::Stale, "freed for everybody else");
    }
    let another = setup.on_device(len);
    setup.device.fill(Fill::bytes(another.span(), 0)).unwrap();
    assert_eq!(before - setup.device.free_memory().unwrap(), 3 * taken, "freed too early");

    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(setup.read(&result) == pattern(len));
    assert_eq!(before - setup.device.free_memory().unwrap(), 2 * taken, "not freed");
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn memory_of_finished_work_comes_back_when_it_is_needed() {
    let setup = Setup::new();
    let (first, second) = (setup.stream(), setup.stream());
    let len = (setup.device.free_memory().unwrap() as usize / 4 * 3) >> 21 << 21;
    let large = setup.on_device(len);
    let gate = Gate::close(&first);
    drop(large);
    let fault = setup.device.alloc(len, PagePolicy::NormalOnly).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
    assert!(fault.text().contains("still uses 1 freed block;"), "{}", fault.text());

    gate.open();
    wait_until("the first stream", || first.is_idle().unwrap());
    // Another stream is busy with something that ends without this thread's help.
    let small = setup.on_device(1 << 20);
    for value in 0..20 {
        second.fill(Fill::bytes(small.span(), value)).unwrap();
    }
    drop(setup.on_device(len));
    assert_eq!(second.synchronize(None).unwrap(), Wait::Done);
}

/// A kind of memory: its name, how it is allocated and freed, the driver's call that frees it, and a number of blocks.
type Kind = (&'static str, fn(&Setup) -> Block, fn(&Setup, Block), &'static str, usize);

/// Blocks of pages of 2 MiB are fewer, because each takes such a page.
const KINDS: [Kind; 3] = [
    (
        "device memory",
        |setup| setup.device.alloc(4096, PagePolicy::NormalOnly).unwrap(),
        |setup, block| setup.device.free(block).unwrap(),
        "cuMemFree_v2",
        100_000,
    ),
    (
        "pinned memory",
        |setup| setup.driver.alloc_host(4096).unwrap(),
        |setup, block| setup.driver.free_host(block).unwrap(),
        "cuMemFreeHost",
        100_000,
    ),
    (
        "mapped memory",
        |setup| setup.device.alloc(4096, PagePolicy::HugeOnly).unwrap(),
        |setup, block| setup.device.free(block).unwrap(),
        "cuMemUnmap",
        500,
    ),
];

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn any_number_of_frees_ends_while_a_stream_is_held() {
    let setup = Setup::new();
    let stream = setup.stream();
    for (kind, alloc, free, release, count) in KINDS {
        let blocks: Vec<_> = (0..count).map(|_| alloc(&setup)).collect();
        let gate = Gate::close(&stream);
        // The test double reports memory that is freed while this is pending.
        let place = if kind == "pinned memory" { Place::Pinned } else { Place::Device(0) };
        let used = Span { addr: blocks[count / 2].addr, len: 1, place };
        stream.fill(Fill::bytes(used, 1)).unwrap();
        let before = (calls(""), calls(release));
        blocks.into_iter().for_each(|block| free(&setup, block));
        assert_eq!((calls(""), calls(release)), before, "{kind}: a free calls the driver");
        // Other calls do not release the memory, either.
        free(&setup, alloc(&setup));
        setup.device.free_memory().unwrap();
        assert_eq!(calls(release), before.1, "{kind} is free too early");
        gate.open();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        let released = calls(release).map(|calls| calls - before.1.unwrap());
        assert!(released.is_none_or(|released| released == count as u64 + 1), "{kind}: {released:?} of {count}");
    }
}

/// Lets no stream start an operation, until it is dropped. For a real driver, prints that the test is skipped.
struct Pause;

impl Pause {
    fn begin() -> Option<Self> {
        let hold: unsafe extern "C" fn() = of_double(symbol("fakeCudaHold"))?;
        // SAFETY: a function of the test double without arguments.
        unsafe { hold() };
        Some(Self)
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        let release: unsafe extern "C" fn() = symbol("fakeCudaRelease").unwrap();
        // SAFETY: a function of the test double without arguments.
        unsafe { release() };
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn an_allocation_beside_busy_streams_takes_the_calls_that_it_needs() {
    const PAIRS: u64 = 200;
    let setup = Setup::new();
    let memory = setup.on_device(4096);
    for (count, are_held) in [(1, false), (16, false), (1, true), (16, true)] {
        let streams: Vec<_> = (0..count).map(|_| setup.stream()).collect();
        let Some(pause) = Pause::begin() else { return };
        let gate = Arc::new(Gate::default());
        for stream in &streams {
            match are_held {
                true => gate.queue(stream),
                false => drop(stream.fill(Fill::bytes(memory.span(), 1)).unwrap()),
            }
        }
        // The first free finds out which streams are busy.
        drop(setup.on_device(4096));
        let contexts = || calls("cuCtxGetCurrent").unwrap();
        // An allocation changes the mode for captures, and changes it back.
        let modes = || calls("cuThreadExchangeStreamCaptureMode").unwrap();
        let before = (calls("").unwrap(), contexts(), modes());
        for _ in 0..PAIRS {
            drop(setup.on_device(4096));
        }
        let queried = contexts() - before.1;
        let exchanged = modes() - before.2;
        let called = calls("").unwrap() - before.0 - queried - exchanged;
        drop(pause);
        gate.open();
        assert!(called <= 2 * PAIRS, "{called} calls, {count} streams, held: {are_held}");
        assert!(queried <= 2 * PAIRS, "{queried} contexts, {count} streams, held: {are_held}");
        assert!(exchanged <= 4 * PAIRS, "{exchanged} modes, {count} streams, held: {are_held}");
        streams.iter().for_each(|stream| assert_eq!(stream.synchronize(None).unwrap(), Wait::Done));
    }
}

/// Frees mapped memory, because the driver never waits when it frees that.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_free_waits_for_the_work_before_it_and_for_no_later_host_function() {
    let setup = Setup::new();
    let memory = setup.on_device(4096);
    for is_other_held in [false, true] {
        let before = setup.device.free_memory().unwrap();
        let block = setup.device.alloc(1, PagePolicy::HugeOnly).unwrap();
        let (stream, other) = (setup.stream(), setup.stream());
        let gate = Arc::new(Gate::default());
        if is_other_held {
            gate.queue(&other);
            // The driver may have one thread for host functions: the one after the free must not keep it first.
            wait_until("the gate", || gate.entered() == 1);
        }
        let Some(pause) = Pause::begin() else { return gate.open() };
        stream.fill(Fill::bytes(memory.span(), 1)).unwrap();
        setup.device.free(block).unwrap();
        let later = Gate::close(&stream);
        assert_ne!(setup.device.free_memory().unwrap(), before, "the work before the free is pending");
        drop(pause);
        gate.open();
        wait_until("the memory", || setup.device.free_memory().unwrap() == before);
        later.open();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn pinned_memory_needs_no_open_device() {
    let setup = Setup::new();
    let driver = open().unwrap();
    let block = driver.alloc_host(100_000).unwrap();
    let place = setup.driver.foreign(block.addr + 50_000);
    assert_eq!(place, Foreign::Known(Place::Pinned), "to others in the process");
    driver.free_host(block).unwrap();
    // What is not freed ends with the driver.
    driver.alloc_host(1 << 20).unwrap();
    assert!(driver.shutdown(LONG));
    drop(setup);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn the_driver_knows_where_the_memory_of_others_is() {
    let setup = Setup::new();
    // This is another driver in the same process, as a framework would have one.
    let other = open().unwrap();
    let device = other.open(0).unwrap();
    let on_device = device.alloc(8192, PagePolicy::NormalOnly).unwrap();
    let pinned = other.alloc_host(8192).unwrap();
    let local = 0_u64;
    let here = std::ptr::from_ref(&local).addr();
    let addrs = [on_device.addr + 100, pinned.addr + 100, here];
    let places = || addrs.map(|addr| setup.driver.foreign(addr));
    let expected = [Foreign::Known(Place::Device(0)), Foreign::Known(Place::Pinned), Foreign::Unknown];
    assert_eq!(places(), expected);
    let [first, second, none] = addrs.map(|addr| setup.driver.foreign_block(addr));
    for (found, block) in [(first, on_device), (second, pinned)] {
        let found = found.unwrap();
        // For the driver, padding is a part of the block.
        let is_inside = found.base <= block.addr && block.addr + 8192 <= found.base + found.len;
        assert!(is_inside && !found.is_managed, "{found:?}, {block:?}");
    }
    assert_eq!(none, None);
    // This also works on a thread that has no context yet.
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(places(), expected));
    });
    // The core knows the library's memory. Other addresses have none.
    let own = [Foreign::Stale, Foreign::Stale, Foreign::Unknown];
    assert_eq!(addrs.map(|addr| other.foreign(addr)), own);
    device.free(on_device).unwrap();
    other.free_host(pinned).unwrap();
    device.close().unwrap();
    assert!(other.shutdown(LONG));
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_thread_that_knows_an_ended_context_asks_in_a_live_one() {
    let mut setup = Setup::new();
    let local = 0_u64;
    let here = std::ptr::from_ref(&local).addr();
    let (go, went) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // This makes the context current on this thread, where its address stays current after its end.
            let driver = open().unwrap();
            let device = driver.open(0).unwrap();
            device.free_memory().unwrap();
            go.wait();
            went.wait();
            std::thread::scope(|inner| {
                inner.spawn(|| device.close().unwrap());
            });
            // First there is no context, and then a new one.
            assert_eq!(driver.foreign(here), Foreign::Unknown);
            let device = driver.open(0).unwrap();
            assert_eq!(driver.foreign(here), Foreign::Unknown);
            device.close().unwrap();
            assert!(driver.shutdown(LONG));
        });
        go.wait();
        setup.device.close().unwrap();
        went.wait();
    });
    setup.device = setup.driver.open(0).unwrap();
}
