//! Registered and managed memory over a driver that fails, blocks, and has other device addresses.

use super::script::{DEVICE_OFFSET, STALE, Thing};
use super::*;
use crate::backend::{FaultKind, MemoryPlace};
use crate::memory::access::Location;
use crate::memory::{host_register, managed_memory};

/// Addresses without memory; nothing here reads or writes them.
const HOST: usize = 0x2000_0000_0000;
const PINNED: u32 = 0x1000_0000;
const MAPPED: u32 = 0x2;
const HUGE: usize = 2 << 20;

fn location(addr: usize) -> Location {
    memory::pointer_attributes(addr).unwrap().location
}

#[test]
fn devices_have_addresses_of_their_own() {
    let bench = Bench::new();
    assert_eq!(host_register::register(HOST, 8192, 0).unwrap(), HOST + DEVICE_OFFSET);
    assert_eq!(host_register::device_pointer(HOST + 77, 0).unwrap(), HOST + 77 + DEVICE_OFFSET);
    assert_eq!(bench.script.live(Thing::Registration), 1);
    host_register::unregister(HOST).unwrap();
    assert_eq!(bench.script.live(Thing::Registration), 0);
    host_register::register_with_flags(HOST, 4096, PINNED).unwrap();
    fails(host_register::device_pointer(HOST, 0), Code::ParamInvalid, &["ACL_HOST_REG_MAPPED"]);
    host_register::register_with_flags(HOST + 4096, 1, PINNED | MAPPED).unwrap();
    let result = host_register::device_pointer(HOST + 4096, 0).unwrap();
    assert_eq!(result, HOST + 4096 + DEVICE_OFFSET);
}

#[test]
fn freed_memory_of_the_library_is_not_registered() {
    let bench = Bench::new();
    for (addr, len) in [(STALE, 1), (STALE, 9 * HUGE), (STALE - 4096, 4097)] {
        fails(host_register::register(addr, len as u64, 0), Code::ParamInvalid, &["was freed"]);
    }
    // This is also true if both ends belong to other allocations.
    for (before, after) in [(4096, 4096), (HUGE, HUGE), (5 * HUGE + 8192, 3 * HUGE + 1)] {
        let registered = host_register::register(STALE - before, (before + after) as u64, 0);
        fails(registered, Code::ParamInvalid, &["0x3fff00000000", "was freed"]);
    }
    assert_eq!(bench.script.live(Thing::Registration), 0);
    host_register::register(STALE - HUGE, HUGE as u64, 0).unwrap();
}

#[test]
fn what_the_driver_refuses_is_not_registered() {
    let bench = Bench::new();
    for (kind, code) in [
        (FaultKind::OutOfHostMemory, Code::BadAlloc),
        (FaultKind::AlreadyRegistered, Code::HostMemoryAlreadyRegistered),
        (FaultKind::Unsupported, Code::FeatureNotSupport),
        (FaultKind::Driver, Code::DrvInternalError),
    ] {
        bench.script.fail_next("register_host", kind, "not this one");
        fails(host_register::register(HOST, 4096, 0), code, &["not this one"]);
        assert_eq!(location(HOST), Location::UNREGISTERED);
        fails(host_register::unregister(HOST), Code::HostMemoryNotRegistered, &["not registered"]);
    }
    host_register::register(HOST, 4096, 0).unwrap();
    bench.script.fail_next("unregister_host", FaultKind::Driver, "it said no");
    fails(host_register::unregister(HOST), Code::DrvInternalError, &["it said no"]);
    fails(host_register::unregister(HOST), Code::HostMemoryNotRegistered, &["not registered"]);
    // The rest ends with the session, when the bench is dropped.
    host_register::register_with_flags(HOST, 4096, PINNED).unwrap();
}

/// The driver may take long over many pages. Until then the memory is pageable host memory, and cannot be registered
/// again.
#[test]
fn memory_that_is_being_registered_is_ordinary_memory() {
    let bench = Bench::new();
    let device = memory::malloc(4096, 0).unwrap();
    bench.script.close_gate("register_host");
    let first = on_device(0, || host_register::register_with_flags(HOST, 8192, PINNED));
    wait_until("the driver", || bench.script.at_gate() == 1);
    for addr in [HOST, HOST + 4096] {
        let result = host_register::register(addr, 4096, 0);
        fails(result, Code::HostMemoryAlreadyRegistered, &["registered already"]);
    }
    fails(host_register::unregister(HOST), Code::HostMemoryNotRegistered, &[]);
    fails(host_register::device_pointer(HOST, 0), Code::HostMemoryNotRegistered, &[]);
    assert_eq!(location(HOST), Location::UNREGISTERED);
    fails(memory::address_range(HOST), Code::ParamInvalid, &["not in a live allocation"]);
    let copy = memcpy::CopyArgs { dst: device, dest_max: 4096, src: HOST, count: 4096, kind: 1 };
    memcpy::copy(copy).unwrap();
    bench.script.open_gate();
    first.join().unwrap();
    assert_eq!(location(HOST), MemoryPlace::Host(None).into());
    host_register::unregister(HOST).unwrap();
}

