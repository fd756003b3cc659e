//! Tests of waits with a timeout.

use super::*;
use crate::backend::{
    Calls, Event, Fault, Fill, Heard, HostTask, NOTIFIES, NotifyWait, Position, Result, StopReason, TaskCode, TaskRun,
    Until, Wait,
};

const SHORT: Duration = Duration::from_millis(5);

/// Holds the stream up. Returns an event that it records afterwards. Call this when all streams exist: to create one
/// waits for the work of those that share its hardware queue.
fn hold(setup: &Setup, recorder: &Arc<dyn Stream>) -> (Arc<Gate>, Arc<dyn Event>) {
    let event = setup.device.create_event(false).unwrap();
    let gate = Gate::close(recorder);
    recorder.record(&event).unwrap();
    (gate, event)
}

fn heard_stream(setup: &Setup, heard: &Arc<Heard>) -> Arc<dyn Stream> {
    setup.device.create_stream(heard.options()).unwrap()
}

fn sync(stream: &Arc<dyn Stream>) {
    assert_eq!(stream.synchronize(Some(Instant::now() + LONG)).unwrap(), Wait::Done, "hangs");
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_wait_that_takes_too_long_fails_and_the_stream_goes_on() {
    let setup = Setup::new();
    if has_limits() && !has_queues(2) {
        return;
    }
    let heard = Arc::new(Heard::default());
    let (recorder, stream) = (setup.stream(), heard_stream(&setup, &heard));
    let (gate, event) = hold(&setup, &recorder);
    let memory = setup.pinned(16);
    if !has_limits() {
        let refused = stream.wait(&event, Some(SHORT)).unwrap_err();
        assert_eq!(refused.kind(), FaultKind::Unsupported);
        return gate.open();
    }
    for round in 1..=3 {
        let before = Instant::now();
        let position = stream.wait(&event, Some(SHORT)).unwrap();
        stream.fill(Fill::bytes(memory.span(), round)).unwrap();
        sync(&stream);
        assert!(before.elapsed() >= SHORT);
        let failures = heard.take();
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert_eq!(failures[0].fault.kind(), FaultKind::WaitTimedOut);
        assert!(failures[0].fault.text().contains("5ms"), "{failures:?}");
        assert_eq!(failures[0].position, Some(position));
        assert!(memory.bytes().iter().all(|byte| *byte == round));
    }
    assert!(!event.is_complete().unwrap());
    gate.open();
    sync(&recorder);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_wait_that_is_over_in_time_does_not_fail() {
    let setup = Setup::new();
    if !has_limits() || !has_queues(QUEUES) {
        return;
    }
    let (heard, late) = (Arc::new(Heard::default()), Arc::new(Heard::default()));
    let (recorder, stream, later) = (setup.stream(), heard_stream(&setup, &heard), heard_stream(&setup, &late));
    let others: Vec<_> = (0..QUEUES - 4).map(|_| setup.stream()).collect();
    let (gate, event) = hold(&setup, &recorder);
    let behind = Gate::close(&stream);
    // This one reaches its wait when the event is complete. The others have a long timeout.
    stream.wait(&event, Some(SHORT * 10)).unwrap();
    later.wait(&event, Some(SHORT * 10)).unwrap();
    for other in &others {
        other.wait(&event, Some(LONG)).unwrap();
        other.wait(&event, Some(LONG)).unwrap();
    }
    // A short limit that counted from the submission would be over before this one.
    sync(&later);
    assert_eq!(late.take().len(), 1);
    assert!(others.iter().all(|other| !other.is_idle().unwrap()));
    gate.open();
    sync(&recorder);
    others.iter().for_each(sync);
    behind.open();
    sync(&stream);
    // These are a wait for a record that is earlier in the stream anyway, and one for a complete record.
    let gate = Gate::close(&stream);
    stream.record(&event).unwrap();
    stream.wait(&event, Some(LONG)).unwrap();
    gate.open();
    sync(&stream);
    stream.wait(&event, Some(Duration::from_nanos(1))).unwrap();
    sync(&stream);
    assert_eq!(heard.take(), []);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_wait_keeps_the_record_that_it_saw() {
    let setup = Setup::new();
    if !has_limits() || !has_queues(2) {
        return;
    }
    let (first, second, stream) = (setup.stream(), setup.stream(), setup.stream());
    let (gate, event) = hold(&setup, &first);
    stream.wait(&event, Some(LONG)).unwrap();
    let behind = Gate::close(&second);
    second.record(&event).unwrap();
    gate.open();
    sync(&stream);
    assert!(!event.is_complete().unwrap());
    behind.open();
    sync(&first);
    sync(&second);
}

/// Checks that the stream that failed waits for the user code that gets the failure.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn the_stream_continues_after_the_failure_callback() {
    let setup = Setup::new();
    if !has_limits() || !has_queues(2) {
        return;
    }
    let (heard, reported) = (Arc::new(Heard::default()), Arc::new(Gate::default()));
    heard.on_next_failure(reported.function());
    let (recorder, stream) = (setup.stream(), heard_stream(&setup, &heard));
    let (gate, event) = hold(&setup, &recorder);
    stream.wait(&event, Some(SHORT)).unwrap();
    wait_until("the failure to be reported", || reported.entered() == 1);
    assert!(!stream.is_idle().unwrap());
    reported.open();
    sync(&stream);
    assert_eq!(heard.take().len(), 1);
    gate.open();
    sync(&recorder);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_wait_that_the_driver_refuses_is_not_queued() {
    let setup = Setup::new();
    let (recorder, stream) = (setup.stream(), setup.stream());
    let (gate, event) = hold(&setup, &recorder);
    if !has_limits() || fail("cuLaunchHostFunc:1:304").is_none() {
        return gate.open();
    }
    let fault = stream.wait(&event, Some(LONG)).unwrap_err();
    assert!(fault.text().contains("cuLaunchHostFunc"), "{}", fault.text());
    fail("").unwrap();
    assert!(stream.is_idle().unwrap(), "a refused wait is waited for");
    stream.wait(&event, Some(LONG)).unwrap();
    gate.open();
    sync(&stream);
    sync(&recorder);
}

/// A task that fails at once.
struct Failing;

impl TaskCode for Failing {
    fn name(&self) -> &str {
        "failing"
    }

    fn run(&self, _: &Arc<TaskRun>, _: &[usize]) -> Result<()> {
        Err(Fault::new(FaultKind::WaitTimedOut, "failed at once"))
    }

    fn stop(&self, _: StopReason) {}
}

/// Checks that a failure is not lost when it comes before the call that enqueues the operation returns. Observers
/// ignore a failure of one operation without a position.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_failure_before_the_call_returns_has_its_position() {
    let setup = Setup::new();
    if !has_limits() || !has_queues(2) || of_double(calls("")).is_none() {
        return;
    }
    let heard = Arc::new(Heard::default());
    let (recorder, stream) = (setup.stream(), heard_stream(&setup, &heard));
    let (gate, event) = hold(&setup, &recorder);
    let notify = NOTIFIES.create().unwrap();
    let limit = Duration::from_millis(1);
    let until_set = NotifyWait { until: Until::AtLeast(1), clear: true, limit: Some(limit) };
    let task = || HostTask { buffers: Box::default(), takes_device_addresses: false, code: Box::new(Failing) };
    let failing: [(&str, &dyn Fn() -> Result<Position>); 3] = [
        ("event", &|| stream.wait(&event, Some(limit))),
        ("notify", &|| stream.wait_notify(&notify, until_set)),
        ("task", &|| stream.host_task(&Arc::new(task()))),
    ];
    for (name, enqueue) in failing {
        // The driver has called the library by then, and the wait is over.
        fail("cuStreamWaitValue32_v2:1:slow").unwrap();
        let before = Instant::now();
        let position = enqueue().unwrap();
        assert!(before.elapsed() > 100 * limit, "{name}: the call was not slow");
        sync(&stream);
        let failures = heard.take();
        assert_eq!(failures.len(), 1, "{name}: {failures:?}");
        assert_eq!(failures[0].position, Some(position), "{name}");
    }
    fail("").unwrap();
    gate.open();
    sync(&recorder);
}

/// Checks that an operation that the driver refuses in the middle fails once: in the call.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_wait_that_the_driver_refuses_in_the_middle_does_not_fail_again() {
    let setup = Setup::new();
    if !has_limits() || !has_queues(2) || of_double(calls("")).is_none() {
        return;
    }
    let heard = Arc::new(Heard::default());
    let (recorder, stream) = (setup.stream(), heard_stream(&setup, &heard));
    let (gate, event) = hold(&setup, &recorder);
    let behind = Gate::close(&stream);
    let notify = NOTIFIES.create().unwrap();
    let until_set = NotifyWait { until: Until::AtLeast(1), clear: true, limit: Some(SHORT) };
    let refused: [&dyn Fn() -> Result<Position>; 2] =
        [&|| stream.wait(&event, Some(SHORT)), &|| stream.wait_notify(&notify, until_set)];
    for enqueue in refused {
        fail("cuStreamWaitValue32_v2:1:304").unwrap();
        let fault = enqueue().unwrap_err();
        assert!(fault.text().contains("cuStreamWaitValue32"), "{}", fault.text());
    }
    fail("").unwrap();
    behind.open();
    sync(&stream);
    std::thread::sleep(2 * SHORT);
    assert_eq!(heard.take(), []);
    gate.open();
    sync(&recorder);
}
