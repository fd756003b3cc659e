//! Access of devices to each other's memory.

use crate::base::{guard, guard_out};
use crate::core::memory::peer;
use crate::types::aclError;

/// Returns whether a device can access the memory on another device directly. CPU devices always can. Copies between
/// devices work in any case.
///
/// @param canAccessPeer receives 1 or 0.
/// @param deviceId the accessing device; it need not be set.
/// @param peerDeviceId the device that has the memory, different from `deviceId`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or both devices are the same.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtDeviceCanAccessPeer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceCanAccessPeer(
    canAccessPeer: *mut i32,
    deviceId: i32,
    peerDeviceId: i32,
) -> aclError {
    guard_out("aclrtDeviceCanAccessPeer", "canAccessPeer", canAccessPeer, || {
        Ok(peer::can_access(deviceId, peerDeviceId)?.into())
    })
}

/// Enables direct access of the current device to the memory of a peer: in this direction, for all threads and streams,
/// until aclrtDeviceDisablePeerAccess or until one of the two devices is reset. A repeated call has no effect. The peer
/// need not be set. Copies between devices work without it; on GPUs they are faster with it, and kernels need it.
///
/// @param peerDeviceId a device other than the current one.
/// @param flags must be 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `flags` is not 0.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the current device itself, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices do not support it (aclrtDeviceCanAccessPeer returns 0).
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtDeviceEnablePeerAccess of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32) -> aclError {
    guard("aclrtDeviceEnablePeerAccess", || peer::enable(peerDeviceId, flags))
}

/// Disables peer access of the current device (aclrtDeviceEnablePeerAccess). No effect if it is not enabled.
///
/// @param peerDeviceId a device other than the current one.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the current device itself, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtDeviceDisablePeerAccess of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceDisablePeerAccess(peerDeviceId: i32) -> aclError {
    guard("aclrtDeviceDisablePeerAccess", || peer::disable(peerDeviceId))
}

/// Returns whether peer access (aclrtDeviceEnablePeerAccess) is enabled from one device to another.
///
/// @param deviceId the accessing device; a device that is not set has no access.
/// @param peerDeviceId the device that has the memory, different from `deviceId`.
/// @param status receives 1 or 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or both devices are the same.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtDevicePeerAccessStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDevicePeerAccessStatus(deviceId: i32, peerDeviceId: i32, status: *mut i32) -> aclError {
    guard_out("aclrtDevicePeerAccessStatus", "status", status, || Ok(peer::is_enabled(deviceId, peerDeviceId)?.into()))
}
