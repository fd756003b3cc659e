//! Core limits of devices, streams and threads.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_out, handle};
use crate::core::base::error::Result;
use crate::core::stream::resource_limit::{self, Resource};
use crate::types::{aclError, aclrtDevResLimitType, aclrtStream};

/// The resource that C names.
fn resource(r#type: MaybeUninit<aclrtDevResLimitType>) -> Result<Resource> {
    Resource::from_number(enum_value(r#type))
}

/// Returns how many cores of a type work on a device may use: the limit of aclrtSetDeviceResLimit, but at most the
/// number of cores of the device (ACL_DEV_ATTR_CUBE_CORE_NUM and ACL_DEV_ATTR_VECTOR_CORE_NUM of aclrtGetDeviceInfo).
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value receives the number of cores.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown type.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does not respond.
/// @note Thread-safe. Follows aclrtGetDeviceResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceResLimit(
    deviceId: i32,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard_out("aclrtGetDeviceResLimit", "value", value, || resource_limit::of_device(deviceId, resource(r#type)?))
}

/// Sets how many cores of a type work on a device may use. The limit is stored, for code that chooses the number of
/// blocks of a kernel by it, and does not limit work. It belongs to the process, and stays until
/// aclrtResetDeviceResLimit or aclFinalize, also through device resets.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value cores, at least 1; more cores than the device has mean no limit.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown type, or `value` is 0.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtSetDeviceResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceResLimit(
    deviceId: i32,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: u32,
) -> aclError {
    guard("aclrtSetDeviceResLimit", || resource_limit::set_of_device(deviceId, Some((resource(r#type)?, value))))
}

/// Removes the limits of aclrtSetDeviceResLimit, for both types.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @retval ACL_SUCCESS 0: also without a limit
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtResetDeviceResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDeviceResLimit(deviceId: i32) -> aclError {
    guard("aclrtResetDeviceResLimit", || resource_limit::set_of_device(deviceId, None))
}

/// Returns how many cores of a type a stream's work may use: the limit of aclrtSetStreamResLimit, or else the limit of
/// its device (aclrtSetDeviceResLimit), but at most the number of cores of the device.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value receives the number of cores.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or an unknown type.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtGetStreamResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamResLimit(
    stream: aclrtStream,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard_out("aclrtGetStreamResLimit", "value", value, || {
        resource_limit::of_stream(handle::from_c(stream), resource(r#type)?)
    })
}

/// Sets how many cores of a type a stream's work may use. The limit is stored and does not limit work; it ends with the
/// stream.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value cores, at least 1; more cores than the device has mean no limit.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown type, or `value` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtSetStreamResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamResLimit(
    stream: aclrtStream,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: u32,
) -> aclError {
    guard("aclrtSetStreamResLimit", || {
        resource_limit::set_of_stream(handle::from_c(stream), Some((resource(r#type)?, value)))
    })
}

/// Removes the limits of aclrtSetStreamResLimit, for both types.
///
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: also without a limit
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtResetStreamResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetStreamResLimit(stream: aclrtStream) -> aclError {
    guard("aclrtResetStreamResLimit", || resource_limit::set_of_stream(handle::from_c(stream), None))
}

/// Makes aclrtGetResInCurrentThread return a stream's limits on this thread. Replaces the stream of an earlier call.
/// Ends with the stream.
///
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtUseStreamResInCurrentThread of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUseStreamResInCurrentThread(stream: aclrtStream) -> aclError {
    guard("aclrtUseStreamResInCurrentThread", || resource_limit::use_in_thread(handle::from_c(stream)))
}

/// Ends aclrtUseStreamResInCurrentThread.
///
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: also if this thread uses no stream's limits, or another stream's, which then stay in use
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtUnuseStreamResInCurrentThread of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnuseStreamResInCurrentThread(stream: aclrtStream) -> aclError {
    guard("aclrtUnuseStreamResInCurrentThread", || resource_limit::unuse_in_thread(handle::from_c(stream)))
}

/// Returns how many cores of a type work of this thread may use: the limit of the stream of
/// aclrtUseStreamResInCurrentThread, if it is on the current device and has a limit, or else the limit of the current
/// device, but at most the number of cores of the device. Takes a few nanoseconds, because libraries call it before
/// every launch.
///
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value receives the number of cores.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown type.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtGetResInCurrentThread of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetResInCurrentThread(
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard_out("aclrtGetResInCurrentThread", "value", value, || resource_limit::in_thread(resource(r#type)?))
}
