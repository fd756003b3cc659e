//! Tests of waits with a timeout.

use super::*;
use crate::backend::{Calls, FaultKind};

const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(60);

fn watcher_has_thread(bench: &Bench) -> bool {
    bench.driver.shared.watcher.has_thread()
}

fn assert_timed_out(stream: &Arc<dyn Stream>, limit: &str) {
    let fault = take_failure(stream).expect("no failure");
    assert_eq!(fault.kind(), FaultKind::WaitTimedOut);
    assert!(fault.text().contains(limit), "{}", fault.text());
    assert!(take_failure(stream).is_none());
}

#[test]
fn a_wait_that_takes_too_long_fails_and_the_stream_goes_on() {
    in_all_modes(|bench| {
        let (recorder, event, target) = (bench.stream(), bench.event(), bench.alloc(64).addr);
        let gate = Gate::close(&recorder);
        recorder.record(&event).unwrap();
        for (busy, value) in [(false, 1), (true, 2)] {
            let stream = bench.stream();
            let before = Instant::now();
            if busy {
                stream.host_fn(host_fn(|| {})).unwrap();
            }
            stream.wait(&event, Some(SHORT)).unwrap();
            stream.fill(fill(target, 64, value)).unwrap();
            sync(&stream);
            assert!(before.elapsed() >= SHORT);
            assert_timed_out(&stream, "5ms");
            assert_eq!(bench.read(target, 64), [value; 64]);
        }
        assert!(!event.is_complete().unwrap());
        gate.open();
        sync(&recorder);
        assert!(take_failure(&recorder).is_none());
    });
}

#[test]
fn a_wait_that_is_over_in_time_does_not_fail() {
    in_all_modes(|bench| {
        let (recorder, stream, event) = (bench.stream(), bench.stream(), bench.event());
        let gate = Gate::close(&recorder);
        recorder.record(&event).unwrap();
        for _ in 0..3 {
            stream.wait(&event, Some(LONG)).unwrap();
        }
        gate.open();
        sync(&stream);
        assert!(take_failure(&stream).is_none());
        // The same is true of a record that is complete, or that is earlier in the stream anyway.
        stream.wait(&event, Some(Duration::from_nanos(1))).unwrap();
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        stream.wait(&event, Some(Duration::from_nanos(1))).unwrap();
        gate.open();
        sync(&stream);
        assert!(take_failure(&stream).is_none());
    });
}

#[test]
fn the_time_counts_from_when_the_stream_comes_to_the_wait() {
    in_all_modes(|bench| {
        let (recorder, stream, event) = (bench.stream(), bench.stream(), bench.event());
        let (before, behind) = (Gate::close(&recorder), Gate::close(&stream));
        recorder.record(&event).unwrap();
        stream.wait(&event, Some(SHORT)).unwrap();
        // One that counted from its submission would be over before this one, which is submitted later.
        let other = bench.stream();
        other.wait(&event, Some(SHORT)).unwrap();
        sync(&other);
        assert_timed_out(&other, "5ms");
        before.open();
        sync(&recorder);
        behind.open();
        sync(&stream);
        assert!(take_failure(&stream).is_none());
    });
}

#[test]
fn each_wait_has_its_own_limit() {
    in_all_modes(|bench| {
        let (recorder, event) = (bench.stream(), bench.event());
        let (patient, hasty, endless) = (bench.stream(), bench.stream(), bench.stream());
        let gate = Gate::close(&recorder);
        recorder.record(&event).unwrap();
        patient.wait(&event, Some(LONG)).unwrap();
        hasty.wait(&event, Some(SHORT)).unwrap();
        hasty.wait(&event, Some(SHORT * 2)).unwrap();
        endless.wait(&event, None).unwrap();
        sync(&hasty);
        assert_timed_out(&hasty, "5ms");
        assert!(!patient.is_idle().unwrap() && !endless.is_idle().unwrap());
        gate.open();
        sync(&patient);
        sync(&endless);
        assert!(take_failure(&patient).is_none() && take_failure(&endless).is_none());
    });
}

#[test]
fn a_stream_whose_wait_timed_out_still_waits_for_the_next_event() {
    in_all_modes(|bench| {
        let (first, second, stream) = (bench.stream(), bench.stream(), bench.stream());
        let (dropped, awaited) = (bench.event(), bench.event());
        let (first_gate, second_gate) = (Gate::close(&first), Gate::close(&second));
        first.record(&dropped).unwrap();
        second.record(&awaited).unwrap();
        stream.wait(&dropped, Some(SHORT)).unwrap();
        stream.wait(&awaited, Some(LONG)).unwrap();
        let deadline = Instant::now() + LONG;
        let failure = loop {
            assert!(Instant::now() < deadline, "the wait does not end");
            if let Some(failure) = take_failure(&stream) {
                break failure;
            }
            std::thread::yield_now();
        };
        assert_eq!(failure.kind(), FaultKind::WaitTimedOut);
        first_gate.open();
        sync(&first);
        assert!(!stream.is_idle().unwrap(), "released by an event that it does not wait for");
        second_gate.open();
        sync(&stream);
        assert!(take_failure(&stream).is_none());
    });
}

#[test]
fn blocked_streams_share_one_thread_which_ends_when_it_is_not_needed() {
    in_all_modes(|bench| {
        assert!(!watcher_has_thread(&bench));
        let (recorder, event) = (bench.stream(), bench.event());
        let gate = Gate::close(&recorder);
        recorder.record(&event).unwrap();
        let streams: Vec<_> = (0..1000).map(|_| bench.stream()).collect();
        for (index, stream) in streams.iter().enumerate() {
            let limit = if index % 2 == 0 { SHORT } else { LONG };
            stream.wait(&event, Some(limit)).unwrap();
        }
        assert!(watcher_has_thread(&bench));
        streams.iter().step_by(2).for_each(sync);
        assert!(bench.threads() <= bench.cores() + 8, "{} threads", bench.threads());
        streams[1].abandon();
        sync(&streams[1]);
        gate.open();
        streams.iter().for_each(sync);
        let timed_out = streams.iter().filter(|stream| take_failure(stream).is_some()).count();
        assert_eq!(timed_out, 500);
        let deadline = Instant::now() + LONG;
        while watcher_has_thread(&bench) {
            assert!(Instant::now() < deadline, "the watcher does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
        // The limit begins again.
        let gate = Gate::close(&recorder);
        recorder.record(&event).unwrap();
        streams[0].wait(&event, Some(SHORT)).unwrap();
        sync(&streams[0]);
        assert_timed_out(&streams[0], "5ms");
        gate.open();
    });
}

#[test]
fn a_driver_that_ends_leaves_no_watcher() {
    let bench = Bench::new(false);
    let (recorder, stream, event) = (bench.stream(), bench.stream(), bench.event());
    let gate = Gate::close(&recorder);
    recorder.record(&event).unwrap();
    stream.wait(&event, Some(LONG)).unwrap();
    gate.open();
    sync(&stream);
    drop((recorder, stream));
    assert!(watcher_has_thread(&bench));
    bench.device.close().unwrap();
    assert!(bench.driver.shutdown(LONG));
    assert!(!watcher_has_thread(&bench));
}
