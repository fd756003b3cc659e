//! The end of devices and streams while other threads use them.

use std::collections::BTreeSet;

use super::script::Thing;
use super::*;
use crate::runtime::context;
use crate::stream::event;

#[test]
fn a_reset_waits_for_work_and_takes_everything_along() {
    let bench = Bench::new();
    let ((raw, work), memory) = (bench.stream(), memory::malloc(64, 0).unwrap());
    let (event, pinned) = (event::create_plain().unwrap(), memory::malloc_host(64).unwrap());
    let explicit = context::create(0).unwrap().raw();
    work.begin();
    let reset = std::thread::spawn(|| device::reset(0));
    wait_until("the reset to wait", || work.waiting() == 1);
    assert_eq!(bench.script.live(Thing::OpenDevice), 1);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 1, "work may still use it");
    // Handles are dead from the beginning.
    fails(stream::synchronize(raw), Code::ParamInvalid, &["released with its device"]);
    work.finish();
    drop(work);
    reset.join().unwrap().unwrap();
    for thing in [Thing::OpenDevice, Thing::Stream, Thing::Event, Thing::DeviceBlock] {
        assert_eq!(bench.script.live(thing), 0, "{thing:?}");
    }
    fails(event::is_complete(event), Code::ParamInvalid, &["released with its device"]);
    fails(context::set_current(explicit), Code::ParamInvalid, &["released with its device"]);
    fails(memory::free(memory), Code::ParamInvalid, &["released with its device"]);
    fails(memory::malloc(64, 0), Code::ContextNull, &["aclrtSetDevice"]);
    memory::free_host(pinned).unwrap();
}

/// All waits are limited before the first one is awaited, because it may wait for another.
#[test]
fn a_reset_limits_waits_for_values() {
    let bench = Bench::new();
    let ((_, first), (_, second)) = (bench.stream(), bench.stream());
    first.begin();
    second.begin();
    let begin = std::time::Instant::now();
    let reset = std::thread::spawn(|| device::reset(0));
    wait_until("the reset to wait", || first.waiting() + second.waiting() == 1);
    let (until, other) = (first.waits_until().unwrap(), second.waits_until().unwrap());
    assert_eq!(until, other);
    assert!(until > begin && until <= std::time::Instant::now() + std::time::Duration::from_secs(1));
    first.finish();
    second.finish();
    drop((first, second));
    reset.join().unwrap().unwrap();
    bench.script.assert_kept();
}

#[test]
fn a_reset_ends_waits_first() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let event = event::create_plain().unwrap();
    event::record(event, raw).unwrap();
    work.begin();
    let waiters = [
        on_device(0, move || stream::synchronize(raw)),
        on_device(0, move || event::synchronize(event, -1)),
        on_device(0, stream::device::synchronize),
    ];
    wait_until("the waiters to wait", || work.waiting() == 3);
    let reset = on_device(1, || device::reset_force(0));
    wait_until("the reset to wait", || work.waiting() == 4);
    work.finish();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
    reset.join().unwrap();
    drop(work);
    bench.script.assert_kept();
}

/// The script notices calls on a closed device.
#[test]
fn a_device_is_not_closed_under_a_call() {
    for call in ["alloc", "copy_now", "fill_now", "create_stream", "create_event", "free"] {
        let bench = Bench::new();
        let memory = memory::malloc(64, 0).unwrap();
        // The device creates its default stream before the gate is closed.
        device::set(1).unwrap();
        bench.script.close_gate(call);
        let inside = on_device(1, move || {
            // The thread does not set the device, because its counting is not tested here.
            let context = context::create(0);
            if call == "create_stream" {
                return context.map(drop);
            }
            let request = memcpy::CopyArgs { dst: memory, dest_max: 64, src: 64, count: 64, kind: 1 };
            match call {
                "alloc" => memory::malloc(64, 0).map(drop),
                "copy_now" => memcpy::copy(request),
                "fill_now" => memset::set(memset::FillArgs::bytes(memory, 64, 0, 64)),
                "create_event" => event::create_plain().map(drop),
                _ => memory::free(memory),
            }
        });
        wait_until("the call to be inside", || bench.script.at_gate() == 1);
        let reset = Running::start(|| device::reset_force(0));
        reset.assert_blocked();
        assert_eq!(bench.script.live(Thing::OpenDevice), 2, "{call}");
        bench.script.open_gate();
        inside.join().unwrap();
        reset.join().unwrap();
        bench.script.assert_kept();
        // What the call created while the device was ending has ended with it.
        for thing in [Thing::DeviceBlock, Thing::Event] {
            assert_eq!(bench.script.live(thing), 0, "{call} {thing:?}");
        }
        assert_eq!(bench.script.live(Thing::Stream), 1, "{call}: the default one of device 1");
    }
}

