//! Tests of memory: its place, its alignment, when it is free again; and of synchronous copies and fills.

use std::sync::Barrier;

use super::{Gate, LONG, Memory, Setup, open, pageable, pattern, wait_until};
use crate::backend::{Calls, Copy, FaultKind, Fill, Foreign, PagePolicy, Place, Wait};

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
    assert!(fault.text().contains("1 freed blocks wait"), "{}", fault.text());

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
