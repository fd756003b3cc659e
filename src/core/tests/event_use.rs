//! Notes of events about the streams that use them, and the timeouts of waits.

use super::*;
use crate::backend::{FaultKind, Op};
use crate::base::error::invalid_param;
use crate::stream::event::{self, Event};
use crate::stream::{StreamFlags, op_timeout};

const SYNC: u32 = 1;

/// Creates an event of the older kind that was recorded on a stream.
fn recorded_on(stream: u64) -> u64 {
    let event = event::create_with_flag(SYNC).unwrap();
    event::record(event, stream).unwrap();
    event
}

#[test]
fn waits_that_cannot_be_noted_are_not_queued() {
    let bench = Bench::new();
    let ((recorder, work), (waiter, waiting)) = (bench.stream(), bench.stream());
    let event = recorded_on(recorder);
    work.begin();
    waiting.begin();
    bench.script.fail_next("create_event", FaultKind::OutOfResources, "no more");
    fails(event::wait(waiter, event), Code::NoEventResource, &["no more"]);
    assert_eq!(waiting.limits(), []);
    bench.script.fail_next("wait", FaultKind::Driver, "refused");
    fails(event::wait(waiter, event), Code::DrvInternalError, &["refused"]);
    assert!(event::waits_are_over(event).unwrap());
    event::wait(waiter, event).unwrap();
    assert!(!event::waits_are_over(event).unwrap());
    waiting.finish();
    assert!(event::waits_are_over(event).unwrap());
    work.finish();
}

#[test]
fn a_reset_that_fails_undoes_nothing() {
    let bench = Bench::new();
    let ((recorder, _), (resetter, work)) = (bench.stream(), bench.stream());
    let event = recorded_on(recorder);
    bench.script.fail_next("create_event", FaultKind::OutOfResources, "no more");
    fails(event::reset(event, resetter), Code::NoEventResource, &["no more"]);
    bench.script.fail_next("record", FaultKind::Driver, "refused");
    fails(event::reset(event, resetter), Code::DrvInternalError, &["refused"]);
    assert!(event::is_complete(event).unwrap());
    work.begin();
    event::reset(event, resetter).unwrap();
    assert!(event::is_complete(event).unwrap());
    work.finish();
    assert!(!event::is_complete(event).unwrap());
    // A failed record does not make it recorded.
    bench.script.fail_next("record", FaultKind::Driver, "refused");
    fails(event::record(event, recorder), Code::DrvInternalError, &["refused"]);
    assert!(!event::is_complete(event).unwrap());
    event::record(event, recorder).unwrap();
    assert!(event::is_complete(event).unwrap());
}

#[test]
fn waits_cost_nothing_more_where_nothing_has_to_be_noted() {
    let bench = Bench::new();
    let ((recorder, work), (waiter, waiting)) = (bench.stream(), bench.stream());
    // Each mark is an event of the backend.
    let no_more = || bench.script.fail_next("create_event", FaultKind::OutOfResources, "noted");
    let (done, fresh) = (recorded_on(recorder), event::create_with_flag(SYNC).unwrap());
    let ex = event::create_ex(SYNC).unwrap();
    event::record(ex, recorder).unwrap();
    no_more();
    work.begin();
    event::wait(waiter, ex).unwrap();
    work.finish();
    event::wait(waiter, done).unwrap();
    waiting.begin();
    event::wait(waiter, fresh).unwrap();
    waiting.finish();
    assert_eq!(waiting.limits().len(), 3);
    fails(event::create_plain(), Code::NoEventResource, &["noted"]);
}

#[test]
fn a_reset_of_another_device_ends_its_waits_for_an_event() {
    let bench = Bench::new();
    let (recorder, work) = bench.stream();
    let event = recorded_on(recorder);
    work.begin();
    on_device(1, move || {
        let stream = stream::create(0).unwrap();
        native(stream).begin();
        event::wait(stream, event).unwrap();
        event::reset(event, stream).unwrap();
        assert!(!event::waits_are_over(event).unwrap());
        assert!(event::is_complete(event).is_ok());
        native(stream).finish();
        device::reset(1).unwrap();
    })
    .join();
    assert!(event::waits_are_over(event).unwrap());
    work.finish();
    assert!(!event::is_complete(event).unwrap(), "it was reset before the other device went");
    bench.script.assert_kept();
}

/// While one thread's record is with the backend, no other record of the event is.
#[test]
fn concurrent_records_are_serialized_and_the_last_one_counts() {
    let bench = Bench::new();
    let ((first, failing), (second, other)) = (bench.stream(), bench.stream());
    let event = event::create_ex(SYNC).unwrap();
    bench.script.close_gate("record");
    let early = on_device(0, move || event::record(event, first));
    wait_until("the record to be at the gate", || bench.script.at_gate() == 1);
    let late = on_device(0, move || event::record(event, second));
    late.assert_blocked();
    assert_eq!(bench.script.at_gate(), 1);
    bench.script.open_gate();
    early.join().unwrap();
    late.join().unwrap();
    failing.fail("of the first stream");
    event::synchronize(event, -1).unwrap();
    other.fail_at(1, "of the second stream");
    fails(event::synchronize(event, -1), Code::AicoreException, &["of the second stream"]);
    fails(stream::synchronize(first), Code::AicoreException, &["of the first stream"]);
}

