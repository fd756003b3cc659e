//! When failures of enqueued work are returned, and how often.

use crate::backend::FaultKind;
use crate::runtime::context;
use crate::stream::event;
use crate::tests::script::Thing;
use crate::tests::*;

/// Creates an event that was recorded on a stream.
fn recorded_on(stream: u64) -> u64 {
    let event = event::create_plain().unwrap();
    event::record(event, stream).unwrap();
    event
}

#[test]
fn a_stream_returns_its_failure_once() {
    let bench = Bench::new();
    let ((failing, work), (other, _)) = (bench.stream(), bench.stream());
    work.fail("a kernel went astray");
    stream::synchronize(other).unwrap();
    fails(stream::synchronize(failing), Code::AicoreException, &["a kernel went astray"]);
    stream::synchronize(failing).unwrap();
}

#[test]
fn a_blocked_synchronize_returns_a_failure_that_occurs_meanwhile() {
    let bench = Bench::new();
    for timeout in [None, Some(-1), Some(10_000)] {
        let (failing, work) = bench.stream();
        work.begin();
        let waiter = on_device(0, move || match timeout {
            None => stream::synchronize(failing),
            Some(ms) => stream::synchronize_with_timeout(failing, ms),
        });
        wait_until("the waiter to wait", || work.waiting() == 1);
        work.fail("late");
        work.finish();
        fails(waiter.join(), Code::AicoreException, &["late"]);
        stream::synchronize(failing).unwrap();
    }
}

#[test]
fn the_null_stream_returns_a_failure_of_the_default_stream() {
    let _bench = Bench::new();
    let default = thread::current().unwrap().default_stream().unwrap().handle;
    native(default.raw()).fail("there");
    fails(stream::synchronize(0), Code::AicoreException, &["there"]);
    stream::synchronize(0).unwrap();
}

#[test]
fn calls_that_do_not_wait_leave_a_failure_to_those_that_do() {
    let bench = Bench::new();
    let (failing, work) = bench.stream();
    let memory = memory::malloc(64, 0).unwrap();
    work.fail("kept");
    assert!(stream::is_idle(failing).unwrap());
    memset::set_async(memset::FillArgs::bytes(memory, 64, 1, 64), failing).unwrap();
    memset::set(memset::FillArgs::bytes(memory, 64, 1, 64)).unwrap();
    let event = recorded_on(failing);
    assert!(event::is_complete(event).unwrap());
    event::wait(0, event).unwrap();
    stream::synchronize(0).unwrap();
    memory::free(memory).unwrap();
    fails(stream::synchronize(failing), Code::AicoreException, &["kept"]);
}

#[test]
fn a_device_returns_the_failures_of_its_streams_one_by_one() {
    let bench = Bench::new();
    let ((_, first), (_, second), (_, last)) = (bench.stream(), bench.stream(), bench.stream());
    let other_device = on_device(1, || native(stream::create(0).unwrap())).join();
    other_device.fail("of another device");
    first.fail("one");
    second.fail("two");
    last.begin();
    let waiter = on_device(0, stream::device::synchronize);
    wait_until("the waiter to wait", || last.waiting() == 1);
    waiter.assert_blocked();
    last.finish();
    let mut errors = vec![waiter.join().unwrap_err(), stream::device::synchronize().unwrap_err()];
    errors.sort_by_key(|error| error.text().to_owned());
    assert!(errors.iter().all(|error| error.code() == Code::AicoreException), "{errors:?}");
    assert_eq!([errors[0].text(), errors[1].text()], ["one", "two"]);
    stream::device::synchronize().unwrap();
    device::set(1).unwrap();
    fails(stream::device::synchronize(), Code::AicoreException, &["of another device"]);
}

#[test]
fn an_event_returns_the_failure_of_the_stream_that_recorded_it() {
    let bench = Bench::new();
    let ((failing, work), (other, _)) = (bench.stream(), bench.stream());
    let (event, bystander) = (recorded_on(failing), recorded_on(other));
    work.fail_at(1, "before the event");
    event::synchronize(bystander, -1).unwrap();
    fails(event::synchronize(event, -1), Code::AicoreException, &["before the event"]);
    event::synchronize(event, -1).unwrap();
    stream::synchronize(failing).unwrap();
    // After another record the failure of the first stream is not returned.
    event::record(event, other).unwrap();
    work.fail("not seen from there");
    event::synchronize(event, 1000).unwrap();
    fails(stream::synchronize(failing), Code::AicoreException, &["not seen from there"]);
}

#[test]
fn an_event_leaves_what_failed_after_it_to_the_stream() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let event = recorded_on(raw);
    let later = recorded_on(raw);
    work.fail_at(2, "after the event");
    event::synchronize(event, -1).unwrap();
    event::synchronize(event, 1000).unwrap();
    fails(event::synchronize(later, -1), Code::AicoreException, &["after the event"]);
    stream::synchronize(raw).unwrap();
}

