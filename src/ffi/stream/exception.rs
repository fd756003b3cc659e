//! Reports of work that failed on a device.

use std::ffi::c_void;
use std::sync::Arc;

use crate::base::{address, function, guard, guard_out, guard_outs, guard_value, handle};
use crate::core::base::error::Result;
use crate::core::kernel;
use crate::core::stream::exception::{self, Exception, ExceptionCallback};
use crate::types::{
    aclError, aclrtBinHandle, aclrtExceptionInfo, aclrtExceptionInfoCallback, aclrtFuncHandle, aclrtOpExceptionCallback,
};

type Function = unsafe extern "C" fn(*mut aclrtExceptionInfo);

/// Wraps a C function as a failure watcher.
fn watcher(function: Function) -> ExceptionCallback {
    ExceptionCallback {
        address: function as usize,
        call: Arc::new(move |exception| {
            // SAFETY: by the contract of the C boundary it can be called from any thread until it
            // is unregistered, and does not read through the pointer, whose type is opaque.
            unsafe { function(std::ptr::without_provenance_mut(exception)) }
        }),
    }
}

fn required(callback: aclrtExceptionInfoCallback) -> Result<Function> {
    let remedy = "it must be a function; to remove the function of aclrtSetExceptionInfoCallback, pass null to that \
                  call";
    function("callback", callback, remedy)
}

/// Sets the function that is called when enqueued work fails. It replaces the function of an earlier call. Functions of
/// aclrtExceptionInfoCallbackRegister stay registered; a function that is registered there as well is called twice.
///
/// The callback runs on a thread of this library, after the failure and before any synchronize of the stream returns.
/// The failed stream waits for it, other streams do not. Failures of several streams may call it at the same time. Its
/// argument is valid during the call. The callback may call the aclrtGet*FromExceptionInfo functions. It must not
/// allocate, free, wait, enqueue work, or create and destroy objects: such calls fail with ACL_ERROR_RT_PARAM_INVALID
/// 107000. A GPU does not report which work failed; its driver ends everything on the device. Then the callback is
/// called once, when a call of this library first gets the failure, and only device and code are known.
///
/// aclFinalize removes it.
///
/// @param callback the function; null removes it. A callback that is running continues.
/// @retval ACL_SUCCESS 0
/// @note Thread-safe; works before aclInit. Follows the deprecated aclrtSetExceptionInfoCallback of the Ascend runtime
///     API; aclrtExceptionInfoCallbackRegister allows several functions per process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetExceptionInfoCallback(callback: aclrtExceptionInfoCallback) -> aclError {
    guard("aclrtSetExceptionInfoCallback", || {
        exception::set(callback.map(watcher));
        Ok(())
    })
}

/// Adds a function to those that are called when enqueued work fails; see aclrtSetExceptionInfoCallback. They are
/// called in the order in which they were added. aclFinalize removes them.
///
/// @param callback the function. Adding a function again has no effect and is not an error.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe; works before aclInit. Follows aclrtExceptionInfoCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtExceptionInfoCallbackRegister(callback: aclrtExceptionInfoCallback) -> aclError {
    guard("aclrtExceptionInfoCallbackRegister", || {
        exception::register(watcher(required(callback)?));
        Ok(())
    })
}

/// Removes a function of aclrtExceptionInfoCallbackRegister. A call that is running, or about to begin on another
/// thread, continues: before you unload the function's code, synchronize its streams.
///
/// @param callback the function. Removing a function that was not added is not an error.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtExceptionInfoCallbackUnregister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtExceptionInfoCallbackUnregister(callback: aclrtExceptionInfoCallback) -> aclError {
    guard("aclrtExceptionInfoCallbackUnregister", || {
        exception::unregister(required(callback)? as usize);
        Ok(())
    })
}

