//! Tests of aborts: which work is dropped, which waits return the reason, and that streams go on.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::algo::thread::asleep::wait_until_asleep;
use crate::backend::{Calls, FaultKind, thread_number};
use crate::stream::CpuStream;

fn why(text: &str) -> Fault {
    Fault::new(FaultKind::Aborted, text)
}

fn abort(stream: &Arc<dyn Stream>) {
    assert_eq!(stream.abort(why("aborted"), None), Wait::Done);
}

fn aborted<T: std::fmt::Debug>(result: crate::backend::Result<T>) {
    let fault = result.unwrap_err();
    assert_eq!((fault.kind(), fault.text()), (FaultKind::Aborted, "aborted"));
}

/// Starts a thread that waits, and returns how its wait ended.
fn waiter(
    stream: &Arc<dyn Stream>,
    wait: impl FnOnce(&Arc<dyn Stream>) -> crate::backend::Result<Wait> + Send + 'static,
) -> std::thread::JoinHandle<crate::backend::Result<Wait>> {
    let stream = Arc::clone(stream);
    let (send, number) = channel();
    let thread = std::thread::spawn(move || {
        send.send(thread_number()).unwrap();
        wait(&stream)
    });
    wait_until_asleep(number.recv().unwrap(), || thread.is_finished());
    thread
}

#[test]
fn what_is_queued_is_dropped_and_the_stream_goes_on() {
    in_all_modes(|bench| {
        let (stream, target) = (bench.stream(), bench.alloc(64).addr);
        bench.device.fill(fill(target, 64, 1)).unwrap();
        let called = Arc::new(AtomicUsize::new(0));
        let gate = Gate::close(&stream);
        stream.fill(fill(target, 64, 2)).unwrap();
        let flag = Arc::clone(&called);
        stream.host_fn(host_fn(move || _ = flag.fetch_add(1, Ordering::Relaxed))).unwrap();
        abort(&stream);
        assert!(!stream.is_idle().unwrap(), "the host function that has begun goes on");
        let last = stream.reduce(add(target, target, 64)).unwrap();
        let flag = Arc::clone(&called);
        stream.host_fn(host_fn(move || _ = flag.fetch_add(10, Ordering::Relaxed))).unwrap();
        gate.open();
        sync(&stream);
        assert_eq!(bench.read(target, 64), [2; 64], "1 + 1, not 2 + 2");
        assert_eq!(called.load(Ordering::Relaxed), 10);
        assert_eq!(last, 4, "places in a stream are not given twice");
        // An idle stream has nothing to drop.
        abort(&stream);
        sync(&stream);
    });
}

#[test]
fn an_abort_ends_waits_for_the_stream() {
    in_all_modes(|bench| {
        let stream = bench.stream();
        let gate = Gate::close(&stream);
        let waiters = [
            waiter(&stream, |stream| stream.synchronize(None)),
            waiter(&stream, |stream| stream.synchronize(Some(Instant::now() + Duration::from_secs(60)))),
        ];
        abort(&stream);
        for waiter in waiters {
            aborted(waiter.join().unwrap());
        }
        // The next record makes them wait again.
        let soon = Instant::now() + Duration::from_millis(5);
        assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
        gate.open();
        sync(&stream);
    });
}

#[test]
fn an_abort_fails_a_blocking_copy_that_it_drops() {
    in_all_modes(|bench| {
        let (stream, source) = (bench.stream(), bench.alloc(64).addr);
        bench.device.fill(fill(source, 64, 7)).unwrap();
        let gate = Gate::close(&stream);
        let copier = {
            let stream = Arc::clone(&stream);
            std::thread::spawn(move || {
                let mut bytes = [0u8; 64];
                let copied = stream.copy(copy(pageable(&mut bytes), device(source, 64)));
                assert_eq!(bytes, [0; 64]);
                copied
            })
        };
        let deadline = Instant::now() + Duration::from_secs(60);
        let own: &dyn Any = &*stream;
        let operations = &own.downcast_ref::<CpuStream>().unwrap().inner().operations;
        while operations.last_ticket() < 2 {
            assert!(Instant::now() < deadline, "the copy is not queued");
            std::thread::yield_now();
        }
        abort(&stream);
        aborted(copier.join().unwrap());
        gate.open();
        sync(&stream);
    });
}

#[test]
fn streams_that_wait_for_a_dropped_record_go_on_when_the_event_is_recorded_again() {
    in_all_modes(|bench| {
        let (stream, waiter, event) = (bench.stream(), bench.stream(), bench.event());
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        waiter.wait(&event, None).unwrap();
        abort(&stream);
        gate.open();
        sync(&stream);
        assert!(!event.is_complete().unwrap() && !waiter.is_idle().unwrap());
        aborted(event.synchronize(None));
        aborted(event.synchronize(Some(Instant::now() + Duration::from_secs(60))));
        // The event is recorded again, and dropped again: they wait for the next record.
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        abort(&stream);
        gate.open();
        sync(&stream);
        assert!(!waiter.is_idle().unwrap());
        // The event is recorded after other work: they wait for that.
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        assert!(!waiter.is_idle().unwrap());
        gate.open();
        sync(&waiter);
        assert!(event.is_complete().unwrap());
        assert_eq!(event.synchronize(None).unwrap(), Wait::Done);
    });
}

