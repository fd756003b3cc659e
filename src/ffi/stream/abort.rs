//! Aborts: they drop the pending operations of a stream or a device.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use crate::base::{address, guard, handle, text};
use crate::core::stream::abort::{self, AbortCallback, Stage};
use crate::types::{aclError, aclrtDeviceTaskAbortCallback, aclrtDeviceTaskAbortStage, aclrtStream};

/// Drops the pending work of all streams of a device and stops running work, as aclrtStreamAbort does for one stream.
/// The streams stay usable. A synchronize of one of them, or of the device, that is waiting on another thread returns
/// ACL_ERROR_RT_DEVICE_TASK_ABORT 107022; so does synchronizing an event whose record was dropped, as described for
/// aclrtStreamAbort.
///
/// @param deviceId the device; it need not be the current one.
/// @param timeout milliseconds to wait for running memory operations; 0: no timeout. The call does not wait for running
///     host functions.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: a running operation was not complete in time.
/// @retval ACL_ERROR_FAILURE 500001: the pending work was dropped, but a function of aclrtSetDeviceTaskAbortCallback
///     did not return 0.
/// @note Thread-safe. Follows aclrtDeviceTaskAbort of the Ascend runtime API, whose unit of time is not documented.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceTaskAbort(deviceId: i32, timeout: u32) -> aclError {
    guard("aclrtDeviceTaskAbort", || abort::device(deviceId, timeout))
}

/// Registers a callback that is called before and after aclrtDeviceTaskAbort, on its thread. No lock is held.
///
/// The callback gets the device id, ACL_RT_DEVICE_TASK_ABORT_PRE or _POST, the timeout of the call in milliseconds, and
/// `args`. _POST is reported whatever the result of the abort is. The callback may call all functions; an abort that it
/// makes itself is not reported. If it does not return 0, the abort takes place anyway, and aclrtDeviceTaskAbort
/// returns ACL_ERROR_FAILURE 500001 with the number in its text, unless the abort itself fails. The registration stays
/// until it is removed, also through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the callback, which must not throw; null removes the registration of that name (a running call on
///     another thread continues).
/// @param args argument of the callback; may be null. The caller keeps it valid.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
///     registered.
/// @note Thread-safe. Follows aclrtSetDeviceTaskAbortCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceTaskAbortCallback(
    regName: *const c_char,
    callback: aclrtDeviceTaskAbortCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtSetDeviceTaskAbortCallback", || {
        // SAFETY: `regName` is null or a C string that names the task-abort callback.
        let name = unsafe { text::required("regName", regName) }?;
        let argument = address::from_c(args);
        let watcher = callback.map(|function| -> AbortCallback {
            Arc::new(move |id, stage, timeout_ms| {
                let stage = match stage {
                    Stage::Before => aclrtDeviceTaskAbortStage::ACL_RT_DEVICE_TASK_ABORT_PRE,
                    Stage::After => aclrtDeviceTaskAbortStage::ACL_RT_DEVICE_TASK_ABORT_POST,
                };
                // SAFETY: the program keeps the abort callback callable from any thread until it
                // registers null for its name.
                unsafe { function(id as i32, stage, timeout_ms, address::to_c(argument)) }
            })
        });
        abort::watch(&name.to_string_lossy(), watcher)
    })
}

/// Drops the pending work of a stream and stops running work. The stream stays usable: operations enqueued after the
/// call run as usual.
///
/// On the CPU the call waits for a running memory operation, so that no earlier operation accesses memory afterwards.
/// It does not wait for a running host function, callback or task, or a graph with host functions; later work of the
/// stream waits for these. A GPU completes what was submitted to its driver before later work of the stream. Host
/// functions, callbacks and tasks that have not started are dropped, and waits that the library watches, as for
/// notifies, end.
///
/// A synchronize of the stream or its device that is waiting on another thread returns ACL_ERROR_RT_STREAM_ABORT
/// 107023. Synchronizing an event whose record was dropped returns the same code until the event is recorded again;
/// until then the event is not complete (one with ACL_EVENT_IPC is). Other streams that wait for such an event stay
/// blocked. They continue when the event is recorded again and that record completes, when their wait times out, or
/// when they are aborted or destroyed themselves.
///
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: also if nothing was pending
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtStreamAbort of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamAbort(stream: aclrtStream) -> aclError {
    guard("aclrtStreamAbort", || abort::stream(handle::from_c(stream)))
}

/// Drops the pending work of a stream, as aclrtStreamAbort, but does not accept null for the default stream.
///
/// @param stream a stream.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null; otherwise the codes of aclrtStreamAbort.
/// @note Thread-safe. Follows aclrtStreamStop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamStop(stream: aclrtStream) -> aclError {
    guard("aclrtStreamStop", || abort::stop(handle::from_c(stream)))
}
