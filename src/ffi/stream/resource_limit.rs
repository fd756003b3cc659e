//! Limits of cores for devices, streams and threads.

use std::mem::MaybeUninit;

use crate::core::stream::resource_limit::{self, Resource};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, enum_value, handle};
use crate::ffi::types::{aclError, aclrtDevResLimitType, aclrtStream};

/// Tells how many cores of a type work on a device may use: what aclrtSetDeviceResLimit has set, and at most
/// what the device has (ACL_DEV_ATTR_CUBE_CORE_NUM and ACL_DEV_ATTR_VECTOR_CORE_NUM of aclrtGetDeviceInfo).
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value receives the number of cores.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another type; ACL_ERROR_RT_INVALID_DEVICEID
/// 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does
/// not answer. Thread-safe. Follows aclrtGetDeviceResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceResLimit(
    deviceId: i32,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard("aclrtGetDeviceResLimit", || {
        let out = Out::new("value", value)?;
        let resource = Resource::from_number(enum_value(r#type))?;
        out.write(resource_limit::of_device(deviceId, resource)?);
        Ok(())
    })
}

/// Sets how many cores of a type work on a device may use. The number is kept, for those who choose the blocks
/// of a kernel by it, and holds no work back. It belongs to the process, and stays until
/// aclrtResetDeviceResLimit or aclFinalize, also through resets of the device.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value cores, at least 1; more than there are limit nothing.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another type, or `value` is 0;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
/// host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows
/// aclrtSetDeviceResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceResLimit(
    deviceId: i32,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: u32,
) -> aclError {
    guard("aclrtSetDeviceResLimit", || {
        let resource = Resource::from_number(enum_value(r#type))?;
        resource_limit::set_of_device(deviceId, resource, value)
    })
}

/// Takes back aclrtSetDeviceResLimit, for both types.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @return ACL_SUCCESS, also without a limit; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after
/// aclFinalize. Thread-safe. Follows aclrtResetDeviceResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDeviceResLimit(deviceId: i32) -> aclError {
    guard("aclrtResetDeviceResLimit", || resource_limit::reset_of_device(deviceId))
}

/// Tells how many cores of a type a stream's work may use: its own limit of aclrtSetStreamResLimit, else its
/// device's of aclrtSetDeviceResLimit, and at most what the device has.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value receives the number of cores.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or another type;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
/// another device than the current context. Thread-safe. Follows aclrtGetStreamResLimit of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamResLimit(
    stream: aclrtStream,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard("aclrtGetStreamResLimit", || {
        let out = Out::new("value", value)?;
        let resource = Resource::from_number(enum_value(r#type))?;
        out.write(resource_limit::of_stream(handle::from_c(stream), resource)?);
        Ok(())
    })
}

/// Sets how many cores of a type a stream's work may use. The number is kept and holds no work back; it goes
/// with the stream.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value cores, at least 1; more than there are limit nothing.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another type, or `value` is 0;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
/// another device than the current context. Thread-safe. Follows aclrtSetStreamResLimit of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamResLimit(
    stream: aclrtStream,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: u32,
) -> aclError {
    guard("aclrtSetStreamResLimit", || {
        let resource = Resource::from_number(enum_value(r#type))?;
        resource_limit::set_of_stream(handle::from_c(stream), resource, value)
    })
}

/// Takes back aclrtSetStreamResLimit, for both types.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS, also without a limit; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or
/// called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtResetStreamResLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetStreamResLimit(stream: aclrtStream) -> aclError {
    guard("aclrtResetStreamResLimit", || resource_limit::reset_of_stream(handle::from_c(stream)))
}

/// Makes aclrtGetResInCurrentThread give a stream's limits in this thread, instead of another stream's that it
/// used before. Ends with the stream.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
/// stream is on another device than the current context. Thread-safe. Follows aclrtUseStreamResInCurrentThread
/// of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUseStreamResInCurrentThread(stream: aclrtStream) -> aclError {
    guard("aclrtUseStreamResInCurrentThread", || {
        resource_limit::use_in_thread(handle::from_c(stream))
    })
}

/// Takes back aclrtUseStreamResInCurrentThread.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS, also if this thread uses another stream's limits, which stay, or none's;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
/// another device than the current context. Thread-safe. Follows aclrtUnuseStreamResInCurrentThread of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnuseStreamResInCurrentThread(stream: aclrtStream) -> aclError {
    guard("aclrtUnuseStreamResInCurrentThread", || {
        resource_limit::unuse_in_thread(handle::from_c(stream))
    })
}

/// Tells how many cores of a type work of this thread may use: the limit of the stream that the thread uses
/// (aclrtUseStreamResInCurrentThread), if that is on the current device and has one, else that of the current
/// device, and at most what the device has. A few nanoseconds: libraries ask before every launch.
///
/// @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// @param value receives the number of cores.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another type; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe.
/// Follows aclrtGetResInCurrentThread of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetResInCurrentThread(
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard("aclrtGetResInCurrentThread", || {
        let out = Out::new("value", value)?;
        let resource = Resource::from_number(enum_value(r#type))?;
        out.write(resource_limit::in_thread(resource)?);
        Ok(())
    })
}
