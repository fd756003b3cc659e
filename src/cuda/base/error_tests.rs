use super::*;

fn failure(status: c_int) -> Failure {
    Failure::Status { call: "cuTest", status, words: Words::NONE }
}

#[test]
fn kinds_follow_the_status() {
    let kind = |status| Fault::from(failure(status)).kind();
    assert_eq!(kind(2), FaultKind::OutOfDeviceMemory);
    assert_eq!(failure(2).fault(FaultKind::OutOfHostMemory).kind(), FaultKind::OutOfHostMemory);
    assert_eq!(kind(100), FaultKind::NoDevice);
    assert_eq!(kind(801), FaultKind::Unsupported);
    assert_eq!(kind(500), FaultKind::InvalidArgument);
    assert_eq!(kind(712), FaultKind::AlreadyRegistered);
    assert_eq!(kind(700), FaultKind::Execution);
    assert_eq!(kind(719), FaultKind::Execution);
    assert_eq!(kind(1), FaultKind::Driver);
    assert_eq!(kind(123_456), FaultKind::Driver);
}

#[test]
fn only_a_lost_context_is_sticky() {
    assert!(failure(700).is_sticky() && failure(717).is_sticky());
    assert!(!failure(2).is_sticky() && !failure(600).is_sticky() && !failure(701).is_sticky());
    assert!(!Failure::Missing { call: "cuTest", version: 12_040 }.is_sticky());
}

#[test]
fn texts_name_call_status_and_version() {
    assert_eq!(Fault::from(failure(999)).text(), "cuTest gave 999");
    let missing = Fault::from(Failure::Missing { call: "cuTest", version: 12_040 });
    assert_eq!(missing.kind(), FaultKind::Unsupported);
    assert!(missing.text().contains("12.4") && missing.text().contains("cuTest"), "{missing:?}");
}
