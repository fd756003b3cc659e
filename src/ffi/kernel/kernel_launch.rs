//! Launches of kernels.

use std::ffi::{c_char, c_void};

use crate::backend::Arguments;
use crate::core::base::error::{Error, Result};
use crate::core::kernel::kernel_args;
use crate::core::kernel::kernel_launch::{self, Config, PlaceHolder, Request, Shape};
use crate::core::kernel::symbol;
use crate::ffi::base::guard::{guard, guard_unsupported};
use crate::ffi::base::value::{Array, address, enum_value, handle, must_be_null, must_not_be_null};
use crate::ffi::kernel::kernel_args::with_list;
use crate::ffi::types::{
    aclError, aclrtArgsHandle, aclrtFuncHandle, aclrtLaunchKernelCfg, aclrtPlaceHolderInfo,
    aclrtStream, aclrtTaskUpdateInfo, dim3,
};

/// What the attributes of a launch ask for.
///
/// # Safety
/// `cfg` is null or points to attributes, which have as many entries as they say.
pub unsafe fn read_config(cfg: *const aclrtLaunchKernelCfg) -> Result<Config> {
    if cfg.is_null() {
        return Ok(Config::default());
    }
    // SAFETY: `cfg` is not null, and the caller vouches for one configuration there, aligned or
    // not.
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

/// The place holders of a launch.
fn place_holders(first: *const aclrtPlaceHolderInfo, count: usize) -> Result<Vec<PlaceHolder>> {
    let entries = Array::new(first, count);
    if entries.is_null() && count != 0 {
        return Err(Error::invalid_param(format_args!(
            "placeHolderArray is null, and placeHolderNum is {count}"
        )));
    }
    if count > MOST_PLACE_HOLDERS {
        return Err(Error::invalid_param(format_args!(
            "placeHolderNum is {count}; a launch has at most {MOST_PLACE_HOLDERS}"
        )));
    }
    let each = (0..count).map(|index| entries.get(index));
    Ok(each
        .map(|one| PlaceHolder { addr: one.addrOffset as usize, data: one.dataOffset as usize })
        .collect())
}

/// As many as addresses fit into arguments, and into data behind them that nobody expects.
const MOST_PLACE_HOLDERS: usize = 1 << 16;

/// A block of arguments.
///
/// # Safety
/// `first` is null or points to as many bytes as `len` says, which outlive the result.
unsafe fn host_arguments<'a>(first: *const c_void, len: usize) -> Result<&'a [u8]> {
    if len == 0 {
        return Ok(&[]);
    }
    must_not_be_null("hostArgs", first)?;
    if len > isize::MAX as usize {
        return Err(Error::invalid_param(format_args!(
            "argsSize is {len} bytes; no memory is larger than {}",
            isize::MAX
        )));
    }
    // SAFETY: `first` is not null, and the caller vouches for `len` bytes of arguments.
    Ok(unsafe { std::slice::from_raw_parts(first.cast::<u8>(), len) })
}

/// What a launch gets that brings its arguments in another way.
const NO_ARGUMENTS: Arguments = Arguments::Block { addr: 0, len: 0 };

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
        // SAFETY: aclrtLaunchKernelV2 takes null or a configuration with `numAttrs` attributes.
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

/// As aclrtLaunchKernelV2, with arguments in a list.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction, for which the list was begun.
/// @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
/// launch bound allows, on the cpu backend one.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
/// prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
/// @param argsHandle a list that aclrtKernelArgsFinalize was called for. It is copied during the call, and may be
/// changed and launched again.
/// @param reserve null.
/// @return as aclrtLaunchKernelV2; ACL_ERROR_INVALID_PARAM 100000: also where `argsHandle` is null or `reserve` is not;
/// ACL_ERROR_RT_PARAM_INVALID 107000: also where it is no list, not finalized, or of another kernel;
/// ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data of its place holders.
/// Thread-safe, for one list in one thread at a time where it lies in the caller's memory. Follows
/// aclrtLaunchKernelWithConfig of the Ascend runtime API.
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
        // SAFETY: aclrtLaunchKernelWithConfig takes null or a configuration with `numAttrs`
        // attributes.
        let config = unsafe { read_config(cfg) }?;
        let function = handle::from_c(funcHandle);
        let request = Request {
            argument: "funcHandle",
            function,
            shape: Shape::Blocks(numBlocks),
            arguments: NO_ARGUMENTS,
            config,
        };
        let stream = handle::from_c(stream);
        kernel_launch::check_before_arguments(&request, stream)?;
        // SAFETY: the launched list is a handle or memory of the caller that holds a list.
        let copy = unsafe { with_list(argsHandle, |list| list.for_launch(function)) };
        let (block, place_holders) = copy?;
        kernel_launch::launch_with_data(request, &block, &place_holders, stream)?;
        kernel_args::note_launch(handle::from_c(argsHandle));
        Ok(())
    })
}

