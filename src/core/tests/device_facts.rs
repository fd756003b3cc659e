//! Queries of devices, and peer access, that the backend rejects.

use super::*;
use crate::backend::FaultKind;
use crate::memory::peer;
use crate::runtime::device_info;

#[test]
fn facts_that_could_not_be_had_are_asked_for_again_and_then_kept() {
    let bench = Bench::new();
    bench.script.fail_next("describe", FaultKind::Driver, "no answer");
    fails(device_info::number(1, 101), Code::DrvInternalError, &["no answer"]);
    assert_eq!(device_info::number(1, 101).unwrap(), 1);
    assert_eq!(device_info::number(1, 201).unwrap(), 2);
    // The result is cached.
    bench.script.fail_next("describe", FaultKind::Driver, "asked again");
    assert_eq!(device_info::number(1, 301).unwrap(), script::DEVICE_MEMORY as i64);
    fails(device_info::number(0, 101), Code::DrvInternalError, &["asked again"]);
}

#[test]
fn what_the_driver_does_not_know_is_not_supported() {
    let _bench = Bench::new();
    fails(device_info::uuid(0), Code::FeatureNotSupport, &["device 0", "aclrtDeviceGetPCIBusId"]);
    fails(device_info::pci_address(1), Code::FeatureNotSupport, &["device 1"]);
    fails(device_info::at_pci_address("0000:00:00.0"), Code::InvalidDeviceId, &["no device here is at"]);
}

#[test]
fn how_busy_a_device_is_may_be_refused() {
    let bench = Bench::new();
    assert_eq!(device_info::utilization(0).unwrap().0, 50);
    bench.script.fail_next("utilization", FaultKind::Unsupported, "not here; ask NVML");
    fails(device_info::utilization(0), Code::FeatureNotSupport, &["ask NVML"]);
    bench.script.fail_for_good(0, "lost");
    fails(device_info::utilization(0), Code::AicoreException, &["lost"]);
}

#[test]
fn peer_access_that_is_refused_is_not_there() {
    let bench = Bench::new();
    let refuse = |call| bench.script.fail_next(call, FaultKind::Driver, "refused");
    refuse("can_access_peer");
    fails(peer::can_access(0, 1), Code::DrvInternalError, &["refused"]);
    refuse("can_access_peer");
    fails(peer::enable(1, 0), Code::DrvInternalError, &["refused"]);
    refuse("set_peer_access");
    fails(peer::enable(1, 0), Code::DrvInternalError, &["refused"]);
    assert!(!peer::is_enabled(0, 1).unwrap());
    peer::enable(1, 0).unwrap();
    // Repeating it calls no backend.
    refuse("set_peer_access");
    peer::enable(1, 0).unwrap();
    fails(peer::disable(1), Code::DrvInternalError, &["refused"]);
    assert!(peer::is_enabled(0, 1).unwrap(), "it stays on");
    peer::disable(1).unwrap();
    assert!(!peer::is_enabled(0, 1).unwrap());
}
