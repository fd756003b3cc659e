//! Contexts: a device with a default stream, current on a thread.

use crate::base::{guard, guard_out, handle, must_be_null};
use crate::core::runtime::context;
use crate::core::stream;
use crate::types::{aclError, aclrtContext, aclrtStream};

/// Creates a context of a device with its own default stream, and makes it current on the calling thread. If the device
/// is not open, the call opens it, with its default context; the reference count of the device does not change.
///
/// @param context receives the handle; the caller destroys it with aclrtDestroyContext.
/// @param deviceId 0 to the number of devices minus 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_BAD_ALLOC 200000 or ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused; if the call opens the device, also the other
///     codes of aclrtSetDevice.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function, or another thread resets the
///     device and may wait for callbacks that only the calling thread runs (docs/callbacks.md).
/// @note Thread-safe. Follows aclrtCreateContext of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateContext(context: *mut aclrtContext, deviceId: i32) -> aclError {
    guard_out("aclrtCreateContext", "context", context, || Ok(handle::to_c(context::create(deviceId)?.raw())))
}

/// Waits for the streams of a context, destroys them and the context. Threads whose current context it was have no
/// current context afterwards. Returns the first unreported failure of the streams' work, or an error of the driver;
/// the context is destroyed anyway. Returns 107000 inside a callback of the program if it could wait forever:
/// docs/callbacks.md. If the context was already released with its device, the first call succeeds and does nothing:
/// docs/failures.md.
///
/// @param context from aclrtCreateContext; a default context is released with its device.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a default context, not a context, already destroyed, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work had
///     failed.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused.
/// @note Thread-safe. Follows aclrtDestroyContext of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyContext(context: aclrtContext) -> aclError {
    guard("aclrtDestroyContext", || context::destroy(handle::from_c(context)))
}

/// Makes a context current on the calling thread, which also selects its device. A context may be current on several
/// threads.
///
/// @param context a live context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a context, destroyed, or released with its device.
/// @note Thread-safe. Follows aclrtSetCurrentContext of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetCurrentContext(context: aclrtContext) -> aclError {
    guard("aclrtSetCurrentContext", || context::set_current(handle::from_c(context)))
}

/// Returns the current context of the calling thread.
///
/// @param context receives the handle; the library keeps ownership.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: there is no current context.
/// @note Thread-safe. Follows aclrtGetCurrentContext of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetCurrentContext(context: *mut aclrtContext) -> aclError {
    guard_out("aclrtGetCurrentContext", "context", context, || Ok(handle::to_c(context::current()?)))
}

/// Returns the default stream of the current context, which a null stream stands for.
///
/// @param stream receives the handle; it belongs to the context and cannot be destroyed.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCtxGetCurrentDefaultStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetCurrentDefaultStream(stream: *mut aclrtStream) -> aclError {
    guard_out("aclrtCtxGetCurrentDefaultStream", "stream", stream, || Ok(handle::to_c(stream::current_default()?)))
}

/// Returns whether the default context of a device exists: from its first aclrtSetDevice or aclrtCreateContext until
/// the device is released.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @param flags must be null.
/// @param active receives 1 or 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `active` is null, or `flags` is not.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetPrimaryCtxState of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPrimaryCtxState(deviceId: i32, flags: *mut u32, active: *mut i32) -> aclError {
    guard_out("aclrtGetPrimaryCtxState", "active", active, || {
        must_be_null("flags", flags)?;
        Ok(i32::from(context::primary_exists(deviceId)?))
    })
}
