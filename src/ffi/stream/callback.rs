//! The caller's functions as part of a stream's work.

use std::ffi::c_void;

use crate::backend::HostFn;
use crate::core::base::error::Error;
use crate::core::stream::report;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::handle;
use crate::ffi::types::{aclError, aclrtHostFunc, aclrtStream};

/// Queues a call of `fn` on a stream: it runs once, after the stream's earlier operations; later ones wait
/// until it returns, other streams do not. It runs on a thread of this library, or, if the stream was given
/// to aclrtSubscribeHostFunc, inside aclrtProcessHostFunc in that thread. Inside it no call of this library
/// that allocates, frees, waits, queues, creates or destroys is allowed; such calls return an error there.
/// It must return, and not by an exception. The stack of a thread of this library is as large as the system's
/// default, or as `PORTACL_THREAD_STACK` says (docs/configuration.md).
///
/// @param stream a stream; null: the default stream of the current context.
/// @param fn the function.
/// @param args its argument, which the caller keeps alive until it has run; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `fn` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not
/// a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
/// ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream was given to aclrtSubscribeReport, which excludes host
/// functions; ACL_ERROR_RT_STREAM_NO_CB_REG 107015: another thread is in aclrtUnSubscribeHostFunc with it.
/// Thread-safe. Follows aclrtLaunchHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchHostFunc(
    stream: aclrtStream,
    r#fn: aclrtHostFunc,
    args: *mut c_void,
) -> aclError {
    guard("aclrtLaunchHostFunc", || {
        let Some(function) = r#fn else {
            return Err(Error::invalid_param("fn is null; pass the function to call"));
        };
        // SAFETY: the caller of aclrtLaunchHostFunc promises that it may be called.
        let function = unsafe { HostFn::new(function, args) };
        report::launch_host_function(function, handle::from_c(stream))
    })
}
