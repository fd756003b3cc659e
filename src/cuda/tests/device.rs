//! Tests of devices: opening, describing, closing, and several at a time.

use std::ffi::c_int;

use super::{Gate, Setup, has_two_devices, open, pageable, pattern, symbol};
use crate::backend::{Calls, Copy, FaultKind, Fill, PagePolicy, Place, Priority, Span, StreamOptions, Wait};

#[test]
fn without_a_driver_the_error_names_the_cpu_backend() {
    let Err(fault) = open() else { return println!("skipped: needs a machine without a driver") };
    assert_eq!(fault.kind(), FaultKind::NoDevice);
    assert!(fault.text().contains("cpu backend"), "{}", fault.text());
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn the_device_describes_itself() {
    let setup = Setup::new();
    assert_eq!(setup.driver.name(), "cuda");
    assert!(setup.driver.device_count() >= 1);
    let info = setup.device.info();
    assert!(!info.name.is_empty() && info.cores > 0, "{info:?}");
    let free = setup.device.free_memory().unwrap();
    assert!(free > 0 && free <= info.total_memory);
}

/// Checks that a stream without a priority is as urgent as the streams of other libraries, and that programs have the
/// driver's range, except for what the library keeps.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_stream_without_a_priority_has_the_drivers_usual_one() {
    let setup = Setup::new();
    let of_driver = |priority| {
        let stream = setup.device.create_stream(StreamOptions { priority, ..Default::default() }).unwrap();
        let get: unsafe extern "C" fn(usize, *mut c_int) -> c_int = symbol("cuStreamGetPriority").unwrap();
        let mut found = 1;
        // SAFETY: a function of the driver that writes a number, and a live stream of the current context.
        assert_eq!(unsafe { get(stream.native().unwrap(), &mut found) }, 0);
        found
    };
    let least = setup.device.least_priority();
    let range = (of_driver(Priority::Level(0)), of_driver(Priority::Level(least)));
    assert_eq!(range, (-(least as c_int), 0));
    assert_eq!(of_driver(Priority::Plain), 0);
    assert!(of_driver(Priority::Library) <= range.0, "a larger number is less urgent");
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn copies_reach_other_devices() {
    let setup = Setup::new();
    if !has_two_devices(&setup) {
        return;
    }
    let other = setup.driver.open(1).unwrap();
    let len = 70_000;
    let here = setup.on_device(len);
    let there = other.alloc(len, PagePolicy::NormalOnly).unwrap();
    let span = Span { addr: there.addr, len, place: Place::Device(1) };
    setup.write(&here, &pattern(len));
    setup.copy(span, here.span());
    let mut bytes = vec![0; len];
    other.copy(Copy { dst: pageable(&mut bytes), src: span, stage_source: false }).unwrap();
    assert!(bytes == pattern(len));

    // An event of one device holds up a stream of the other.
    let (first, second) = (setup.stream(), other.create_stream(StreamOptions::default()).unwrap());
    let gate = Gate::close(&first);
    first.fill(Fill::bytes(here.span(), 77)).unwrap();
    let event = setup.device.create_event(false).unwrap();
    first.record(&event).unwrap();
    second.wait(&event, None).unwrap();
    second.copy(Copy { dst: span, src: here.span(), stage_source: false }).unwrap();
    assert!(!second.is_idle().unwrap());
    gate.open();
    assert_eq!(second.synchronize(None).unwrap(), Wait::Done);
    other.copy(Copy { dst: pageable(&mut bytes), src: span, stage_source: false }).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 77));

    // Fills reach its memory, too.
    setup.device.fill(Fill::bytes(span, 5)).unwrap();
    other.copy(Copy { dst: pageable(&mut bytes), src: span, stage_source: false }).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 5));

    drop(second);
    other.free(there).unwrap();
    other.close().unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_device_closes_while_another_one_is_busy() {
    let mut setup = Setup::new();
    if !has_two_devices(&setup) {
        return;
    }
    let other = setup.driver.open(1).unwrap();
    let busy = other.create_stream(StreamOptions::default()).unwrap();
    let gate = Gate::close(&busy);
    let before = setup.device.free_memory().unwrap();
    let memory = setup.on_device(64 << 20);
    assert!(setup.device.free_memory().unwrap() < before);
    drop(memory);
    assert_eq!(setup.device.free_memory().unwrap(), before, "not freed at once");
    drop(setup.on_device(4096));
    setup.device.close().unwrap();
    setup.device = setup.driver.open(0).unwrap();
    gate.open();
    assert_eq!(busy.synchronize(None).unwrap(), Wait::Done);
    drop(busy);
    other.close().unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn streams_and_events_outlive_their_device_harmlessly() {
    let setup = Setup::new();
    let device = setup.driver.open(0).unwrap();
    let stream = device.create_stream(StreamOptions::default()).unwrap();
    let event = device.create_event(true).unwrap();
    let pinned = setup.pinned(4096);
    stream.fill(Fill::bytes(pinned.span(), 5)).unwrap();
    stream.record(&event).unwrap();
    device.close().unwrap();
    assert!(pinned.bytes().iter().all(|byte| *byte == 5), "close waits, and pinned memory stays");
    let fault = device.create_event(false).err().unwrap();
    assert!(fault.text().contains("closed"), "{}", fault.text());
    assert!(event.is_complete().is_err());
    drop(event);
    drop(stream);
    drop(device);
    pinned.bytes().fill(6);
}
