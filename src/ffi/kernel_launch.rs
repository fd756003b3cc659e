//! Arguments of kernels, and their launch.

use std::ffi::{c_char, c_void};

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtArgsHandle, aclrtFuncHandle, aclrtLaunchKernelCfg, aclrtParamHandle,
    aclrtPlaceHolderInfo, aclrtStream, aclrtTaskUpdateInfo, dim3,
};

/// Starts a list of a kernel's arguments.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsInit(
    funcHandle: aclrtFuncHandle,
    argsHandle: *mut aclrtArgsHandle,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsInit",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Starts a list of a kernel's arguments in memory of the caller.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsInitByUserMem(
    funcHandle: aclrtFuncHandle,
    argsHandle: aclrtArgsHandle,
    userHostMem: *mut c_void,
    actualArgsSize: usize,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsInitByUserMem",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Adds an argument to a list.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsAppend(
    argsHandle: aclrtArgsHandle,
    param: *mut c_void,
    paramSize: usize,
    paramHandle: *mut aclrtParamHandle,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsAppend",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Adds an argument whose data follows later.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsAppendPlaceHolder(
    argsHandle: aclrtArgsHandle,
    paramHandle: *mut aclrtParamHandle,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsAppendPlaceHolder",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Tells where the data of a place holder goes.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetPlaceHolderBuffer(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    dataSize: usize,
    bufferAddr: *mut *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsGetPlaceHolderBuffer",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Changes an argument of a list.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsParaUpdate(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    param: *mut c_void,
    paramSize: usize,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsParaUpdate",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Ends a list of a kernel's arguments.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsFinalize(argsHandle: aclrtArgsHandle) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsFinalize",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Tells how much memory of the caller the handle of a list needs.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetHandleMemSize(
    funcHandle: aclrtFuncHandle,
    memSize: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsGetHandleMemSize",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Tells how much memory of the caller a kernel's arguments need.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetMemSize(
    funcHandle: aclrtFuncHandle,
    userArgsSize: usize,
    actualArgsSize: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsGetMemSize",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Launches a kernel with arguments in one block of memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernel(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    argsData: *const c_void,
    argsSize: usize,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtLaunchKernel",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Launches a kernel with arguments in one block of memory and attributes.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelV2(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    argsData: *const c_void,
    argsSize: usize,
    cfg: *mut aclrtLaunchKernelCfg,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtLaunchKernelV2",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Launches a kernel with a list of arguments and attributes.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelWithConfig(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    argsHandle: aclrtArgsHandle,
    reserve: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtLaunchKernelWithConfig",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Launches a kernel with arguments in host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelWithHostArgs(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    hostArgs: *mut c_void,
    argsSize: usize,
    placeHolderArray: *mut aclrtPlaceHolderInfo,
    placeHolderNum: usize,
) -> aclError {
    guard_unsupported(
        "aclrtLaunchKernelWithHostArgs",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Launches a kernel with an array of pointers to its arguments.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelWithArgsArray(
    func: *mut c_void,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    args: *mut *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtLaunchKernelWithArgsArray",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Launches a kernel of many threads with an array of pointers to its arguments.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchSIMTKernelWithArgsArray(
    func: *mut c_void,
    gridDim: dim3,
    blockDim: dim3,
    dynUbufSize: usize,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    args: *mut *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtLaunchSIMTKernelWithArgsArray",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Launches a kernel of many threads with arguments in host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchSIMTKernelWithHostArgs(
    func: *mut c_void,
    gridDim: dim3,
    blockDim: dim3,
    dynUbufSize: usize,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    hostArgs: *mut c_void,
    argsSize: usize,
    placeHolderArray: *mut aclrtPlaceHolderInfo,
    placeHolderNum: usize,
) -> aclError {
    guard_unsupported(
        "aclrtLaunchSIMTKernelWithHostArgs",
        "kernels cannot be launched here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Changes a task that waits in a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtTaskUpdateAsync(
    taskStream: aclrtStream,
    taskId: u32,
    info: *mut aclrtTaskUpdateInfo,
    execStream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtTaskUpdateAsync",
        "tasks cannot be changed once they are queued; submit a new one",
    )
}

/// Notes information of the caller about the last task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCacheLastTaskExtendInfo(
    extendInfoPtr: *const c_char,
    infoSize: usize,
) -> aclError {
    guard_unsupported(
        "aclrtCacheLastTaskExtendInfo",
        "notes about tasks are not kept; leave the call out",
    )
}

/// Notes the operator behind the last task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCacheLastTaskOpInfo(
    infoPtr: *const c_void,
    infoSize: usize,
) -> aclError {
    guard_unsupported(
        "aclrtCacheLastTaskOpInfo",
        "notes about tasks are not kept; leave the call out",
    )
}
