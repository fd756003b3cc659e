//! Launches of kernels.

use std::ffi::{c_char, c_void};

use crate::backend::Arguments;
use crate::base::{Array, address, enum_value, guard, guard_unsupported, handle, must_be_null, read_optional};
use crate::core::base::error::Result;
use crate::core::kernel::kernel_launch::{self, Config, LaunchArgs, Shape};
use crate::core::kernel::{kernel_args, symbol};
use crate::kernel::kernel_args::with_list;
use crate::types::{
    aclError, aclrtArgsHandle, aclrtFuncHandle, aclrtLaunchKernelCfg, aclrtStream, aclrtTaskUpdateInfo, dim3,
};

/// The values of launch attributes; null for none.
pub fn read_config(cfg: *const aclrtLaunchKernelCfg) -> Result<Config> {
    let Some(cfg) = read_optional(cfg) else { return Ok(Config::default()) };
    let entries = Array::checked("cfg->attrs", cfg.attrs, "cfg->numAttrs", cfg.numAttrs)?;
    Config::new(entries.iter().map(|attribute| {
        // SAFETY: the widest member; C fills as much as it says, the core reads no more, and any
        // bits are numbers.
        let value = unsafe { attribute.value.rsv };
        (enum_value(attribute.id), [value[0], value[1]])
    }))
}

/// The arguments of a launch that passes them in another way.
pub(super) const NO_ARGUMENTS: Arguments = Arguments::Block { addr: 0, len: 0 };

/// A launch of the kernel in `funcHandle`, with a number of blocks and nothing else about its shape.
#[inline]
pub(super) fn of_blocks(function: aclrtFuncHandle, blocks: u32, arguments: Arguments, config: Config) -> LaunchArgs {
    LaunchArgs {
        argument: "funcHandle",
        function: handle::from_c(function),
        shape: Shape::Blocks(blocks),
        arguments,
        config,
    }
}

/// A launch of the kernel that `func` names by its handle or by a symbol.
#[inline]
pub(super) fn of_symbol(func: *mut c_void, shape: Shape, arguments: Arguments, config: Config) -> LaunchArgs {
    LaunchArgs { argument: "func", function: symbol::callee(handle::from_c(func)), shape, arguments, config }
}

/// A grid of blocks with several threads each.
#[inline]
pub(super) fn grid(blocks: dim3, threads: dim3, shared_bytes: usize) -> Shape {
    Shape::Grid { grid: [blocks.x, blocks.y, blocks.z], threads: [threads.x, threads.y, threads.z], shared_bytes }
}

/// Launches a kernel on a stream, in stream order. The arguments are copied during the call. On the cpu backend threads
/// of the library, and of the program while they wait for the stream, call the kernel once for each block, several at
/// the same time; the kernel must not call this library. The device chooses the threads and the order of blocks.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
///     bound allows, on the cpu backend one.
/// @param argsData the arguments in one block, each at a multiple of its alignment, as in a C structure.
/// @param argsSize its length in bytes; 0 for a kernel without parameters.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: the launch is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `numBlocks` is 0 or above the device's limit.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
///     arguments that do not match the kernel, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
///     binary.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: never. A kernel that fails is reported as every failure of enqueued
///     work. On the cpu backend a kernel is code of this process: an invalid memory access ends the process.
/// @note Thread-safe. Follows aclrtLaunchKernel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernel(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    argsData: *const c_void,
    argsSize: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtLaunchKernel", || {
        let arguments = Arguments::Block { addr: address::from_c(argsData), len: argsSize };
        let request = of_blocks(funcHandle, numBlocks, arguments, Config::default());
        kernel_launch::launch(request, handle::from_c(stream))
    })
}

/// Launches a kernel as aclrtLaunchKernel, with attributes.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
///     bound allows, on the cpu backend one.
/// @param argsData the arguments in one block, each at a multiple of its alignment, as in a C structure.
/// @param argsSize its length in bytes; 0 for a kernel without parameters.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
///     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: the launch is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` is 0 or above the device's limit, or an unknown
///     attribute.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
///     arguments that do not match or too much shared memory, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
///     binary.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that is not supported. A kernel that fails is reported
///     as every failure of enqueued work. On the cpu backend a kernel is code of this process: an invalid memory access
///     ends the process.
/// @note Thread-safe. Follows aclrtLaunchKernelV2 of the Ascend runtime API.
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
        let config = read_config(cfg)?;
        let arguments = Arguments::Block { addr: address::from_c(argsData), len: argsSize };
        let request = of_blocks(funcHandle, numBlocks, arguments, config);
        kernel_launch::launch(request, handle::from_c(stream))
    })
}