#[test]
fn finalize_removes_registrations_and_waits_for_one_in_progress() {
    let mut bench = Bench::new();
    host_register::register(HOST, 4096, 0).unwrap();
    bench.script.close_gate("register_host");
    let late = on_device(1, || host_register::register(HOST + 4096, 4096, 0));
    wait_until("the driver", || bench.script.at_gate() == 1);
    let (ended, ending) = (bench.script.clone(), Running::start(runtime::finalize));
    ending.assert_blocked();
    assert!(!ended.has_ended());
    ended.open_gate();
    late.join().unwrap();
    ending.join().unwrap();
    ended.assert_nothing_left();
    fails(host_register::unregister(HOST), Code::HostMemoryNotRegistered, &[]);
    fails(host_register::register(HOST, 4096, 0), Code::ContextNull, &["finalized"]);
    bench.next_life();
    fails(host_register::unregister(HOST + 4096), Code::HostMemoryNotRegistered, &[]);
}

#[test]
fn stale_addresses_have_no_owner() {
    let _bench = Bench::new();
    let device = memory::malloc(64, 0).unwrap();
    for (dst, src, name) in [(device, STALE, "src"), (STALE, device, "dst")] {
        let copy = memcpy::CopyArgs { dst, dest_max: 64, src, count: 64, kind: 4 };
        fails(memcpy::copy(copy), Code::ParamInvalid, &[name, "freed"]);
        fails(memcpy::copy_async(copy, 0), Code::ParamInvalid, &[name, "freed"]);
    }
    let fill = memset::FillArgs::bytes(STALE, 64, 1, 64);
    fails(memset::set(fill), Code::ParamInvalid, &["devPtr", "freed"]);
    assert_eq!(location(STALE), Location::UNREGISTERED);
}

#[test]
fn managed_memory_is_every_devices() {
    let bench = Bench::new();
    let addr = managed_memory::alloc(5, 1).unwrap();
    assert_eq!(memory::address_range(addr + 1).unwrap(), (addr, HUGE));
    assert_eq!(location(addr), Location::managed(0));
    on_device(1, move || {
        memset::set_async(memset::FillArgs::bytes(addr, 64, 1, 64), 0).unwrap();
        reduce::reduce_async(addr, addr + 64, 64, 10, 3, 0).unwrap();
    })
    .join();
    bench.script.fail_next("alloc_managed", FaultKind::Unsupported, "no such memory");
    fails(managed_memory::alloc(5, 1), Code::FeatureNotSupport, &["no such memory"]);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 1);
    memory::free(addr).unwrap();
    assert_eq!(bench.script.live(Thing::DeviceBlock), 0);
    fails(memory::free(addr), Code::ParamInvalid, &["not a live allocation"]);
}

/// While another device uses it, its device is not closed.
#[test]
fn a_reset_waits_for_calls_of_other_devices_on_managed_memory() {
    let bench = Bench::new();
    let addr = managed_memory::alloc(5, 1).unwrap();
    bench.script.close_gate("fill");
    let fill = on_device(1, move || {
        memset::set_async(memset::FillArgs::bytes(addr, 64, 1, 64), 0).unwrap();
    });
    wait_until("the fill", || bench.script.at_gate() == 1);
    let reset = on_device(1, || device::reset_force(0).unwrap());
    reset.assert_blocked();
    assert_eq!(bench.script.live(Thing::OpenDevice), 2);
    bench.script.open_gate();
    fill.join();
    reset.join();
    fails(memory::free(addr), Code::ParamInvalid, &["released with its device"]);
}

#[test]
fn advice_that_the_driver_refuses_is_not_remembered() {
    let bench = Bench::new();
    let addr = managed_memory::alloc(5, 1).unwrap();
    let result = |attribute| {
        let question = managed_memory::Question { attribute, room: 4 };
        managed_memory::attributes(&[question], addr, HUGE).unwrap()[0][0]
    };
    let nowhere = managed_memory::ManagedLocation { kind: 0, id: 0 };
    let host = managed_memory::ManagedLocation { kind: 2, id: 0 };
    bench.script.fail_next("advise", FaultKind::Unsupported, "no advice");
    let refused = managed_memory::advise(addr, HUGE as u64, 0, nowhere);
    fails(refused, Code::FeatureNotSupport, &["no advice"]);
    assert_eq!(result(1), 0);
    managed_memory::advise(addr, HUGE as u64, 0, nowhere).unwrap();
    assert_eq!(result(1), 1);
    let to_host = managed_memory::Move { addr, len: HUGE, place: host };
    let names = |_| ("ptr".to_owned(), "location".to_owned());
    bench.script.fail_next("prefetch", FaultKind::Driver, "it stays");
    let refused = managed_memory::prefetch(&[to_host], 0, 0, names);
    fails(refused, Code::DrvInternalError, &["it stays"]);
    assert_eq!(result(6), -2);
    managed_memory::prefetch(&[to_host], 0, 0, names).unwrap();
    assert_eq!(result(6), -1);
}
