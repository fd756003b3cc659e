//! Access of devices to each other's memory.

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::aclError;

/// Tells whether one device can use another's memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceCanAccessPeer(
    canAccessPeer: *mut i32,
    deviceId: i32,
    peerDeviceId: i32,
) -> aclError {
    guard_unsupported(
        "aclrtDeviceCanAccessPeer",
        "peer access is not switched; copies between devices work without it",
    )
}

/// Lets the current device use a peer's memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32) -> aclError {
    guard_unsupported(
        "aclrtDeviceEnablePeerAccess",
        "peer access is not switched; copies between devices work without it",
    )
}

/// Takes back aclrtDeviceEnablePeerAccess.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceDisablePeerAccess(peerDeviceId: i32) -> aclError {
    guard_unsupported(
        "aclrtDeviceDisablePeerAccess",
        "peer access is not switched; copies between devices work without it",
    )
}

/// Tells whether one device may use another's memory at the moment.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDevicePeerAccessStatus(
    deviceId: i32,
    peerDeviceId: i32,
    status: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtDevicePeerAccessStatus",
        "peer access is not switched; copies between devices work without it",
    )
}