#[test]
fn an_event_outlives_the_stream_that_recorded_it() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let event = recorded_on(raw);
    work.fail("gone with its stream");
    stream::destroy(raw, true).unwrap();
    event::synchronize(event, -1).unwrap();
}

#[test]
fn destroying_a_stream_returns_an_unreported_failure() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    work.fail("unreported");
    let result = stream::destroy(raw, false);
    fails(result, Code::AicoreException, &["unreported", "is destroyed"]);
    fails(stream::destroy(raw, false), Code::ParamInvalid, &["destroyed"]);

    let (raw, work) = bench.stream();
    work.fail("returned");
    fails(stream::synchronize(raw), Code::AicoreException, &["returned"]);
    stream::destroy(raw, false).unwrap();

    let explicit = context::create(0).unwrap().raw();
    let ((_, first), (_, second)) = (bench.stream(), bench.stream());
    first.fail("in a context");
    second.fail("in a context");
    let result = context::destroy(explicit);
    fails(result, Code::AicoreException, &["in a context", "is destroyed"]);
    fails(context::destroy(explicit), Code::ParamInvalid, &["destroyed"]);

    device::set(0).unwrap();
    bench.stream().1.fail("with its device");
    device::reset(0).unwrap();
    fails(device::reset(0), Code::AicoreException, &["with its device", "device 0 is reset"]);
    fails(device::reset(0), Code::ParamInvalid, &["not set"]);
}

#[test]
fn finalize_returns_an_unreported_failure() {
    let bench = Bench::new();
    bench.stream().1.fail("unreported");
    fails(runtime::finalize(), Code::AicoreException, &["unreported", "finalized"]);
    bench.script.assert_nothing_left();
    Script::begin(LONG);
}

#[test]
fn the_end_of_a_device_that_failed_is_no_failure() {
    let bench = Bench::new();
    memory::malloc(64, 0).unwrap();
    let (raw, _) = bench.stream();
    bench.script.fail_for_good(0, "the device is lost");
    fails(stream::synchronize(raw), Code::AicoreException, &["the device is lost"]);
    stream::destroy(raw, false).unwrap();
    device::reset(0).unwrap();
}

#[test]
fn teardown_completes_and_returns_errors_of_the_driver() {
    let bench = Bench::new();
    let refuse = |call| bench.script.fail_next(call, FaultKind::Driver, "busy");
    let (raw, _) = bench.stream();
    refuse("synchronize");
    fails(stream::destroy(raw, false), Code::DrvInternalError, &["busy", "is destroyed"]);
    for call in ["synchronize", "free", "close"] {
        device::set(1).unwrap();
        memory::malloc(64, 0).unwrap();
        refuse(call);
        fails(device::reset(1), Code::DrvInternalError, &["busy", "device 1 is reset"]);
        assert_eq!(bench.script.live(Thing::OpenDevice), 1, "{call}");
    }
    device::set(0).unwrap();
    memory::malloc_host(64).unwrap();
    refuse("free_host");
    fails(runtime::finalize(), Code::DrvInternalError, &["busy", "finalized"]);
    assert!(bench.script.has_ended());
    Script::begin(LONG);
}

/// Running work uses memory that ends with the stream's device.
#[test]
fn a_wait_that_is_refused_at_an_end_is_tried_again() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    work.begin();
    bench.script.fail_next("synchronize", FaultKind::Driver, "busy");
    let reset = std::thread::spawn(|| device::reset(0));
    wait_until("the reset to wait", || work.waiting() == 1);
    fails(stream::is_idle(raw).map(drop), Code::ParamInvalid, &["released with its device"]);
    work.finish();
    drop(work);
    fails(reset.join().unwrap(), Code::DrvInternalError, &["busy", "device 0 is reset"]);
}

#[test]
fn waiting_ends_with_its_time_and_the_work_goes_on() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let event = recorded_on(raw);
    work.begin();
    let result = stream::synchronize_with_timeout(raw, 5);
    fails(result, Code::StreamSyncTimeout, &["5 ms", "continues"]);
    let result = event::synchronize(event, 5);
    fails(result, Code::EventSyncTimeout, &["5 ms", "continues"]);
    assert!(!stream::is_idle(raw).unwrap());
    // An earlier failure is returned even after a timeout.
    work.fail("meanwhile");
    fails(stream::synchronize_with_timeout(raw, 5), Code::AicoreException, &["meanwhile"]);
    work.finish();
    stream::synchronize_with_timeout(raw, 5).unwrap();
    event::synchronize(event, 5).unwrap();
    for bad in [0, -2, i32::MIN] {
        let bound = bad.to_string();
        fails(stream::synchronize_with_timeout(raw, bad), Code::ParamInvalid, &[&bound, "-1"]);
        fails(event::synchronize(event, bad), Code::ParamInvalid, &[&bound, "-1"]);
    }
}

