//! Aborts: which work is dropped, and which codes waiting threads get.

use crate::backend::FaultKind;
use crate::stream::stream_attribute::{self, Attribute};
use crate::stream::{abort, event};
use crate::tests::*;

#[test]
fn an_abort_is_returned_to_waits_for_the_stream() {
    let bench = Bench::new();
    let ((raw, work), (_, other)) = (bench.stream(), bench.stream());
    work.begin();
    let waiter = on_device(0, move || stream::synchronize(raw));
    wait_until("the waiter to wait", || work.waiting() == 1);
    abort::stream(raw).unwrap();
    fails(waiter.join(), Code::StreamAbort, &["aclrtStreamAbort", &format!("{raw:#x}")]);
    assert_eq!((work.aborts().len(), other.aborts().len()), (1, 0));
    assert_eq!(work.aborts()[0].kind(), FaultKind::Aborted);
    work.finish();
    stream::synchronize(raw).unwrap();
    // Null is the default stream.
    let default = thread::current().unwrap().default_stream().unwrap().handle;
    abort::stream(0).unwrap();
    assert_eq!(native(default.raw()).aborts().len(), 1);
}

#[test]
fn an_abort_of_a_device_is_returned_to_waits_for_that_device_only() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let other_device = on_device(1, || native(stream::create(0).unwrap())).join();
    work.begin();
    let event = event::create_plain().unwrap();
    event::record(event, raw).unwrap();
    let waiters = [
        on_device(0, move || stream::synchronize_with_timeout(raw, 20_000)),
        on_device(0, stream::device::synchronize),
        on_device(0, move || event::synchronize(event, -1)),
    ];
    wait_until("the waiters to wait", || work.waiting() == 3);
    fails(abort::device(0, 1), Code::StreamSyncTimeout, &["1 ms", "device 0"]);
    for waiter in waiters {
        fails(waiter.join(), Code::DeviceTaskAbort, &["aclrtDeviceTaskAbort", "device 0"]);
    }
    abort::device(0, 0).unwrap();
    assert!(work.aborts().iter().all(|why| why.kind() == FaultKind::DeviceAborted));
    assert!(other_device.aborts().is_empty());
    work.finish();
    stream::synchronize(raw).unwrap();
}

#[test]
fn only_devices_in_use_can_be_aborted() {
    let _bench = Bench::new();
    fails(abort::device(2, 0), Code::InvalidDeviceId, &["deviceId is 2", "2 devices"]);
    fails(abort::device(-1, 0), Code::InvalidDeviceId, &["deviceId is -1"]);
    fails(abort::device(1, 0), Code::ParamInvalid, &["deviceId is 1", "a device that is not set"]);
}

#[test]
fn streams_that_end_do_not_wait_for_records_that_were_dropped() {
    let bench = Bench::new();
    let ((destroyed, first), (_, second)) = (bench.stream(), bench.stream());
    assert!(!first.is_retired());
    stream::destroy(destroyed, false).unwrap();
    assert!(first.is_retired() && !second.is_retired());
    device::reset(0).unwrap();
    assert!(second.is_retired());
}

#[test]
fn priorities_reach_the_backend() {
    let bench = Bench::new();
    let described = |priority| stream::create_with_priority(0, priority);
    let raw = described(0).unwrap();
    assert_eq!((stream::priority(raw).unwrap(), native(raw).priority()), (0, 0));
    bench.script.set_least_priority(3);
    let raw = described(3).unwrap();
    assert_eq!((stream::priority(raw).unwrap(), native(raw).priority()), (3, 3));
    fails(described(4), Code::InvalidParam, &["handle->priority is 4", "0 (most urgent) to 3"]);
    stream_attribute::set(raw, Attribute::Priority, 1).unwrap();
    assert_eq!((stream::priority(raw).unwrap(), native(raw).priority()), (1, 1));
    assert_eq!(stream_attribute::get(raw, Attribute::Priority).unwrap(), 1);
    let refused = stream_attribute::set(raw, Attribute::Priority, 4);
    fails(refused, Code::InvalidParam, &["value->streamPriority is 4", "to 3"]);
    bench.script.fail_next("set_priority", FaultKind::Unsupported, "it is fixed");
    let refused = stream_attribute::set(raw, Attribute::Priority, 2);
    fails(refused, Code::FeatureNotSupport, &["it is fixed"]);
    assert_eq!((stream::priority(raw).unwrap(), native(raw).priority()), (1, 1));
}
