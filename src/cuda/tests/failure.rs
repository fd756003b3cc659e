//! Tests of failures that the test double produces on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{Gate, Setup, fail, has_limits, has_two_devices};
use crate::backend::{
    Calls, Failure, FaultKind, Fill, Heard, HostFn, PagePolicy, Place, Span, StreamOptions, Wait, inside_host_function,
};

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_failed_device_says_so_and_takes_no_other_with_it() {
    let mut setup = Setup::new();
    if !has_two_devices(&setup) || fail("cuMemsetD8Async:1:719:late").is_none() {
        return;
    }
    let heard = Arc::new(Heard::default());
    let stream = setup.device.create_stream(heard.options()).unwrap();
    let bystander = setup.device.create_stream(heard.options()).unwrap();
    let reported = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&reported);
    heard.on_next_failure(HostFn::from_closure(move || {
        assert!(inside_host_function());
        flag.store(true, Ordering::SeqCst);
    }));
    let block = setup.device.alloc(100, PagePolicy::NormalOnly).unwrap();
    let span = Span { addr: block.addr, len: 100, place: Place::Device(0) };
    stream.fill(Fill::bytes(span, 1)).unwrap();
    let fault = stream.synchronize(None).unwrap_err();
    // The report comes before any other, once, and without an operation: the driver does not return which one it was.
    assert!(reported.load(Ordering::SeqCst));
    let failure = Failure { fault: fault.clone(), position: None, thread: None, launch: None };
    assert_eq!(heard.take(), [failure]);
    assert_eq!(fault.kind(), FaultKind::Execution);
    assert!(fault.text().contains("719") && fault.text().contains("device 0"), "{}", fault.text());
    for stream in [&stream, &bystander] {
        assert_eq!(stream.fill(Fill::bytes(span, 1)), Err(fault.clone()));
        assert_eq!(stream.is_idle(), Err(fault.clone()));
    }
    assert_eq!(setup.device.alloc(1, PagePolicy::NormalOnly), Err(fault.clone()));
    assert_eq!(setup.device.create_event(false).err(), Some(fault.clone()));
    assert_eq!(setup.device.free(block), Err(fault));
    assert_eq!(heard.take(), []);

    let other = setup.driver.open(1).unwrap();
    let there = other.alloc(100, PagePolicy::NormalOnly).unwrap();
    let span = Span { addr: there.addr, len: 100, place: Place::Device(1) };
    other.fill(Fill::bytes(span, 2)).unwrap();
    other.free(there).unwrap();
    drop(setup.pinned(10_000));
    other.close().unwrap();

    // A device that was closed then cannot be opened again in this process.
    drop((stream, bystander));
    setup.device.close().unwrap();
    let fault = setup.driver.open(0).err().unwrap();
    assert_eq!(fault.kind(), FaultKind::Execution);
    assert!(fault.text().contains("start another process"), "{}", fault.text());
    // The rest runs as in another process.
    fail("");
    setup.device = setup.driver.open(0).unwrap();
    drop(setup.on_device(100));
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn refusals_keep_the_drivers_number_and_what_ran_out() {
    let setup = Setup::new();
    if fail("cuStreamCreateWithPriority:1:2,cuMemHostAlloc:1:2,cuMemAlloc_v2:1:998").is_none() {
        return;
    }
    let fault = setup.device.create_stream(StreamOptions::default()).err().unwrap();
    assert_eq!(fault.kind(), FaultKind::OutOfResources, "{}", fault.text());
    let fault = setup.driver.alloc_host(100).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfHostMemory, "{}", fault.text());
    let fault = setup.device.alloc(100, PagePolicy::HugeFirst).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::Driver);
    assert!(fault.text().contains("cuMemAlloc_v2 returned 998"), "{}", fault.text());
    // Nothing of the failure remains.
    drop((setup.stream(), setup.pinned(100), setup.on_device(100)));
}

/// Checks host functions that are enqueued when the driver refuses the stream's wait for them: one that has not begun
/// never runs, and its call fails. One that has begun runs, its call succeeds, and the stream reports the failure.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_host_function_runs_exactly_if_its_call_succeeds() {
    let setup = Setup::new();
    if !has_limits() || fail("").is_none() {
        return;
    }
    let heard = Arc::new(Heard::default());
    for round in 0..200 {
        let stream = setup.device.create_stream(heard.options()).unwrap();
        let gate = (round % 2 == 0).then(|| Gate::close(&stream));
        let ran = Arc::new(AtomicUsize::new(0));
        let (count, later) = (Arc::clone(&ran), Arc::new(AtomicUsize::new(0)));
        let held = Arc::new(Gate::default());
        let hold = Arc::clone(&held);
        let function = move || {
            super::wait_until("the calls after it", || hold.is_open());
            count.fetch_add(1, Ordering::SeqCst);
        };
        fail("cuStreamWaitValue32_v2:1:304");
        let called = stream.host_fn(HostFn::from_closure(function));
        fail("");
        if let Some(gate) = gate {
            assert!(called.is_err());
            gate.open();
        }
        // Later functions run, also beside one that has begun.
        for _ in 0..3 {
            let count = Arc::clone(&later);
            stream.host_fn(HostFn::from_closure(move || _ = count.fetch_add(1, Ordering::SeqCst))).unwrap();
        }
        super::wait_until("the later functions", || later.load(Ordering::SeqCst) == 3);
        if called.is_ok() {
            // The stream is busy while the function runs, so nothing that it uses is freed.
            assert!(!stream.is_idle().unwrap());
            let soon = Instant::now() + Duration::from_millis(1);
            assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
        }
        held.open();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        assert_eq!(ran.load(Ordering::SeqCst), usize::from(called.is_ok()), "round {round}");
        drop(stream);
        let failures = heard.take();
        assert_eq!(failures.len(), usize::from(called.is_ok()), "round {round}: {failures:?}");
        assert!(failures.iter().all(|failure| failure.position == called.as_ref().ok().copied()), "{failures:?}");
    }
}