/// Sets a function that is called when a kernel of a binary fails, after the functions of
/// aclrtExceptionInfoCallbackRegister and with the same rules. If a device does not report what failed, as GPUs do not,
/// the function is called for every failure of the binary's device. Unloading the binary removes it; before you unload
/// the function's code, synchronize its streams.
///
/// @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param callback the function, replaces the previous one; null removes it.
/// @param userData passed to the callback as its second argument.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `binHandle` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a program, or unloaded.
/// @note Thread-safe. Follows aclrtBinarySetExceptionCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinarySetExceptionCallback(
    binHandle: aclrtBinHandle,
    callback: aclrtOpExceptionCallback,
    userData: *mut c_void,
) -> aclError {
    guard("aclrtBinarySetExceptionCallback", || {
        let user_data = address::from_c(userData);
        let watcher = callback.map(|function| ExceptionCallback {
            address: function as usize,
            call: Arc::new(move |exception| {
                // SAFETY: the program keeps its function callable until it unregisters it; its own
                // pointer goes back to it.
                unsafe { function(std::ptr::without_provenance_mut(exception), address::to_c(user_data)) }
            }),
        });
        kernel::watch(handle::from_c(binHandle), watcher)
    })
}

/// Returns the number of the failed task: its position in its stream, as aclrtGetThreadLastTaskId returned it on the
/// submitting thread.
///
/// @param info the argument of a callback, during the callback.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
///     invalid, aclGetRecentErrMsg returns a text.
/// @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetTaskIdFromExceptionInfo
///     of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetTaskIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetTaskIdFromExceptionInfo", Exception::UNKNOWN, || Ok(exception::find(info.addr())?.task))
}

/// Returns the id of the stream on which work failed, as aclrtStreamGetId returns it.
///
/// @param info the argument of a callback, during the callback.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
///     invalid, aclGetRecentErrMsg returns a text.
/// @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetStreamIdFromExceptionInfo
///     of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetStreamIdFromExceptionInfo", Exception::UNKNOWN, || Ok(exception::find(info.addr())?.stream))
}

/// Returns the system's id (gettid) of the thread that submitted the failed work.
///
/// @param info the argument of a callback, during the callback.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
///     invalid, aclGetRecentErrMsg returns a text.
/// @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetThreadIdFromExceptionInfo
///     of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetThreadIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetThreadIdFromExceptionInfo", Exception::UNKNOWN, || Ok(exception::find(info.addr())?.thread))
}

/// Returns the device on which work failed.
///
/// @param info the argument of a callback, during the callback.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
///     invalid, aclGetRecentErrMsg returns a text.
/// @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetDeviceIdFromExceptionInfo
///     of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetDeviceIdFromExceptionInfo", Exception::UNKNOWN, || Ok(exception::find(info.addr())?.device))
}

/// Returns the code of the failure, as a synchronize returns it.
///
/// @param info the argument of a callback, during the callback.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
///     invalid, aclGetRecentErrMsg returns a text.
/// @note Thread-safe: while the callback waits, another thread may call this. Follows
///     aclrtGetErrorCodeFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetErrorCodeFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetErrorCodeFromExceptionInfo", Exception::UNKNOWN, || Ok(exception::find(info.addr())?.code))
}

/// Returns the arguments of the failed kernel.
///
/// @param info the argument of a callback, during the callback.
/// @param devArgsPtr receives the address of a copy in host memory, which is valid during the callback.
/// @param devArgsLen receives its size in bytes; 0 if the arguments were passed one by one and the kernel has no
///     description of its parameters.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the argument of a callback, the callback has returned, or the kernel
///     is unknown: another operation failed, or the device is a GPU.
/// @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetArgsFromExceptionInfo of
///     the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetArgsFromExceptionInfo(
    info: *const aclrtExceptionInfo,
    devArgsPtr: *mut *mut c_void,
    devArgsLen: *mut u32,
) -> aclError {
    guard_outs("aclrtGetArgsFromExceptionInfo", ("devArgsPtr", devArgsPtr), ("devArgsLen", devArgsLen), || {
        let arguments = &exception::find_launch(info.addr())?.arguments;
        Ok((arguments.as_ptr().cast_mut().cast(), arguments.len() as u32))
    })
}

/// Returns the failed kernel.
///
/// @param info the argument of a callback, during the callback.
/// @param func receives the handle that it was launched with; the program may have unloaded it since.
/// @return the codes of aclrtGetArgsFromExceptionInfo.
/// @note Thread-safe: while the callback waits, another thread may call this. Follows
///     aclrtGetFuncHandleFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFuncHandleFromExceptionInfo(
    info: *const aclrtExceptionInfo,
    func: *mut aclrtFuncHandle,
) -> aclError {
    guard_out("aclrtGetFuncHandleFromExceptionInfo", "func", func, || {
        Ok(handle::to_c(exception::find_launch(info.addr())?.function))
    })
}
