//! Calls that create something while the backend fails: the error, and that nothing is left.

use super::script::{DEVICE_MEMORY, Thing};
use super::*;
use crate::backend::FaultKind;
use crate::runtime::context;
use crate::stream::event;
use crate::stream::notify::Notify;

#[test]
fn a_device_that_cannot_be_opened_is_not_set() {
    let bench = Bench::new();
    device::reset(0).unwrap();
    thread::set_current(None);
    let refusals = [
        ("open", FaultKind::OutOfDeviceMemory, Code::MemoryAllocation),
        ("open", FaultKind::NoDevice, Code::DrvInternalError),
        ("create_stream", FaultKind::OutOfResources, Code::NoStreamResource),
        ("create_stream", FaultKind::Driver, Code::DrvInternalError),
    ];
    for (call, kind, code) in refusals {
        for attempt in [&|| device::set(0), &|| context::create(0).map(drop)] as [&dyn Fn() -> Result<(), Error>; 2] {
            bench.script.fail_next(call, kind, "not today");
            fails(attempt(), code, &["not today"]);
            fails(device::current(), Code::ContextNull, &["aclrtSetDevice"]);
            fails(device::reset(0), Code::ParamInvalid, &["deviceId 0"]);
            assert_eq!(bench.script.live(Thing::OpenDevice), 0);
        }
    }
    device::set(0).unwrap();
    assert_eq!(device::current().unwrap(), 0);
}

#[test]
fn a_context_that_cannot_be_created_leaves_the_current_one() {
    let bench = Bench::new();
    let before = context::current().unwrap();
    bench.script.fail_next("create_stream", FaultKind::OutOfResources, "no more");
    fails(context::create(0), Code::NoStreamResource, &["no more"]);
    assert_eq!(context::current().unwrap(), before);
    assert_eq!(bench.script.live(Thing::Stream), 1, "the default stream");
}

#[test]
fn failing_creation_of_streams_events_and_notifies() {
    const EXTERNAL: u32 = 0x20;
    const IPC: u32 = 0x40;
    let bench = Bench::new();
    for (kind, for_stream, for_event, for_notify) in [
        (FaultKind::OutOfResources, Code::NoStreamResource, Code::NoEventResource, Code::NoNotifyResource),
        (FaultKind::OutOfHostMemory, Code::BadAlloc, Code::BadAlloc, Code::BadAlloc),
        (FaultKind::Driver, Code::DrvInternalError, Code::DrvInternalError, Code::DrvInternalError),
        (FaultKind::Unsupported, Code::FeatureNotSupport, Code::FeatureNotSupport, Code::FeatureNotSupport),
    ] {
        bench.script.fail_next("create_stream", kind, "refused");
        fails(stream::create(0), for_stream, &["refused"]);
        bench.script.fail_next("create_event", kind, "refused");
        fails(event::create_plain(), for_event, &["refused"]);
        bench.script.fail_next("create_notify", kind, "refused");
        fails(event::create_ex(IPC), for_event, &["refused"]);
        bench.script.fail_next("create_notify", kind, "refused");
        fails(event::create_with_flag(EXTERNAL), for_event, &["refused"]);
        bench.script.fail_next("create_notify", kind, "refused");
        fails(Notify::create(0), for_notify, &["refused"]);
    }
    assert_eq!(bench.script.live(Thing::Stream), 1, "the default stream");
    assert_eq!(bench.script.live(Thing::Event), 0);
    stream::create(0).unwrap();
    event::create_plain().unwrap();
}

#[test]
fn memory_that_cannot_be_had() {
    let bench = Bench::new();
    for (kind, code) in [
        (FaultKind::OutOfDeviceMemory, Code::MemoryAllocation),
        (FaultKind::OutOfHostMemory, Code::BadAlloc),
        (FaultKind::Driver, Code::DrvInternalError),
    ] {
        bench.script.fail_next("alloc", kind, "none left");
        fails(memory::malloc(64, 0), code, &["none left"]);
        bench.script.fail_next("alloc_host", kind, "none left");
        fails(memory::malloc_host(64), code, &["none left"]);
    }
    let most = DEVICE_MEMORY as usize;
    for size in [most + 1, usize::MAX - 31, usize::MAX] {
        let bounds = [size.to_string(), most.to_string()];
        fails(memory::malloc(size, 0), Code::MemoryAllocation, &[&bounds[0], &bounds[1]]);
        if size > most + 1 {
            fails(memory::malloc_host(size), Code::BadAlloc, &[&bounds[0]]);
        }
    }
    fails(memory::malloc(0, 0), Code::InvalidParam, &["size is 0"]);
    fails(memory::malloc_host(0), Code::InvalidParam, &["size is 0"]);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 0);
    assert_eq!(bench.script.live(Thing::HostBlock), 0);
}

#[test]
fn a_free_that_the_driver_refuses_fails_and_invalidates_the_address() {
    let bench = Bench::new();
    let (on_device, pinned) = (memory::malloc(64, 0).unwrap(), memory::malloc_host(64).unwrap());
    bench.script.fail_next("free", FaultKind::Driver, "it said no");
    fails(memory::free(on_device), Code::DrvInternalError, &["it said no"]);
    fails(memory::free(on_device), Code::ParamInvalid, &["not a live allocation"]);
    fails(memory::free(pinned), Code::ParamInvalid, &["page-locked", "aclrtFreeHost"]);
    memory::free_host(pinned).unwrap();
    fails(memory::free_host(pinned), Code::ParamInvalid, &["not a live allocation"]);
}

#[test]
fn a_record_that_fails_records_nothing() {
    let bench = Bench::new();
    let event = event::create_plain().unwrap();
    bench.script.fail_next("record", FaultKind::Driver, "no");
    fails(event::record(event, 0), Code::DrvInternalError, &["no"]);
    assert!(!event::is_complete(event).unwrap());
    let result = event::elapsed_ms(event, event);
    fails(result, Code::EventTimestampInvalid, &["startEvent", "never recorded"]);
    event::record(event, 0).unwrap();
    fails(event::elapsed_ms(event, event), Code::EventTimestampReversal, &["1500 us"]);
}
