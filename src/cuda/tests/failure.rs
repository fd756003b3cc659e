//! Tests of failures that the test double produces on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Setup, fail};
use crate::backend::{
    Calls, Failure, FaultKind, Fill, Heard, HostFn, PagePolicy, Place, Span, StreamOptions, inside_host_function,
};

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_failed_device_says_so_and_takes_no_other_with_it() {
    let mut setup = Setup::new();
    if setup.driver.device_count() < 2 || fail("cuMemsetD8Async:1:719:late").is_none() {
        println!("skipped: needs the test double, with two devices");
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
        println!("skipped: needs the test double");
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