#[test]
fn a_record_on_an_idle_stream_ends_waits_for_a_dropped_one() {
    in_all_modes(|bench| {
        let (stream, waiter, event) = (bench.stream(), bench.stream(), bench.event());
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        waiter.wait(&event, None).unwrap();
        abort(&stream);
        assert!(!waiter.is_idle().unwrap());
        bench.stream().record(&event).unwrap();
        sync(&waiter);
        gate.open();
        sync(&stream);
    });
}

#[test]
fn a_dropped_record_that_was_replaced_blocks_no_wait() {
    in_all_modes(|bench| {
        let (stream, waiter, event) = (bench.stream(), bench.stream(), bench.event());
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        waiter.wait(&event, None).unwrap();
        bench.stream().record(&event).unwrap();
        assert!(!waiter.is_idle().unwrap(), "it keeps the record that it saw");
        abort(&stream);
        sync(&waiter);
        gate.open();
        sync(&stream);
    });
}

#[test]
fn a_wait_for_a_dropped_record_fails() {
    in_all_modes(|bench| {
        let (stream, event) = (bench.stream(), bench.event());
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        let event_of_thread = Arc::clone(&event);
        let waiter = waiter(&stream, move |_| event_of_thread.synchronize(None));
        abort(&stream);
        aborted(waiter.join().unwrap());
        gate.open();
        sync(&stream);
    });
}

#[test]
fn unreferenced_streams_do_not_wait_for_dropped_records() {
    for retired_first in [false, true] {
        in_all_modes(|bench| {
            let (stream, waiter, event) = (bench.stream(), bench.stream(), bench.event());
            let target = bench.alloc(64).addr;
            let gate = Gate::close(&stream);
            stream.record(&event).unwrap();
            waiter.wait(&event, None).unwrap();
            waiter.wait(&event, None).unwrap();
            waiter.fill(fill(target, 64, 5)).unwrap();
            if retired_first {
                waiter.retire();
                // Other work runs in the meantime.
                run_other_work(&bench);
                assert!(!waiter.is_idle().unwrap(), "a record that may happen is waited for");
                abort(&stream);
            } else {
                abort(&stream);
                waiter.retire();
            }
            sync(&waiter);
            assert_eq!(bench.read(target, 64), [5; 64], "what is behind the wait is run");
            gate.open();
            sync(&stream);
        });
    }
}

#[test]
fn an_aborted_stream_does_not_wait_for_what_it_waited_for() {
    in_all_modes(|bench| {
        let (first, second, event) = (bench.stream(), bench.stream(), bench.event());
        let target = bench.alloc(64).addr;
        let gate = Gate::close(&first);
        first.record(&event).unwrap();
        second.wait(&event, None).unwrap();
        second.fill(fill(target, 64, 1)).unwrap();
        abort(&second);
        second.fill(fill(target, 64, 2)).unwrap();
        sync(&second);
        assert_eq!(bench.read(target, 64), [2; 64]);
        gate.open();
        sync(&first);
    });
}

/// Checks threads that submit, wait and abort at once: none blocks, and nothing is left.
#[test]
fn concurrent_aborts_and_submissions_leave_no_thread_blocked() {
    in_all_modes(|bench| {
        let streams = [bench.stream(), bench.stream()];
        let events = [bench.event(), bench.event()];
        std::thread::scope(|scope| {
            for me in 0..2 {
                let (streams, events, target) = (&streams, &events, bench.alloc(4096).addr);
                scope.spawn(move || {
                    for round in 0..200 {
                        let (mine, other) = (&streams[me], &streams[1 - me]);
                        mine.fill(fill(target, 64, 1)).unwrap();
                        mine.host_fn(host_fn(|| ())).unwrap();
                        mine.record(&events[me]).unwrap();
                        if me == 0 {
                            other.wait(&events[0], None).unwrap();
                        }
                        if round % 7 == 3 {
                            abort(mine);
                            // Threads that wait for what was dropped go on.
                            mine.record(&events[me]).unwrap();
                        }
                        match mine.synchronize(Some(Instant::now() + Duration::from_secs(60))) {
                            Ok(wait) => assert_eq!(wait, Wait::Done, "hangs"),
                            Err(fault) => assert_eq!(fault.kind(), FaultKind::Aborted),
                        }
                    }
                });
            }
        });
        streams.iter().for_each(sync);
    });
}
