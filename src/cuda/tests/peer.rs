//! Tests of direct access to another device's memory: when the driver gets the calls.

use super::{Setup, calls, fail, has_two_devices, open};
use crate::backend::{
    Block, Calls, Element, FaultKind, Fill, PagePolicy, Place, Reduce, ReduceOp, Span, StreamOptions, Wait,
};

/// Returns the numbers of calls that enabled and disabled it since the beginning.
fn switches() -> (u64, u64) {
    let count = |name| calls(name).unwrap_or(0);
    (count("cuCtxEnablePeerAccess"), count("cuCtxDisablePeerAccess"))
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn peer_access_reaches_the_driver_while_both_devices_are_open() {
    let setup = Setup::new();
    if !has_two_devices(&setup) || fail("").is_none() {
        return;
    }
    let driver = &setup.driver;
    assert!(driver.can_access_peer(0, 1).unwrap());
    let (on, off) = switches();
    // The second device has no context yet.
    driver.set_peer_access(0, 1, true).unwrap();
    assert_eq!(switches(), (on, off));
    let other = driver.open(1).unwrap();
    assert_eq!(switches(), (on + 1, off));
    driver.set_peer_access(0, 1, true).unwrap();
    assert_eq!(switches(), (on + 1, off), "repeated");
    driver.set_peer_access(1, 0, true).unwrap();
    assert_eq!(switches(), (on + 2, off));
    driver.set_peer_access(0, 1, false).unwrap();
    driver.set_peer_access(0, 1, false).unwrap();
    assert_eq!(switches(), (on + 2, off + 1));
    // The other direction ends with its device, and opening the device again does not restore it.
    other.close().unwrap();
    assert_eq!(switches(), (on + 2, off + 2));
    driver.open(1).unwrap().close().unwrap();
    assert_eq!(switches(), (on + 2, off + 2));
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn what_another_library_has_switched_is_no_failure() {
    let setup = Setup::new();
    if !has_two_devices(&setup) || fail("cuCtxEnablePeerAccess:1:704").is_none() {
        return;
    }
    let other = setup.driver.open(1).unwrap();
    setup.driver.set_peer_access(0, 1, true).unwrap();
    fail("cuCtxDisablePeerAccess:1:705").unwrap();
    setup.driver.set_peer_access(0, 1, false).unwrap();
    // Any other status is a failure, and the access that it was about does not exist.
    fail("cuCtxEnablePeerAccess:1:217").unwrap();
    let fault = setup.driver.set_peer_access(0, 1, true).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::Driver);
    assert!(fault.text().contains("217"), "{}", fault.text());
    setup.driver.set_peer_access(0, 1, true).unwrap();
    fail("").unwrap();
    other.close().unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_device_that_cannot_have_what_was_wanted_is_not_opened() {
    let setup = Setup::new();
    if !has_two_devices(&setup) || fail("cuCtxEnablePeerAccess:1:217").is_none() {
        return;
    }
    setup.driver.set_peer_access(0, 1, true).unwrap();
    let fault = setup.driver.open(1).err().unwrap();
    assert!(fault.text().contains("217"), "{}", fault.text());
    fail("").unwrap();
    setup.driver.open(1).unwrap().close().unwrap();
}

/// Checks that a kernel of one device reads mapped memory of another one: memory from before and after the access was
/// enabled, and from before the reading device was opened.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn kernels_reach_mapped_memory_of_a_peer() {
    let setup = Setup::new();
    if !has_two_devices(&setup) {
        return;
    }
    let driver = &setup.driver;
    let other = driver.open(1).unwrap();
    let alloc = || other.alloc(4, PagePolicy::HugeOnly).unwrap();
    let (stream, sum) = (setup.stream(), setup.on_device(4));
    let reads = |block: Block| {
        let span = Span { addr: block.addr, len: 4, place: Place::Device(1) };
        setup.write(&sum, &7i32.to_ne_bytes());
        let own = other.create_stream(StreamOptions::default()).unwrap();
        own.fill(Fill::bytes(span, 1)).unwrap();
        assert_eq!(own.synchronize(None).unwrap(), Wait::Done);
        stream.reduce(Reduce { dst: sum.span(), src: span, op: ReduceOp::Sum, element: Element::Int32 }).unwrap();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        assert_eq!(setup.read(&sum), (7 + 0x0101_0101i32).to_ne_bytes());
    };
    let before = alloc();
    driver.set_peer_access(0, 1, true).unwrap();
    reads(before);
    let after = alloc();
    reads(after);
    driver.set_peer_access(0, 1, false).unwrap();
    driver.set_peer_access(0, 1, true).unwrap();
    [before, after].into_iter().for_each(reads);
    [before, after].into_iter().for_each(|block| other.free(block).unwrap());
    // Freed memory has no access that could change.
    driver.set_peer_access(0, 1, false).unwrap();
    other.close().unwrap();
    // Access that was requested before the device was opened reaches its memory, too.
    driver.set_peer_access(0, 1, true).unwrap();
    let other = driver.open(1).unwrap();
    let block = other.alloc(4, PagePolicy::HugeOnly).unwrap();
    let span = Span { addr: block.addr, len: 4, place: Place::Device(1) };
    stream.reduce(Reduce { dst: sum.span(), src: span, op: ReduceOp::Sum, element: Element::Int32 }).unwrap();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    other.free(block).unwrap();
    other.close().unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn chosen_devices_are_counted_in_their_order() {
    let setup = Setup::new();
    let count = setup.driver.device_count();
    if count < 2 {
        println!("skipped: one device only");
        return;
    }
    drop(setup);
    let all = open().unwrap();
    let chosen = crate::runtime::driver::open_chosen(|count| (0..count).rev().collect()).unwrap();
    assert_eq!(chosen.device_count(), count);
    for ordinal in 0..count {
        let (here, there) = (chosen.describe(ordinal).unwrap(), all.describe(count - 1 - ordinal).unwrap());
        assert_eq!((here.uuid, here.pci), (there.uuid, there.pci));
    }
    assert_eq!(crate::runtime::driver::open_chosen(|_| Vec::new()).unwrap().device_count(), 0);
}