#[test]
fn a_wait_has_the_limit_of_its_call_or_of_the_process() {
    let bench = Bench::new();
    let ((recorder, _), (waiter, waiting)) = (bench.stream(), bench.stream());
    let event = recorded_on(recorder);
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    event::wait(waiter, event).unwrap();
    event::wait_with_timeout(waiter, event, 5).unwrap();
    event::wait_with_flag(waiter, event, u32::MAX, 0).unwrap();
    op_timeout::set_wait_seconds(7);
    event::wait(waiter, event).unwrap();
    event::wait_with_timeout(waiter, event, 0).unwrap();
    event::wait_with_timeout(waiter, event, 9).unwrap();
    op_timeout::set_wait_seconds(0);
    event::wait(waiter, event).unwrap();
    let most = u64::from(u32::MAX);
    assert_eq!(waiting.limits(), [None, seconds(5), seconds(most), seconds(7), None, seconds(9), None]);
    fails(event::wait_with_timeout(waiter, event, -1), Code::ParamInvalid, &["-1", "0"]);
}

/// If the backend has no timed waits, a wait without a private timeout ignores the timeout of the process.
#[test]
fn a_backend_without_limits_refuses_only_those_that_are_asked_for() {
    let bench = Bench::new();
    let ((recorder, _), (waiter, waiting)) = (bench.stream(), bench.stream());
    let event = recorded_on(recorder);
    bench.script.fail_next("wait", FaultKind::Unsupported, "no limits here");
    let refused = event::wait_with_timeout(waiter, event, 5);
    fails(refused, Code::FeatureNotSupport, &["no limits here"]);
    op_timeout::set_wait_seconds(7);
    bench.script.fail_next("wait", FaultKind::Unsupported, "no limits here");
    event::wait(waiter, event).unwrap();
    op_timeout::set_wait_seconds(0);
    assert_eq!(waiting.limits(), [None]);
}

/// ACL_STREAM_PERSISTENT: the stream only builds graphs.
const PERSISTENT: u32 = 0x04;

/// Returns the data that an interceptor keeps with the latest record of an event, if it took that record.
fn kept(event: u64) -> Option<u32> {
    let event = handles::get::<Event>("event", event).unwrap();
    event.intercepted(|kept| kept.downcast_ref().copied())
}

fn intercept(event: u64, number: u32) {
    let event = handles::get::<Event>("event", event).unwrap();
    event.intercept(|| Ok(Box::new(number))).unwrap();
}

#[test]
fn a_record_that_was_taken_is_replaced_by_the_next_record() {
    let bench = Bench::new();
    let (stream, _work) = bench.stream();
    let event = event::create_with_flag(SYNC).unwrap();
    assert_eq!(kept(event), None);
    intercept(event, 1);
    assert_eq!(kept(event), Some(1));
    intercept(event, 2);
    assert_eq!(kept(event), Some(2));
    event::record(event, stream).unwrap();
    assert_eq!(kept(event), None);
    intercept(event, 3);
    assert_eq!(kept(event), Some(3));
}

#[test]
fn a_record_that_is_not_taken_replaces_nothing() {
    let _bench = Bench::new();
    let event = event::create_with_flag(SYNC).unwrap();
    intercept(event, 1);
    let found = handles::get::<Event>("event", event).unwrap();
    let refused = found.intercept(|| Err(invalid_param!("refused")));
    fails(refused, Code::InvalidParam, &["refused"]);
    drop(found);
    assert_eq!(kept(event), Some(1));
}

#[test]
fn a_record_that_the_interceptor_has_done_with_is_forgotten() {
    let _bench = Bench::new();
    let event = event::create_with_flag(SYNC).unwrap();
    intercept(event, 1);
    let found = handles::get::<Event>("event", event).unwrap();
    assert_eq!(found.intercepted(|_| None::<u32>), None);
    drop(found);
    assert_eq!(kept(event), None);
}

#[test]
fn a_stream_that_only_builds_graphs_is_intercepted_from_the_beginning() {
    let bench = Bench::new();
    let raw = stream::create(PERSISTENT).unwrap();
    let (other, work) = bench.stream();
    let found = handles::get::<Stream>("stream", raw).unwrap();
    assert!(found.builds_graphs() && found.is_captured());
    let persistent = u64::from(PERSISTENT);
    assert_eq!(StreamFlags::from_bits(persistent), StreamFlags::from_bits(persistent | 0x100 | 1 << 40));
    fails(found.submit(Op::Mark), Code::StreamModel, &["not bound to a graph"]);
    let usual = handles::get::<Stream>("stream", other).unwrap();
    assert!(!usual.builds_graphs() && !usual.is_captured());
    usual.submit(Op::Mark).unwrap();
    drop((found, usual, work));
    stream::destroy(raw, false).unwrap();
}

#[test]
fn many_streams_wait_for_one_event() {
    let bench = Bench::new();
    let (recorder, work) = bench.stream();
    work.begin();
    let event = recorded_on(recorder);
    let waiters: Vec<_> = (0..20).map(|_| bench.stream()).collect();
    for (index, (waiter, waiting)) in waiters.iter().enumerate() {
        waiting.begin();
        // Each stream waits twice, and has one mark.
        event::wait(*waiter, event).unwrap();
        event::wait(*waiter, event).unwrap();
        // Some streams have passed their waits before others begin to wait.
        if index < 10 {
            waiting.finish();
        }
    }
    for (_, waiting) in &waiters[10..] {
        assert!(!event::waits_are_over(event).unwrap());
        waiting.finish();
    }
    assert!(event::waits_are_over(event).unwrap());
    work.finish();
}
