//! Callbacks in threads of the program, during the end of streams and sessions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use super::*;
use crate::algo::host::host_memory::faults;
use crate::backend::{FaultKind, HostFn};
use crate::stream::report::{self, HOST_FUNCTIONS, REPORTS};

const READER: u64 = 7;
const OTHER: u64 = 8;

/// Creates a callback that reports its start, and returns when it gets a message.
fn standing() -> (HostFn, Receiver<()>, Sender<()>) {
    let ((begin, begun), (go_on, resumed)) = (channel(), channel::<()>());
    let body = move || {
        begin.send(()).unwrap();
        let _ = resumed.recv();
    };
    (HostFn::from_closure(body), begun, go_on)
}

fn subscribed(bench: &Bench) -> (u64, Arc<ScriptStream>) {
    let (raw, work) = bench.stream();
    report::subscribe(&REPORTS, READER, raw).unwrap();
    (raw, work)
}

fn unsubscribe(raw: u64) -> Result<(), Error> {
    report::unsubscribe(&REPORTS, READER, raw, OTHER)
}

fn process(timeout_ms: i32) -> Result<(), Error> {
    report::process(&REPORTS, READER, timeout_ms)
}

#[test]
fn callbacks_run_in_the_order_of_the_stream() {
    let bench = Bench::new();
    let (raw, work) = subscribed(&bench);
    let (say, said) = channel();
    work.begin();
    for (number, block) in [(0, false), (1, true), (2, false), (3, true)] {
        let say = say.clone();
        report::launch_callback(HostFn::from_closure(move || say.send(number).unwrap()), block, raw).unwrap();
    }
    fails(process(1), Code::ReportTimeout, &["1 ms", "0x7"]);
    work.finish();
    // The callbacks before the blocking one are posted.
    process(-1).unwrap();
    assert_eq!(said.try_iter().collect::<Vec<_>>(), [0, 1]);
    assert!(!stream::is_idle(raw).unwrap());
    process(-1).unwrap();
    assert_eq!(said.try_iter().collect::<Vec<_>>(), [2, 3]);
    assert!(stream::is_idle(raw).unwrap());
    unsubscribe(raw).unwrap();
    fails(process(-1), Code::ThreadSubscribe, &["0x7"]);
    drop(work);
}

/// Checks that the queue of a thread grows without memory, also while the end of a stream takes callbacks from it.
#[test]
fn callbacks_are_delivered_and_dropped_without_memory() {
    const MANY: usize = 50_000;
    let bench = Bench::new();
    let (raw, work) = subscribed(&bench);
    let ran = Arc::new(AtomicUsize::new(0));
    let deliver = || {
        work.begin();
        for _ in 0..MANY {
            let ran = Arc::clone(&ran);
            let function = HostFn::from_closure(move || _ = ran.fetch_add(1, Ordering::Relaxed));
            report::launch_callback(function, false, raw).unwrap();
        }
        faults::without_memory(|| work.finish());
    };
    deliver();
    faults::without_memory(|| process(-1)).unwrap();
    assert_eq!(ran.load(Ordering::Relaxed), MANY);
    deliver();
    faults::without_memory(|| stream::destroy(raw, false)).unwrap();
    assert_eq!(ran.load(Ordering::Relaxed), MANY);
    drop(work);
}

#[test]
fn a_callback_that_was_refused_is_not_waited_for() {
    let bench = Bench::new();
    let (raw, work) = subscribed(&bench);
    bench.script.fail_next("hand_over", FaultKind::Driver, "no room");
    let launched = report::launch_callback(HostFn::from_closure(|| unreachable!()), true, raw);
    fails(launched, Code::DrvInternalError, &["no room"]);
    unsubscribe(raw).unwrap();
    drop(work);
}

#[test]
fn a_stream_destroyed_during_a_launch_drops_it() {
    let bench = Bench::new();
    let (raw, work) = subscribed(&bench);
    bench.script.close_gate("hand_over");
    let launch = on_device(0, move || report::launch_callback(HostFn::from_closure(|| unreachable!()), true, raw));
    wait_until("the call to be inside", || bench.script.at_gate() == 1);
    stream::destroy(raw, false).unwrap();
    bench.script.open_gate();
    fails(launch.join(), Code::ParamInvalid, &["given up"]);
    fails(process(-1), Code::ThreadSubscribe, &[]);
    drop(work);
}

#[test]
fn a_stream_that_is_being_destroyed_is_not_subscribed() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let held = handles::get_arc::<Stream>("stream", raw).unwrap();
    assert!(held.callbacks.end(held.handle).is_none());
    let subscribed = report::subscribe(&HOST_FUNCTIONS, READER, raw);
    fails(subscribed, Code::ParamInvalid, &["another thread is destroying"]);
    drop((held, work));
}

#[test]
fn destroying_a_stream_ends_a_wait_for_its_callbacks() {
    let bench = Bench::new();
    let (raw, work) = subscribed(&bench);
    report::launch_callback(HostFn::from_closure(|| unreachable!()), true, raw).unwrap();
    let waiting = on_device(0, move || unsubscribe(raw));
    wait_until("the wait to begin", || {
        let launched = report::launch_callback(HostFn::from_closure(|| unreachable!()), false, raw);
        launched.is_err_and(|error| error.code() == Code::StreamNoCbReg)
    });
    fails(unsubscribe(raw), Code::ParamInvalid, &["another thread"]);
    stream::destroy(raw, false).unwrap();
    fails(waiting.join(), Code::ParamInvalid, &["destroyed"]);
    drop(work);
}

#[test]
fn a_reset_waits_for_the_callback_that_runs_and_drops_the_others() {
    let bench = Bench::new();
    for block in [false, true] {
        device::set(0).unwrap();
        let (raw, work) = subscribed(&bench);
        let (first, begun, go_on) = standing();
        report::launch_callback(first, block, raw).unwrap();
        report::launch_callback(HostFn::from_closure(|| unreachable!()), block, raw).unwrap();
        let reader = Running::start(|| process(-1));
        begun.recv_timeout(LONG).unwrap();
        let reset = Running::start(|| device::reset_force(0));
        // The reset drops what has not started just before it retires the stream.
        wait_until("the reset to retire the stream", || work.is_retired());
        drop(work);
        reset.assert_blocked();
        go_on.send(()).unwrap();
        reset.join().unwrap();
        reader.join().unwrap();
        fails(process(-1), Code::ThreadSubscribe, &[]);
    }
}

#[test]
fn finalize_times_out_on_a_callback_that_does_not_return() {
    for block in [false, true] {
        let mut bench = Bench::with_patience(Duration::from_millis(50));
        let (raw, work) = subscribed(&bench);
        let (first, begun, go_on) = standing();
        report::launch_callback(first, block, raw).unwrap();
        drop(work);
        let reader = Running::start(|| process(-1));
        begun.recv_timeout(LONG).unwrap();
        fails(runtime::finalize(), Code::Failure, &["50 ms"]);
        bench.next_life().assert_kept();
        // The thread that was left running does not belong to the next session.
        if block {
            runtime::finalize().unwrap();
            bench.next_life().assert_nothing_left();
        }
        go_on.send(()).unwrap();
        reader.join().unwrap();
        device::set(0).unwrap();
        fails(process(-1), Code::ThreadSubscribe, &[]);
    }
}
