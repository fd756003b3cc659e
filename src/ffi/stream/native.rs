//! The driver's objects, for programs that also call the CUDA driver or libraries on top of it.

use std::ffi::c_void;

use crate::base::{address, guard_out, handle};
use crate::core::stream::native;
use crate::types::{aclError, aclrtContext, aclrtEvent, aclrtStream};

/// Returns the CUDA driver's device number, a `CUdevice`.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param native receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `native` is null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetNative(deviceId: i32, native: *mut i32) -> aclError {
    guard_out("portaclDeviceGetNative", "native", native, || native::device(deviceId))
}

/// Returns the CUDA driver's context, a `CUcontext`: the primary context of the context's device, which all contexts of
/// the device share. The library keeps ownership: the caller may make it current, and must not release it. Valid until
/// the device is reset.
///
/// @param context a context; null: the current context of the calling thread.
/// @param native receives the `CUcontext`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `native` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `context` is not a live context.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: it is null and the thread has no current context.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclContextGetNative(context: aclrtContext, native: *mut *mut c_void) -> aclError {
    guard_out("portaclContextGetNative", "native", native, || {
        Ok(address::to_c(native::context(handle::from_c(context))?))
    })
}

/// Returns the CUDA driver's stream, a `CUstream`. The caller may submit its own work to it: the work of both sides
/// runs in the order of submission, and synchronizing or querying the stream here includes it. The library keeps
/// ownership: the caller must not destroy the stream. Valid until aclrtDestroyStream. From this call on, every query of
/// the stream calls the driver, also where the library would know the result.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param native receives the `CUstream`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `native` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `stream` is not a live stream, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclStreamGetNative(stream: aclrtStream, native: *mut *mut c_void) -> aclError {
    guard_out("portaclStreamGetNative", "native", native, || Ok(address::to_c(native::stream(handle::from_c(stream))?)))
}

/// Creates a stream for a stream of the CUDA driver, for example one of another library. The work of both sides runs in
/// the order of submission. aclrtDestroyStream, and a reset of the device, destroy the stream created here and leave
/// the driver's stream alone; the caller destroys that one afterwards.
///
/// @param native a `CUstream` of the primary context of the current device; not one of the driver's default streams. It
///     must be live: the library cannot detect an invalid one.
/// @param stream receives the stream, which belongs to the calling thread's current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `stream` is null, or `native` is null or another default stream.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more streams.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, or the driver is too old.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses, or the stream belongs to another context.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclStreamWrapNative(native: *mut c_void, stream: *mut aclrtStream) -> aclError {
    guard_out("portaclStreamWrapNative", "stream", stream, || {
        Ok(handle::to_c(native::wrap_stream(address::from_c(native))?))
    })
}

/// Returns the CUDA driver's event, a `CUevent`, for the driver's functions that query or wait for events. The library
/// keeps ownership: record it with aclrtRecordEvent only, otherwise calls here do not know of the record, and do not
/// destroy it. Valid until aclrtDestroyEvent.
///
/// @param event an event.
/// @param native receives the `CUevent`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `event` or `native` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `event` is not a live event.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it, or the event
///     has ACL_EVENT_IPC.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclEventGetNative(event: aclrtEvent, native: *mut *mut c_void) -> aclError {
    guard_out("portaclEventGetNative", "native", native, || Ok(address::to_c(native::event(handle::from_c(event))?)))
}
