//! Host functions: functions of the program as operations of a stream.

use std::ffi::c_void;

use crate::backend::HostFn;
use crate::core::base::error::Error;
use crate::core::stream::report;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::handle;
use crate::ffi::types::{aclError, aclrtHostFunc, aclrtStream};

/// Enqueues a call of `fn` on a stream. It runs once, after the stream's earlier operations; the later operations of
/// the stream wait until it returns, other streams do not. It runs on a thread of this library, or, if the stream was
/// passed to aclrtSubscribeHostFunc, inside aclrtProcessHostFunc on the subscribed thread. Inside the function, calls
/// of this library that allocate, free, wait, enqueue, create or destroy return an error. The function must return, and
/// must not throw. The stack of a library thread has the system's default size, or `PORTACL_THREAD_STACK` bytes
/// (docs/configuration.md).
///
/// @param stream a stream; null: the default stream of the current context.
/// @param fn the function.
/// @param args argument of the function; may be null. The caller keeps it valid until the function has run.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: `fn` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream was passed to aclrtSubscribeReport, which excludes host
///     functions.
/// @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: another thread is inside aclrtUnSubscribeHostFunc for the stream.
/// @note Thread-safe. Follows aclrtLaunchHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchHostFunc(stream: aclrtStream, r#fn: aclrtHostFunc, args: *mut c_void) -> aclError {
    guard("aclrtLaunchHostFunc", || {
        let Some(function) = r#fn else {
            return Err(Error::invalid_param("fn is null; pass the function to call"));
        };
        // SAFETY: the caller of aclrtLaunchHostFunc promises that it may be called.
        let function = unsafe { HostFn::new(function, args) };
        report::launch_host_function(function, handle::from_c(stream))
    })
}
