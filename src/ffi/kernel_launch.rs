//! Arguments of kernels, and their launch.

use std::ffi::{c_char, c_void};

use crate::backend::Arguments;
use crate::core::error::{Error, Result};
use crate::core::kernel_launch::{self, Config, Request, Shape};
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclrtArgsHandle, aclrtFuncHandle, aclrtLaunchKernelCfg, aclrtParamHandle,
    aclrtPlaceHolderInfo, aclrtStream, aclrtTaskUpdateInfo, dim3,
};
use crate::ffi::value::{Array, address, enum_value, handle};

/// What the attributes of a launch ask for.
///
/// # Safety
/// `cfg` is null or points to attributes, which have as many entries as they say.
unsafe fn read_config(cfg: *const aclrtLaunchKernelCfg) -> Result<Config> {
    if cfg.is_null() {
        return Ok(Config::default());
    }
    // SAFETY: as promised by the caller.
    let cfg = unsafe { cfg.read_unaligned() };
    let entries = Array::new(cfg.attrs.cast_const(), cfg.numAttrs);
    if entries.is_null() && entries.count() != 0 {
        return Err(Error::invalid_param(format_args!(
            "cfg->attrs is null, and cfg->numAttrs is {}",
            entries.count()
        )));
    }
    Config::new((0..entries.count()).map(|index| {
        let attribute = entries.get(index);
        // SAFETY: the widest member; C fills as much as it says, the core looks at no more, and any
        // bits are numbers.
        let value = unsafe { attribute.value.rsv };
        (enum_value(attribute.id), [value[0], value[1]])
    }))
}

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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
    )
}

/// Ends a list of a kernel's arguments.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsFinalize(argsHandle: aclrtArgsHandle) -> aclError {
    guard_unsupported(
        "aclrtKernelArgsFinalize",
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
    )
}

/// Queues a run of a kernel: after the stream's earlier operations, and before its later ones. The arguments are
/// copied during the call. On the cpu backend the threads of the library call the kernel once for each block,
/// several at a time; it must not call this library. Its threads and the order of blocks are the device's choice.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
/// launch bound allows, on the cpu backend one.
/// @param argsData the arguments in one block, each at a multiple of its own alignment, as in a C structure.
/// @param argsSize its length in bytes; 0 for a kernel without parameters.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` 0 or more than the device can have, or an unknown attribute;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
/// destroyed, or arguments that do not fit the kernel, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
/// or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: never.
/// A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
/// and ends it when it touches memory that is not there.
/// Thread-safe. Follows aclrtLaunchKernel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernel(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    argsData: *const c_void,
    argsSize: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtLaunchKernel", || {
        let request = Request {
            argument: "funcHandle",
            function: handle::from_c(funcHandle),
            shape: Shape::Blocks(numBlocks),
            arguments: Arguments::Block { addr: address::from_c(argsData), len: argsSize },
            config: Config::default(),
        };
        kernel_launch::launch(request, handle::from_c(stream))
    })
}

/// As aclrtLaunchKernel, with attributes.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
/// launch bound allows, on the cpu backend one.
/// @param argsData the arguments in one block, each at a multiple of its own alignment, as in a C structure.
/// @param argsSize its length in bytes; 0 for a kernel without parameters.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
/// prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` 0 or more than the device can have, or an unknown attribute;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
/// destroyed, or arguments or fast memory that do not fit, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
/// or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that kernels here do not have.
/// A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
/// and ends it when it touches memory that is not there.
/// Thread-safe. Follows aclrtLaunchKernelV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelV2(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    argsData: *const c_void,
    argsSize: usize,
    cfg: *mut aclrtLaunchKernelCfg,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtLaunchKernelV2", || {
        // SAFETY: null, or attributes as their count says.
        let config = unsafe { read_config(cfg) }?;
        let request = Request {
            argument: "funcHandle",
            function: handle::from_c(funcHandle),
            shape: Shape::Blocks(numBlocks),
            arguments: Arguments::Block { addr: address::from_c(argsData), len: argsSize },
            config,
        };
        kernel_launch::launch(request, handle::from_c(stream))
    })
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
    )
}

/// Queues a run of a kernel: after the stream's earlier operations, and before its later ones. The arguments are
/// copied during the call. On the cpu backend the threads of the library call the kernel once for each block,
/// several at a time; it must not call this library.
///
/// @param func a handle of aclrtBinaryGetFunction.
/// @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
/// launch bound allows, on the cpu backend one.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
/// prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
/// @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without
/// parameters. On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
/// @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` 0 or more than the device can have, or an unknown attribute;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
/// destroyed, or arguments or fast memory that do not fit, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
/// or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that kernels here do not have, or a kernel that does not describe its parameters.
/// A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
/// and ends it when it touches memory that is not there.
/// Thread-safe. Follows aclrtLaunchKernelWithArgsArray of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelWithArgsArray(
    func: *mut c_void,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    args: *mut *mut c_void,
) -> aclError {
    guard("aclrtLaunchKernelWithArgsArray", || {
        // SAFETY: null, or attributes as their count says.
        let config = unsafe { read_config(cfg) }?;
        let request = Request {
            argument: "func",
            function: handle::from_c(func),
            shape: Shape::Blocks(numBlocks),
            arguments: Arguments::Each { array: address::from_c(args.cast()) },
            config,
        };
        kernel_launch::launch(request, handle::from_c(stream))
    })
}

/// As aclrtLaunchKernelWithArgsArray, with blocks in a grid and threads in a block. On the cpu backend a kernel is
/// called once for each block and loops over its threads itself.
///
/// @param func a handle of aclrtBinaryGetFunction.
/// @param gridDim blocks in x, y and z, each 1 or more: at most 2147483647 in x and 65535 in y and z.
/// @param blockDim threads of a block in x, y and z, each 1 or more: at most 1024 in x and y, 64 in z, and 1024
/// together.
/// @param dynUbufSize fast memory of each block in bytes, beyond what the kernel declares;
/// ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes its place.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
/// prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
/// @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without
/// parameters. On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
/// @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or a dimension that is 0 or too large, or an unknown attribute;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
/// destroyed, more threads than the kernel was compiled for, or arguments or fast memory that do not fit, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
/// or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that kernels here do not have, or a kernel that does not describe its parameters.
/// A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
/// and ends it when it touches memory that is not there.
/// Thread-safe. Follows aclrtLaunchSIMTKernelWithArgsArray of the Ascend runtime API.
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
    guard("aclrtLaunchSIMTKernelWithArgsArray", || {
        // SAFETY: null, or attributes as their count says.
        let config = unsafe { read_config(cfg) }?;
        let request = Request {
            argument: "func",
            function: handle::from_c(func),
            shape: Shape::Grid {
                grid: [gridDim.x, gridDim.y, gridDim.z],
                threads: [blockDim.x, blockDim.y, blockDim.z],
                shared_bytes: dynUbufSize,
            },
            arguments: Arguments::Each { array: address::from_c(args.cast()) },
            config,
        };
        kernel_launch::launch(request, handle::from_c(stream))
    })
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
        "lists of arguments are not kept here; pass the arguments to aclrtLaunchKernelWithArgsArray \
             or aclrtLaunchKernel",
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
