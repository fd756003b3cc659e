//! Reports of work that failed on a device.

use std::ffi::c_void;
use std::sync::Arc;

use crate::core::base::error::{Error, Result};
use crate::core::kernel;
use crate::core::stream::exception::{self, Exception, Watcher};
use crate::ffi::base::guard::{guard, guard_value};
use crate::ffi::base::value::{Out, address, handle};
use crate::ffi::types::{
    aclError, aclrtBinHandle, aclrtExceptionInfo, aclrtExceptionInfoCallback, aclrtFuncHandle,
    aclrtOpExceptionCallback,
};

type Function = unsafe extern "C" fn(*mut aclrtExceptionInfo);

/// A C function as one that is told of failures.
fn watcher(function: Function) -> Watcher {
    Watcher {
        address: function as usize,
        call: Arc::new(move |exception| {
            // SAFETY: by the contract of the C boundary it can be called from any thread until it
            // is taken back, and does not look behind the pointer, whose type has no inside.
            unsafe { function(std::ptr::without_provenance_mut(exception)) }
        }),
    }
}

fn required(callback: aclrtExceptionInfoCallback) -> Result<Function> {
    callback.ok_or_else(|| {
        Error::invalid_param(
            "callback is null; it must be a function, and aclrtSetExceptionInfoCallback \
                              takes one back that it has set",
        )
    })
}

/// Has `callback` called when queued work fails, in place of the function that an earlier call of this
/// function has set. It does not touch those of aclrtExceptionInfoCallbackRegister; a function that is
/// there as well is called twice.
///
/// The callback runs on a thread of this library, after the failure and before any synchronize of the
/// stream returns; the failed stream waits for it, others do not, and failures of several streams may call
/// it at the same time. What it is given lives as long as the call. It may ask the
/// aclrtGet*FromExceptionInfo functions, and must not allocate, free, wait, queue work, or create and
/// destroy objects: such calls fail with ACL_ERROR_RT_PARAM_INVALID 107000. A GPU does not tell whose work
/// has failed; its driver ends everything on the device: there it is called once, when a call of this library
/// first meets the failure, and only device and code are known.
///
/// aclFinalize forgets it.
///
/// @param callback the function; null: nothing is called any more. A call that has begun goes on.
/// @return ACL_SUCCESS. Thread-safe; works before aclInit. Follows the deprecated aclrtSetExceptionInfoCallback of the
/// Ascend runtime API; aclrtExceptionInfoCallbackRegister serves several users of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetExceptionInfoCallback(
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    guard("aclrtSetExceptionInfoCallback", || {
        exception::set(callback.map(watcher));
        Ok(())
    })
}

/// Adds a function to those called when queued work fails; aclrtSetExceptionInfoCallback says how. They are
/// called in the order in which they were added. aclFinalize forgets them.
///
/// @param callback the function. One that was added before is there once, and this is no error.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe; works before aclInit. Follows
/// aclrtExceptionInfoCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtExceptionInfoCallbackRegister(
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    guard("aclrtExceptionInfoCallbackRegister", || {
        exception::register(watcher(required(callback)?));
        Ok(())
    })
}

/// Takes back aclrtExceptionInfoCallbackRegister. A call that has begun, or that is about to begin in
/// another thread, goes on: code that is to be unloaded has to synchronize its streams first.
///
/// @param callback the function. One that was not added is no error.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows
/// aclrtExceptionInfoCallbackUnregister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtExceptionInfoCallbackUnregister(
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    guard("aclrtExceptionInfoCallbackUnregister", || {
        exception::unregister(required(callback)? as usize);
        Ok(())
    })
}

/// Has `callback` called when a kernel of a binary fails, after the functions of aclrtExceptionInfoCallbackRegister, and
/// as they are. Where a device does not tell what has failed, as GPUs, it is called for every failure of the binary's
/// device. It is forgotten when the binary is unloaded; code that is to be unloaded has to synchronize its streams
/// first.
///
/// @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param callback the function, in place of the one before; null: none.
/// @param userData what it is called with, as the second argument.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `binHandle` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// handle of a program, or unloaded. Thread-safe. Follows aclrtBinarySetExceptionCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinarySetExceptionCallback(
    binHandle: aclrtBinHandle,
    callback: aclrtOpExceptionCallback,
    userData: *mut c_void,
) -> aclError {
    guard("aclrtBinarySetExceptionCallback", || {
        let user_data = address::from_c(userData);
        let watcher = callback.map(|function| Watcher {
            address: function as usize,
            call: Arc::new(move |exception| {
                // SAFETY: the program keeps its function callable until it unregisters it; its own
                // pointer goes back to it.
                unsafe {
                    let info = std::ptr::without_provenance_mut(exception);
                    function(info, address::to_c(user_data));
                }
            }),
        });
        kernel::watch(handle::from_c(binHandle), watcher)
    })
}

