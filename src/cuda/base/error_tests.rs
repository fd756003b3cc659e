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

/// The errors after which the context, or the process, cannot be used any more: those of which the documentation of
/// `CUresult` says so ("the process must be terminated and relaunched", "the context cannot be used"), and two that
/// drivers treat alike although it says nothing.
const FINAL: [CUresult; 16] = [
    CUresult::CUDA_ERROR_CONTAINED,
    CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
    CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
    CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUresult::CUDA_ERROR_ASSERT,
    CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
    CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
    CUresult::CUDA_ERROR_INVALID_PC,
    CUresult::CUDA_ERROR_LAUNCH_FAILED,
    CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK,
    CUresult::CUDA_ERROR_MPS_CLIENT_TERMINATED,
    CUresult::CUDA_ERROR_EXTERNAL_DEVICE,
    // Uncorrectable errors of memory and of links, without such a sentence.
    CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
    CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
];

#[test]
fn only_final_errors_are_sticky() {
    let mut wanted = FINAL.map(|error| error as c_int).to_vec();
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
