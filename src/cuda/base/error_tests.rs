use cudarc::driver::sys::CUresult;

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

/// The errors after which the process cannot use the driver any more, as NVIDIA documents them.
const DOCUMENTED: &str = include_str!("final_errors.tsv");

/// Errors that are final although the documentation does not say so: the context is destroyed, or memory or a link has
/// an uncorrectable error.
const OTHERS: [CUresult; 3] = [
    CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
    CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
];

#[test]
fn only_final_errors_are_sticky() {
    let rows = DOCUMENTED.lines().filter(|line| !line.starts_with('#'));
    let documented = rows.map(|row| row.split('\t').next().and_then(|number| number.parse().ok()).expect("a number"));
    let mut wanted: Vec<c_int> = documented.chain(OTHERS.map(|error| error as c_int)).collect();
    assert!(wanted.len() > OTHERS.len());
    wanted.sort_unstable();
    let sticky: Vec<c_int> = (0..10_000).filter(|&status| failure(status).is_sticky()).collect();
    assert_eq!(sticky, wanted);
    assert!(!Failure::Missing { call: "cuTest", version: 12_040 }.is_sticky());
}

#[test]
fn texts_name_call_status_and_version() {
    assert_eq!(Fault::from(failure(999)).text(), "cuTest returned 999");
    let missing = Fault::from(Failure::Missing { call: "cuTest", version: 12_040 });
    assert_eq!(missing.kind(), FaultKind::Unsupported);
    assert!(missing.text().contains("12.4") && missing.text().contains("cuTest"), "{missing:?}");
}