/// Launches a kernel as aclrtLaunchKernelV2, with arguments in a list.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction, the kernel of the list.
/// @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
///     bound allows, on the cpu backend one.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
///     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
/// @param argsHandle a finalized list (aclrtKernelArgsFinalize). It is copied during the call, and may be changed and
///     launched again.
/// @param reserve null.
/// @return the codes of aclrtLaunchKernelV2
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if `argsHandle` is null or `reserve` is not null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also if it is not a list, not finalized, or a list of another kernel.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data of its placeholders.
/// @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
///     aclrtLaunchKernelWithConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelWithConfig(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    argsHandle: aclrtArgsHandle,
    reserve: *mut c_void,
) -> aclError {
    guard("aclrtLaunchKernelWithConfig", || {
        must_be_null("reserve", reserve)?;
        let config = read_config(cfg)?;
        let request = of_blocks(funcHandle, numBlocks, NO_ARGUMENTS, config);
        let function = request.function;
        let stream = handle::from_c(stream);
        kernel_launch::check_before_arguments(&request, stream)?;
        // SAFETY: the launched list is a handle or the caller's memory that holds a list.
        let copy = unsafe { with_list(argsHandle, |list| list.for_launch(function)) };
        let (block, place_holders) = copy?;
        kernel_launch::launch_with_data(request, &block, &place_holders, stream)?;
        kernel_args::note_launch(handle::from_c(argsHandle));
        Ok(())
    })
}

/// Launches a kernel on a stream, in stream order. The arguments are copied during the call. On the cpu backend threads
/// of the library, and of the program while they wait for the stream, call the kernel once for each block, several at
/// the same time; the kernel must not call this library.
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
///     device.
/// @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
///     bound allows, on the cpu backend one.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
///     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
/// @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without parameters.
///     On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
/// @retval ACL_SUCCESS 0: the launch is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` is 0 or above the device's limit, or an unknown
///     attribute.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
///     arguments that do not match or too much shared memory, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
///     binary.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that is not supported, or a kernel without a
///     description of its parameters. A kernel that fails is reported as every failure of enqueued work. On the cpu
///     backend a kernel is code of this process: an invalid memory access ends the process.
/// @note Thread-safe. Follows aclrtLaunchKernelWithArgsArray of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelWithArgsArray(
    func: *mut c_void,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    args: *mut *mut c_void,
) -> aclError {
    guard("aclrtLaunchKernelWithArgsArray", || {
        let config = read_config(cfg)?;
        let arguments = Arguments::Each { array: address::from_c(args.cast()) };
        let request = of_symbol(func, Shape::Blocks(numBlocks), arguments, config);
        kernel_launch::launch(request, handle::from_c(stream))
    })
}

/// Launches a kernel as aclrtLaunchKernelWithArgsArray, with a grid of blocks and several threads per block. On the cpu
/// backend the kernel is called once for each block and loops over its threads.
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
///     device.
/// @param gridDim blocks in x, y and z, each at least 1: at most 2147483647 in x and 65535 in y and z.
/// @param blockDim threads of a block in x, y and z, each at least 1: at most 1024 in x and y, 64 in z, and 1024 in
///     total.
/// @param dynUbufSize dynamic shared memory per block in bytes, in addition to the kernel's static shared memory;
///     ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE overrides it.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
///     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
/// @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without parameters.
///     On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
/// @retval ACL_SUCCESS 0: the launch is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or a dimension that is 0 or too large, or an unknown
///     attribute.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
///     more threads than the kernel was compiled for, arguments that do not match or too much shared memory, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
///     binary.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that is not supported, or a kernel without a
///     description of its parameters. A kernel that fails is reported as every failure of enqueued work. On the cpu
///     backend a kernel is code of this process: an invalid memory access ends the process.
/// @note Thread-safe. Follows aclrtLaunchSIMTKernelWithArgsArray of the Ascend runtime API.
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
        let config = read_config(cfg)?;
        let arguments = Arguments::Each { array: address::from_c(args.cast()) };
        let request = of_symbol(func, grid(gridDim, blockDim, dynUbufSize), arguments, config);
        kernel_launch::launch(request, handle::from_c(stream))
    })
}

/// Changes a task that is pending in a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtTaskUpdateAsync(
    taskStream: aclrtStream,
    taskId: u32,
    info: *mut aclrtTaskUpdateInfo,
    execStream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtTaskUpdateAsync",
        "the tasks of a stream cannot be changed; enqueue a new task, or change a kernel of a graph with \
         aclmdlRITaskSetParams and aclmdlRIUpdate",
    )
}

/// Stores information of the caller about the last task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCacheLastTaskExtendInfo(extendInfoPtr: *const c_char, infoSize: usize) -> aclError {
    guard_unsupported("aclrtCacheLastTaskExtendInfo", "information about tasks is not stored; omit the call")
}

/// Stores the operator of the last task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCacheLastTaskOpInfo(infoPtr: *const c_void, infoSize: usize) -> aclError {
    guard_unsupported("aclrtCacheLastTaskOpInfo", "information about tasks is not stored; omit the call")
}
