//! The driver's own objects, for programs that call the CUDA driver or libraries over it as well.

use std::ffi::c_void;

use crate::core::stream::native;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, handle};
use crate::ffi::types::{aclError, aclrtContext, aclrtEvent, aclrtStream};

/// Gives the CUDA driver's own number of a device, a `CUdevice`.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param native receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no
/// such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the
/// backend is `cpu`, which has no driver below it. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetNative(deviceId: i32, native: *mut i32) -> aclError {
    guard("portaclDeviceGetNative", || {
        let out = Out::new("native", native)?;
        out.write(native::device(deviceId)?);
        Ok(())
    })
}

/// Gives the CUDA driver's own context, a `CUcontext`: the primary context of the context's device, which all
/// contexts of a device share. It stays the library's: the caller makes it current where it likes, and does not
/// release it. Valid until the device is reset.
///
/// @param context a context; null: the calling thread's current one.
/// @param native receives the `CUcontext`.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` is null; ACL_ERROR_RT_PARAM_INVALID 107000: `context`
/// is no live context; ACL_ERROR_RT_CONTEXT_NULL 107002: it is null and the thread has none;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclContextGetNative(
    context: aclrtContext,
    native: *mut *mut c_void,
) -> aclError {
    guard("portaclContextGetNative", || {
        let out = Out::new("native", native)?;
        out.write(address::to_c(native::context(handle::from_c(context))?));
        Ok(())
    })
}

/// Gives the CUDA driver's own stream, a `CUstream`, which the caller may give work of its own: it runs in the
/// order in which both sides queue, and synchronising or querying the stream here waits for it and sees it. The
/// stream stays the library's: it is not to be destroyed. Valid until aclrtDestroyStream. From then on every
/// query asks the driver, which costs a driver call where the library would know the answer.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param native receives the `CUstream`.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` is null; ACL_ERROR_RT_PARAM_INVALID 107000: `stream`
/// is no live stream, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclStreamGetNative(
    stream: aclrtStream,
    native: *mut *mut c_void,
) -> aclError {
    guard("portaclStreamGetNative", || {
        let out = Out::new("native", native)?;
        out.write(address::to_c(native::stream(handle::from_c(stream))?));
        Ok(())
    })
}

/// Makes a stream around one of the CUDA driver's: from another library, say. What both sides queue runs in the
/// order in which it is queued. aclrtDestroyStream, and a reset of the device, end the stream made here and leave
/// the driver's alone; the caller destroys that one after it.
///
/// @param native a `CUstream` of the primary context of the current device; not the driver's default streams. It
/// has to be live: what is no stream of the driver cannot be told from one.
/// @param stream receives the stream, which belongs to the calling thread's current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` or `stream` is null; ACL_ERROR_RT_CONTEXT_NULL 107002:
/// the thread has no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
/// ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more streams; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is
/// `cpu`, or the driver is too old; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses, or the stream is of
/// another context. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclStreamWrapNative(
    native: *mut c_void,
    stream: *mut aclrtStream,
) -> aclError {
    guard("portaclStreamWrapNative", || {
        let out = Out::new("stream", stream)?;
        out.write(handle::to_c(native::wrap_stream(address::from_c(native))?));
        Ok(())
    })
}

/// Gives the CUDA driver's own event, a `CUevent`, for the driver's functions that query or wait for events. It
/// stays the library's: it is recorded by aclrtRecordEvent, or calls here do not know of the record, and it is not
/// to be destroyed. Valid until aclrtDestroyEvent.
///
/// @param event an event.
/// @param native receives the `CUevent`.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` or `native` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// `event` is no live event; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below
/// it. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclEventGetNative(
    event: aclrtEvent,
    native: *mut *mut c_void,
) -> aclError {
    guard("portaclEventGetNative", || {
        let out = Out::new("native", native)?;
        out.write(address::to_c(native::event(handle::from_c(event))?));
        Ok(())
    })
}