/// As aclrtLaunchKernelV2, with arguments that may want addresses of data, which the call copies to memory that devices read.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
/// launch bound allows, on the cpu backend one.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
/// prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
/// @param hostArgs the arguments in one block of host memory, each at a multiple of its own alignment, as in a C
/// structure, and behind them the data of place holders. It is copied during the call.
/// @param argsSize its length in bytes, data and all; 0 for a kernel without parameters.
/// @param placeHolderArray null, or place holders: the data at `dataOffset` of each is copied for this
/// launch to memory that devices read, and its address there, 8 bytes, is written to `addrOffset`, be
/// that in the arguments or in the data. Alignment is kept up to 512 bytes.
/// @param placeHolderNum how many there are, 65536 at most.
/// @return as aclrtLaunchKernelV2; ACL_ERROR_INVALID_PARAM 100000: also where an offset is not inside the block, or data
/// inside the arguments; ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
/// Thread-safe. Follows aclrtLaunchKernelWithHostArgs of the Ascend runtime API.
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
    guard("aclrtLaunchKernelWithHostArgs", || {
        // SAFETY: aclrtLaunchKernelWithHostArgs takes null or a configuration with `numAttrs`
        // attributes.
        let config = unsafe { read_config(cfg) }?;
        // SAFETY: aclrtLaunchKernelWithHostArgs asks for `argsSize` readable bytes at `hostArgs`.
        let block = unsafe { host_arguments(hostArgs, argsSize) }?;
        let place_holders = place_holders(placeHolderArray, placeHolderNum)?;
        let request = Request {
            argument: "funcHandle",
            function: handle::from_c(funcHandle),
            shape: Shape::Blocks(numBlocks),
            arguments: NO_ARGUMENTS,
            config,
        };
        kernel_launch::launch_with_data(request, block, &place_holders, handle::from_c(stream))
    })
}

/// Queues a run of a kernel: after the stream's earlier operations, and before its later ones. The arguments are
/// copied during the call. On the cpu backend the threads of the library call the kernel once for each block,
/// several at a time; it must not call this library.
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
/// current device.
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
        // SAFETY: aclrtLaunchKernelWithArgsArray takes null or a configuration with `numAttrs`
        // attributes.
        let config = unsafe { read_config(cfg) }?;
        let request = Request {
            argument: "func",
            function: symbol::callee(handle::from_c(func)),
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
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
/// current device.
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
        // SAFETY: aclrtLaunchSIMTKernelWithArgsArray takes null or a configuration with `numAttrs`
        // attributes.
        let config = unsafe { read_config(cfg) }?;
        let request = Request {
            argument: "func",
            function: symbol::callee(handle::from_c(func)),
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

/// As aclrtLaunchSIMTKernelWithArgsArray, with arguments as aclrtLaunchKernelWithHostArgs takes them.
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
/// current device.
/// @param gridDim blocks in x, y and z, each 1 or more: at most 2147483647 in x and 65535 in y and z.
/// @param blockDim threads of a block in x, y and z, each 1 or more: at most 1024 in x and y, 64 in z, and 1024
/// together.
/// @param dynUbufSize fast memory of each block in bytes, beyond what the kernel declares;
/// ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes its place.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
/// prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
/// @param hostArgs the arguments in one block of host memory, each at a multiple of its own alignment, as in a C
/// structure, and behind them the data of place holders. It is copied during the call.
/// @param argsSize its length in bytes, data and all; 0 for a kernel without parameters.
/// @param placeHolderArray null, or place holders: the data at `dataOffset` of each is copied for this
/// launch to memory that devices read, and its address there, 8 bytes, is written to `addrOffset`, be
/// that in the arguments or in the data. Alignment is kept up to 512 bytes.
/// @param placeHolderNum how many there are, 65536 at most.
/// @return as aclrtLaunchSIMTKernelWithArgsArray; ACL_ERROR_INVALID_PARAM 100000: also where an offset is not inside the
/// block, or data inside the arguments; ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
/// Thread-safe. Follows aclrtLaunchSIMTKernelWithHostArgs of the Ascend runtime API.
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
    guard("aclrtLaunchSIMTKernelWithHostArgs", || {
        // SAFETY: aclrtLaunchSIMTKernelWithHostArgs takes null or a configuration with `numAttrs`
        // attributes.
        let config = unsafe { read_config(cfg) }?;
        // SAFETY: aclrtLaunchSIMTKernelWithHostArgs asks for `argsSize` readable bytes at
        // `hostArgs`.
        let block = unsafe { host_arguments(hostArgs, argsSize) }?;
        let place_holders = place_holders(placeHolderArray, placeHolderNum)?;
        let request = Request {
            argument: "func",
            function: symbol::callee(handle::from_c(func)),
            shape: Shape::Grid {
                grid: [gridDim.x, gridDim.y, gridDim.z],
                threads: [blockDim.x, blockDim.y, blockDim.z],
                shared_bytes: dynUbufSize,
            },
            arguments: NO_ARGUMENTS,
            config,
        };
        kernel_launch::launch_with_data(request, block, &place_holders, handle::from_c(stream))
    })
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