#[test]
fn a_device_that_failed_for_good_says_so_until_it_is_reset_and_others_go_on() {
    let bench = Bench::new();
    let ((raw, work), memory) = (bench.stream(), memory::malloc(64, 0).unwrap());
    let event = recorded_on(raw);
    work.begin();
    let waiter = on_device(0, move || stream::synchronize(raw));
    wait_until("the waiter to wait", || work.waiting() == 1);
    bench.script.fail_for_good(0, "the device is lost");
    work.finish();
    fails(waiter.join(), Code::AicoreException, &["the device is lost"]);
    let request = memcpy::CopyArgs { dst: memory, dest_max: 64, src: 64, count: 64, kind: 1 };
    let calls: [&dyn Fn() -> Result<(), Error>; 12] = [
        &|| stream::synchronize(raw),
        &|| stream::synchronize(raw),
        &|| stream::synchronize(0),
        &|| stream::synchronize_with_timeout(raw, 1),
        &|| stream::is_idle(raw).map(drop),
        &|| event::synchronize(event, -1),
        &|| stream::device::synchronize(),
        &|| memory::malloc(64, 0).map(drop),
        &|| memset::set(memset::FillArgs::bytes(memory, 64, 0, 64)),
        &|| memcpy::copy(request),
        &|| memcpy::copy_async(request, raw),
        &|| stream::create(0).map(drop),
    ];
    for call in calls {
        fails(call(), Code::AicoreException, &["the device is lost"]);
    }
    on_device(1, || {
        stream::synchronize(0).unwrap();
        let memory = memory::malloc(64, 0).unwrap();
        memset::set(memset::FillArgs::bytes(memory, 64, 0, 64)).unwrap();
        memory::free(memory).unwrap();
    })
    .join();
    device::reset_force(0).unwrap();
    fails(stream::synchronize(raw), Code::ParamInvalid, &["released with its device"]);
    device::set(0).unwrap();
    memory::malloc(64, 0).unwrap();
    stream::device::synchronize().unwrap();
}

#[test]
fn a_device_that_failed_is_not_healthy() {
    let bench = Bench::new();
    assert!(device::is_healthy(0).unwrap());
    bench.script.fail_for_good(0, "fell off the bus");
    assert!(!device::is_healthy(0).unwrap());
    assert!(device::is_healthy(1).unwrap());
}

#[test]
fn a_driver_that_does_not_answer_is_no_verdict_on_the_device() {
    let bench = Bench::new();
    bench.script.fail_next("free_memory", FaultKind::Driver, "busy");
    fails(device::is_healthy(0).map(drop), Code::DrvInternalError, &["busy"]);
    assert!(device::is_healthy(0).unwrap());
}

#[test]
fn a_device_returns_a_failure_before_a_timeout() {
    let bench = Bench::new();
    let ((_, slow), (_, failing)) = (bench.stream(), bench.stream());
    slow.begin();
    failing.fail("a kernel went astray");
    fails(stream::device::synchronize_with_timeout(1), Code::AicoreException, &["a kernel went astray"]);
    fails(stream::device::synchronize_with_timeout(1), Code::StreamSyncTimeout, &["device 0", "1 ms"]);
    slow.finish();
    stream::device::synchronize_with_timeout(10_000).unwrap();
}

#[test]
fn a_free_whose_wait_returns_a_failure_frees_nothing() {
    let bench = Bench::new();
    let (_, work) = bench.stream();
    let (memory, pinned) = (memory::malloc(64, 0).unwrap(), memory::malloc_host(64).unwrap());
    work.fail("first");
    fails(memory::free_with_sync(memory), Code::AicoreException, &["first"]);
    work.fail("second");
    fails(memory::free_host_with_sync(pinned), Code::AicoreException, &["second"]);
    // It was returned: live memory can be freed.
    memory::free_with_sync(memory).unwrap();
    memory::free_host_with_sync(pinned).unwrap();
}

#[test]
fn pinned_memory_waits_for_all_devices_and_device_memory_for_its_own() {
    let bench = Bench::new();
    let (_, work) = bench.stream();
    let (there, other_device) =
        on_device(1, || (memory::malloc(64, 0).unwrap(), native(stream::create(0).unwrap()))).join();
    let pinned = memory::malloc_host(64).unwrap();
    work.begin();
    memory::free_with_sync(there).unwrap();
    work.finish();
    other_device.begin();
    let freeing = on_device(0, move || memory::free_host_with_sync(pinned));
    freeing.assert_blocked();
    other_device.finish();
    freeing.join().unwrap();
}
