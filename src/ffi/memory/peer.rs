//! Access of devices to each other's memory.

use crate::core::memory::peer;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::Out;
use crate::ffi::types::aclError;

/// Tells whether one device can use another's memory directly. CPU devices always can. Copies between devices work
/// in any case.
///
/// @param canAccessPeer receives 1 or 0.
/// @param deviceId the device that would use the memory; it need not be set.
/// @param peerDeviceId another device, whose memory it is.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or twice the same device;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
/// host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR
/// 507899: no usable device, or the driver does not answer. Thread-safe. Follows aclrtDeviceCanAccessPeer of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceCanAccessPeer(
    canAccessPeer: *mut i32,
    deviceId: i32,
    peerDeviceId: i32,
) -> aclError {
    guard("aclrtDeviceCanAccessPeer", || {
        let out = Out::new("canAccessPeer", canAccessPeer)?;
        out.write(peer::can_access(deviceId, peerDeviceId)?.into());
        Ok(())
    })
}

/// Lets the current device use a peer's memory directly: in this direction, for all threads and streams, until
/// aclrtDeviceDisablePeerAccess or until one of the two devices is reset. Repeating it changes nothing. The peer need
/// not be set. Copies between devices work without it; on GPUs they are faster with it, and kernels need it.
///
/// @param peerDeviceId another device than the current one.
/// @param flags must be 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `flags` is not 0; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such
/// device; ACL_ERROR_RT_PARAM_INVALID 107000: the current device itself, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices cannot
/// (aclrtDeviceCanAccessPeer gives 0); ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
/// aclrtDeviceEnablePeerAccess of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32) -> aclError {
    guard("aclrtDeviceEnablePeerAccess", || peer::enable(peerDeviceId, flags))
}

/// Takes back aclrtDeviceEnablePeerAccess of the current device. Where there is nothing to take back it changes
/// nothing.
///
/// @param peerDeviceId another device than the current one.
/// @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the
/// current device itself, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows aclrtDeviceDisablePeerAccess of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceDisablePeerAccess(peerDeviceId: i32) -> aclError {
    guard("aclrtDeviceDisablePeerAccess", || peer::disable(peerDeviceId))
}

/// Tells whether aclrtDeviceEnablePeerAccess is in force, from one device to another.
///
/// @param deviceId the device that uses the memory; one that is not set may use none.
/// @param peerDeviceId another device, whose memory it is.
/// @param status receives 1 or 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or twice the same device;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtDevicePeerAccessStatus of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDevicePeerAccessStatus(
    deviceId: i32,
    peerDeviceId: i32,
    status: *mut i32,
) -> aclError {
    guard("aclrtDevicePeerAccessStatus", || {
        let out = Out::new("status", status)?;
        out.write(peer::is_enabled(deviceId, peerDeviceId)?.into());
        Ok(())
    })
}
