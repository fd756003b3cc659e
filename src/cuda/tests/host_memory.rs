//! Tests of registered and managed memory, of the sizes of blocks, and of addresses without memory.

use std::ffi::c_void;

use super::{Gate, LONG, Memory, Setup, calls, fail, open, pageable, pattern, symbol};
use crate::backend::{
    Advice, Calls, Copy, FaultKind, Fill, Foreign, Home, MemoryUsage, PagePolicy, Place, Result, Span, Wait,
};

const PAGE: usize = 4096;

/// Memory of one test, at a multiple of the page.
struct Own(Vec<u8>, usize);

impl Own {
    fn new(len: usize) -> Self {
        Self(vec![1; len + PAGE], len)
    }

    fn addr(&self) -> usize {
        self.0.as_ptr().expose_provenance().next_multiple_of(PAGE)
    }

    fn span(&self) -> Span {
        Span { addr: self.addr(), len: self.1, place: Place::Pinned }
    }

    fn bytes(&mut self) -> &mut [u8] {
        let offset = self.addr() - self.0.as_ptr().addr();
        &mut self.0[offset..offset + self.1]
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn registered_memory_is_copied_when_the_stream_comes_to_it_and_stays_until_then() {
    let setup = Setup::new();
    let (stream, len) = (setup.stream(), 100_000);
    let mut own = Own::new(len);
    let target = setup.on_device(len);
    let device_addr = setup.driver.register_host(own.addr(), len).unwrap();
    assert_ne!(device_addr, 0);
    let refused = setup.driver.register_host(own.addr() + PAGE, PAGE).unwrap_err();
    assert_eq!(refused.kind(), FaultKind::AlreadyRegistered, "{}", refused.text());
    let gate = Gate::close(&stream);
    stream.copy(Copy { dst: target.span(), src: own.span(), stage_source: false }).unwrap();
    own.bytes().copy_from_slice(&pattern(len));
    // This returns although the stream waits for this thread.
    setup.driver.unregister_host(own.addr(), len).unwrap();
    assert_eq!(setup.driver.foreign(own.addr()), Foreign::Unknown, "its owner's as before");
    let refused = setup.driver.register_host(own.addr(), len).unwrap_err();
    assert_eq!(refused.kind(), FaultKind::AlreadyRegistered, "{}", refused.text());
    assert!(refused.text().contains("synchronize"), "{}", refused.text());
    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(setup.read(&target) == pattern(len));
    setup.driver.register_host(own.addr(), len).unwrap();
    setup.driver.unregister_host(own.addr(), len).unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn registrations_need_no_open_device_and_go_with_the_driver() {
    let setup = Setup::new();
    let driver = open().unwrap();
    let own = Own::new(4 * PAGE);
    driver.register_host(own.addr(), PAGE).unwrap();
    let theirs = setup.driver.foreign(own.addr() + 5);
    assert_eq!(theirs, Foreign::Known(Place::Pinned), "to others in the process");
    let refused = setup.driver.register_host(own.addr(), PAGE).unwrap_err();
    assert_eq!(refused.kind(), FaultKind::AlreadyRegistered, "{}", refused.text());
    driver.register_host(own.addr() + PAGE, PAGE).unwrap();
    driver.unregister_host(own.addr() + PAGE, PAGE).unwrap();
    // What is not unregistered ends with the driver.
    assert!(driver.shutdown(LONG));
    assert_eq!(setup.driver.foreign(own.addr() + 5), Foreign::Unknown);
    setup.driver.register_host(own.addr(), PAGE).unwrap();
    setup.driver.unregister_host(own.addr(), PAGE).unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_registration_that_fails_half_way_leaves_nothing() {
    let setup = Setup::new();
    if fail("cuMemHostGetDevicePointer_v2:1:999").is_none() {
        return;
    }
    let own = Own::new(PAGE);
    let fault = setup.driver.register_host(own.addr(), PAGE).unwrap_err();
    assert!(fault.text().contains("cuMemHostGetDevicePointer"), "{}", fault.text());
    fail("cuMemHostRegister_v2:1:2").unwrap();
    let fault = setup.driver.register_host(own.addr(), PAGE).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfHostMemory, "{}", fault.text());
    fail("cuMemAllocManaged:1:801").unwrap();
    let fault = setup.device.alloc_managed(2 << 20).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::Unsupported, "{}", fault.text());
    fail("cuMemAllocManaged:1:2").unwrap();
    let fault = setup.device.alloc_managed(2 << 20).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory, "{}", fault.text());
    assert!(fault.text().contains("are free"), "{}", fault.text());
    fail("").unwrap();
    setup.driver.register_host(own.addr(), PAGE).unwrap();
    setup.driver.unregister_host(own.addr(), PAGE).unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn managed_memory_is_the_hosts_and_every_streams() {
    let setup = Setup::new();
    let (stream, len) = (setup.stream(), 4 << 20);
    let block = setup.device.alloc_managed(len).unwrap();
    assert!(block.addr.is_multiple_of(2 << 20) && block.len == len);
    let managed = Memory { setup: &setup, block, place: Place::Device(0) };
    let host = std::ptr::with_exposed_provenance_mut::<u8>(block.addr);
    // SAFETY: the managed block has `len` bytes within the host's reach, and nothing is enqueued yet.
    unsafe { host.write_bytes(5, len) };
    assert!(setup.read(&managed).iter().all(|byte| *byte == 5));
    // Drivers before CUDA 12.2 accept neither advice nor prefetches.
    let is_newer = symbol::<*const c_void>("cuMemAdvise_v2").is_some();
    let done = |outcome: Result<()>| match outcome {
        Ok(()) => assert!(is_newer),
        Err(fault) => assert!(!is_newer && fault.kind() == FaultKind::Unsupported, "{fault:?}"),
    };
    for advice in [
        Advice::ReadMostly(true),
        Advice::ReadMostly(false),
        Advice::PreferredHome(Some(Home::Device(0))),
        Advice::PreferredHome(Some(Home::Host)),
        Advice::PreferredHome(None),
        Advice::AccessedBy(Home::Device(0), true),
        Advice::AccessedBy(Home::Host, true),
        Advice::AccessedBy(Home::Device(0), false),
    ] {
        done(setup.device.advise(managed.span(), advice));
    }
    done(stream.prefetch(&[(managed.span(), Home::Device(0))]).map(drop));
    stream.fill(Fill::bytes(managed.span(), 6)).unwrap();
    done(stream.prefetch(&[(managed.span(), Home::Host)]).map(drop));
    let before = calls("cuMemPrefetchBatchAsync");
    let half = |at: usize| Span { addr: block.addr + at * len / 2, len: len / 2, place: Place::Device(0) };
    done(stream.prefetch(&[(half(0), Home::Host), (half(1), Home::Device(0))]).map(drop));
    if let Some(before) = before {
        let has_batches = symbol::<*const c_void>("cuMemPrefetchBatchAsync").is_some();
        assert_eq!(calls("cuMemPrefetchBatchAsync").unwrap() - before, u64::from(has_batches));
    }
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    // SAFETY: the stream is synchronised, so nothing writes the `len` bytes while they are read.
    assert!(unsafe { std::slice::from_raw_parts(host, len) }.iter().all(|byte| *byte == 6));
    // The block is freed while pending work uses it.
    let target = setup.on_device(len);
    let gate = Gate::close(&stream);
    stream.copy(Copy { dst: target.span(), src: managed.span(), stage_source: false }).unwrap();
    drop(managed);
    assert_eq!(setup.driver.foreign(block.addr), Foreign::Stale);
    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(setup.read(&target).iter().all(|byte| *byte == 6));
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn usage_counts_blocks_by_kind_until_nothing_uses_them() {
    let setup = Setup::new();
    let usage = || {
        let MemoryUsage { device, managed, .. } = setup.device.memory_usage();
        [device.current, device.peak, managed.current, managed.peak].map(|bytes| bytes as usize)
    };
    let before = usage();
    assert_eq!([before[0], before[2]], [0, 0]);
    let len = 3 << 20;
    let (plain, huge) = (setup.on_device(len), 2 << 20);
    let only_huge = setup.device.alloc(1, PagePolicy::HugeOnly).unwrap();
    let managed = setup.device.alloc_managed(huge).unwrap();
    let all = plain.block.len + only_huge.len;
    assert_eq!(usage(), [all, all, huge, huge]);
    setup.device.free(managed).unwrap();
    let stream = setup.stream();
    let gate = Gate::close(&stream);
    stream.fill(Fill::bytes(plain.span(), 1)).unwrap();
    drop(plain);
    setup.device.free(only_huge).unwrap();
    assert_eq!(usage(), [all, all, 0, huge], "enqueued work has it");
    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert_eq!(usage(), [0, all, 0, huge]);
}

/// Checks freed addresses: the driver does not keep them, and the host cannot read them.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn freed_memory_is_stale_and_host_memory_is_not() {
    let setup = Setup::new();
    let blocks: Vec<_> = [100, 5 << 20].map(|len| setup.on_device(len).block).into();
    let pinned = setup.pinned(1 << 20).block;
    for block in blocks {
        assert_eq!(setup.driver.foreign(block.addr), Foreign::Stale, "{block:?}");
    }
    let gone = if crate::backend::base::probe::is_readable(pinned.addr) { Foreign::Unknown } else { Foreign::Stale };
    assert_eq!(setup.driver.foreign(pinned.addr), gone);
    let mut local = [0; 10];
    assert_eq!(setup.driver.foreign(pageable(&mut local).addr), Foreign::Unknown);
    assert_eq!(setup.driver.foreign(8), Foreign::Unknown);
}
