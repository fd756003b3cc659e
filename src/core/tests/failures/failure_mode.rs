//! Which streams stop after a failure.

use crate::runtime::context;
use crate::stream::event;
use crate::stream::stream_attribute::set_failure_mode;
use crate::tests::*;

const CONTINUE: u64 = 0;
const STOP: u64 = 1;

fn fill(memory: usize, raw: u64) -> Result<(), Error> {
    memset::set_async(memset::FillArgs::bytes(memory, 64, 1, 64), raw)
}

#[test]
fn a_failure_under_stop_ends_all_streams_of_the_context() {
    let bench = Bench::new();
    let memory = memory::malloc(64, 0).unwrap();
    let ((raw, work), (other, other_work)) = (bench.stream(), bench.stream());
    // Another context of the same device.
    let (foreign, foreign_work) = on_device(0, || {
        context::create(0).unwrap();
        let raw = stream::create(0).unwrap();
        (raw, native(raw))
    })
    .join();
    set_failure_mode(raw, STOP).unwrap();
    other_work.begin();
    let waiter = on_device(0, move || stream::synchronize(other));
    wait_until("the waiter to wait", || other_work.waiting() == 1);
    fill(memory, raw).unwrap();
    work.fail("it went astray");
    assert!(work.is_abandoned() && other_work.is_abandoned() && !foreign_work.is_abandoned());
    other_work.finish();
    let words = ["was stopped", "ACL_STOP_ON_FAILURE", "it went astray"];
    fails(waiter.join(), Code::AicoreException, &words);
    for _ in 0..2 {
        for stopped in [raw, other, 0] {
            fails(stream::synchronize(stopped), Code::AicoreException, &words);
            fails(fill(memory, stopped), Code::AicoreException, &words);
        }
    }
    fails(stream::device::synchronize(), Code::AicoreException, &words);
    fill(memory, foreign).unwrap();
    stream::synchronize(foreign).unwrap();
    // New streams are not stopped, and a failure that was returned is not returned again at the end.
    let (fresh, _) = bench.stream();
    fill(memory, fresh).unwrap();
    stream::synchronize(fresh).unwrap();
    stream::destroy(raw, false).unwrap();
    stream::destroy(other, false).unwrap();
}

#[test]
fn a_failure_under_continue_stops_nothing() {
    let bench = Bench::new();
    let memory = memory::malloc(64, 0).unwrap();
    let ((raw, work), (stopping, _)) = (bench.stream(), bench.stream());
    set_failure_mode(raw, CONTINUE).unwrap();
    // The mode is a stream's, not its context's.
    set_failure_mode(stopping, STOP).unwrap();
    work.fail("once");
    work.fail("twice");
    assert!(!work.is_abandoned());
    fails(stream::synchronize(raw), Code::AicoreException, &["once"]);
    stream::synchronize(raw).unwrap();
    fill(memory, raw).unwrap();
    stream::synchronize(stopping).unwrap();
}

#[test]
fn the_mode_is_set_once() {
    let bench = Bench::new();
    let (raw, _) = bench.stream();
    fails(set_failure_mode(raw, 2), Code::InvalidParam, &["mode is 2", "ACL_STOP_ON_FAILURE 1"]);
    fails(set_failure_mode(raw, u64::MAX), Code::InvalidParam, &["mode is 18446744073709551615"]);
    set_failure_mode(raw, CONTINUE).unwrap();
    for mode in [CONTINUE, STOP] {
        fails(set_failure_mode(raw, mode), Code::ParamInvalid, &["set to 0 before", "once"]);
    }
    set_failure_mode(0, STOP).unwrap();
}

#[test]
fn an_event_knows_whether_its_record_was_dropped() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    set_failure_mode(raw, STOP).unwrap();
    let record = || {
        let event = event::create_plain().unwrap();
        event::record(event, raw).unwrap();
        event
    };
    // The script keeps the first operation of a busy stream.
    let (kept, dropped) = (record(), record());
    work.begin();
    work.fail_at(2, "between");
    work.finish();
    event::synchronize(kept, -1).unwrap();
    fails(event::synchronize(dropped, -1), Code::AicoreException, &["was stopped", "between"]);
}

#[test]
fn destroying_a_stopped_stream_returns_its_unreported_failure() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    set_failure_mode(raw, STOP).unwrap();
    work.fail("unheard");
    fails(stream::destroy(raw, false), Code::AicoreException, &["is destroyed", "unheard"]);
    stream::synchronize(0).unwrap_err();
}

#[test]
fn a_thread_knows_its_last_task() {
    let bench = Bench::new();
    let memory = memory::malloc(64, 0).unwrap();
    let ((first, _), (second, _)) = (bench.stream(), bench.stream());
    std::thread::spawn(|| assert_eq!(thread::last_task(), 0)).join().unwrap();
    for (raw, task) in [(first, 1), (first, 2), (second, 1)] {
        fill(memory, raw).unwrap();
        assert_eq!(thread::last_task(), task);
    }
    bench.script.fail_next("fill", crate::backend::FaultKind::Driver, "no");
    fill(memory, first).unwrap_err();
    assert_eq!(thread::last_task(), 1);
}