#[test]
fn a_reset_does_not_wait_for_calls_on_other_devices() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    work.begin();
    let waiters = [
        on_device(0, move || stream::synchronize(raw)),
        on_device(0, move || stream::synchronize_with_timeout(raw, -1)),
        on_device(0, stream::device::synchronize),
    ];
    wait_until("the waiters to wait", || work.waiting() == 3);
    on_device(1, || device::reset(1).unwrap()).join();
    assert_eq!(work.waiting(), 3);
    work.finish();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
}

#[test]
fn a_set_that_races_with_a_reset_is_counted_once() {
    let bench = Bench::new();
    let (_, work) = bench.stream();
    work.begin();
    let reset = on_device(1, || device::reset(0));
    wait_until("the reset to wait", || work.waiting() == 1);
    let set = Running::start(|| device::set(0));
    set.assert_blocked();
    work.finish();
    drop(work);
    reset.join().unwrap();
    set.join().unwrap();
    device::reset(0).unwrap();
    fails(device::reset(0), Code::ParamInvalid, &["deviceId 0", "0"]);
}

#[test]
fn destroying_a_stream_waits_unless_it_is_forced() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    work.begin();
    stream::destroy(raw, true).unwrap();
    assert!(work.is_abandoned());
    fails(stream::destroy(raw, true), Code::ParamInvalid, &["destroyed"]);

    let (raw, work) = bench.stream();
    work.begin();
    let destroy = on_device(0, move || stream::destroy(raw, false));
    wait_until("the call to wait", || work.waiting() == 1);
    fails(stream::is_idle(raw), Code::ParamInvalid, &["destroyed"]);
    work.finish();
    destroy.join().unwrap();
    assert!(work.is_abandoned());
    device::reset(0).unwrap();
}

#[test]
fn a_call_fails_if_destroying_the_stream_drops_its_work() {
    let bench = Bench::new();
    let ((raw, work), memory) = (bench.stream(), memory::malloc(64, 0).unwrap());
    bench.script.close_gate("fill");
    let inside = on_device(0, move || memset::set_async(memset::FillArgs::bytes(memory, 64, 0, 64), raw));
    wait_until("the call to be inside", || bench.script.at_gate() == 1);
    stream::destroy(raw, false).unwrap();
    bench.script.open_gate();
    fails(inside.join(), Code::ParamInvalid, &["given up"]);
    drop(work);
}

#[test]
fn destroying_a_context_ends_its_streams() {
    let bench = Bench::new();
    let explicit = context::create(0).unwrap().raw();
    let (raw, work) = bench.stream();
    work.begin();
    let destroy = on_device(0, move || context::destroy(explicit));
    wait_until("the call to wait", || work.waiting() == 1);
    work.finish();
    drop(work);
    destroy.join().unwrap();
    fails(stream::synchronize(raw), Code::ParamInvalid, &["with its device"]);
    fails(device::current(), Code::ContextNull, &["destroyed"]);
    assert_eq!(bench.script.live(Thing::Stream), 1, "the default stream of the device");
}

#[test]
fn a_context_knows_its_streams_and_no_others() {
    let bench = Bench::new();
    let (other, _) = bench.stream();
    let explicit = context::create(0).unwrap();
    let (first, _) = bench.stream();
    let (second, _) = bench.stream();
    stream::destroy(first, false).unwrap();
    let streams_of =
        |context| Stream::of_context(context).iter().map(|stream| stream.handle.raw()).collect::<BTreeSet<_>>();
    let default = stream::current_default().unwrap();
    assert_eq!(streams_of(explicit), BTreeSet::from([default, second]));
    context::destroy(explicit.raw()).unwrap();
    assert!(streams_of(explicit).is_empty());
    for ended in [default, second] {
        fails(stream::synchronize(ended), Code::ParamInvalid, &["with its device"]);
    }
    device::set(0).unwrap();
    stream::synchronize(other).unwrap();
}