/// The number of the task that failed: its place in its stream, as aclrtGetThreadLastTaskId told it to the
/// thread that submitted it.
///
/// @param info what a callback was given, during its call.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
/// which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
/// another thread ask while it waits. Follows aclrtGetTaskIdFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetTaskIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetTaskIdFromExceptionInfo", Exception::UNKNOWN, || {
        Ok(exception::find(info.addr())?.task)
    })
}

/// The number of the stream on which work failed, as aclrtStreamGetId tells it.
///
/// @param info what a callback was given, during its call.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
/// which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
/// another thread ask while it waits. Follows aclrtGetStreamIdFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetStreamIdFromExceptionInfo", Exception::UNKNOWN, || {
        Ok(exception::find(info.addr())?.stream)
    })
}

/// The system's number (gettid) of the thread that submitted what failed.
///
/// @param info what a callback was given, during its call.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
/// which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
/// another thread ask while it waits. Follows aclrtGetThreadIdFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetThreadIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetThreadIdFromExceptionInfo", Exception::UNKNOWN, || {
        Ok(exception::find(info.addr())?.thread)
    })
}

/// The device on which work failed.
///
/// @param info what a callback was given, during its call.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
/// which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
/// another thread ask while it waits. Follows aclrtGetDeviceIdFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetDeviceIdFromExceptionInfo", Exception::UNKNOWN, || {
        Ok(exception::find(info.addr())?.device)
    })
}

/// The code of the failure, which the next synchronize returns.
///
/// @param info what a callback was given, during its call.
/// @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
/// which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
/// another thread ask while it waits. Follows aclrtGetErrorCodeFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetErrorCodeFromExceptionInfo(
    info: *const aclrtExceptionInfo,
) -> u32 {
    guard_value("aclrtGetErrorCodeFromExceptionInfo", Exception::UNKNOWN, || {
        Ok(exception::find(info.addr())?.code)
    })
}

/// Tells the arguments of the kernel that failed, as it got them.
///
/// @param info what a callback was given, during its call.
/// @param devArgsPtr receives the address of a copy, in host memory, that lives as long as the callback's call.
/// @param devArgsLen receives its bytes; 0 where the arguments came one by one and the kernel does not tell where they
/// belong.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not what a
/// callback was given, its call is over, or it is not known which kernel has failed: it was another operation, or the
/// device is a GPU. Thread-safe: the callback may have another thread ask while it waits. Follows
/// aclrtGetArgsFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetArgsFromExceptionInfo(
    info: *const aclrtExceptionInfo,
    devArgsPtr: *mut *mut c_void,
    devArgsLen: *mut u32,
) -> aclError {
    guard("aclrtGetArgsFromExceptionInfo", || {
        let first = Out::new("devArgsPtr", devArgsPtr)?;
        let len = Out::new("devArgsLen", devArgsLen)?;
        let (_, exception) = exception::find_launch(info.addr())?;
        let arguments = exception.arguments();
        first.write(arguments.as_ptr().cast_mut().cast());
        len.write(arguments.len() as u32);
        Ok(())
    })
}

/// Tells which kernel failed.
///
/// @param info what a callback was given, during its call.
/// @param func receives the handle that it was launched by; the program may have unloaded it since.
/// @return as aclrtGetArgsFromExceptionInfo. Thread-safe: the callback may have another thread ask while it waits.
/// Follows aclrtGetFuncHandleFromExceptionInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFuncHandleFromExceptionInfo(
    info: *const aclrtExceptionInfo,
    func: *mut aclrtFuncHandle,
) -> aclError {
    guard("aclrtGetFuncHandleFromExceptionInfo", || {
        let out = Out::new("func", func)?;
        out.write(handle::to_c(exception::find_launch(info.addr())?.0));
        Ok(())
    })
}
