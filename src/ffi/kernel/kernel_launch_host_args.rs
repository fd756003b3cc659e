//! Launches of kernels whose arguments are followed by data that devices read.

use std::ffi::c_void;

use crate::base::{Array, bytes, guard, handle};
use crate::core::base::error::{Result, invalid_param};
use crate::core::base::host_memory;
use crate::core::kernel::kernel_launch::{self, PlaceHolder};
use crate::kernel::kernel_launch::{NO_ARGUMENTS, grid, of_blocks, of_symbol, read_config};
use crate::types::{aclError, aclrtFuncHandle, aclrtLaunchKernelCfg, aclrtPlaceHolderInfo, aclrtStream, dim3};

/// The maximum number of placeholders: as many addresses as fit into the arguments and the data after them.
const MOST_PLACE_HOLDERS: usize = 1 << 16;

/// The placeholders of a launch.
fn place_holders(first: *const aclrtPlaceHolderInfo, count: usize) -> Result<Vec<PlaceHolder>> {
    let entries = Array::checked("placeHolderArray", first, "placeHolderNum", count)?;
    if count > MOST_PLACE_HOLDERS {
        return Err(invalid_param!("placeHolderNum is {count}; a launch has at most {MOST_PLACE_HOLDERS}"));
    }
    let _memory = host_memory::claim("placeholders", count, size_of::<PlaceHolder>())?;
    let of_c = |one: aclrtPlaceHolderInfo| PlaceHolder { addr: one.addrOffset as usize, data: one.dataOffset as usize };
    Ok(entries.iter().map(of_c).collect())
}

/// A block of arguments.
///
/// # Safety
///
/// `first` is null or points to `len` bytes, which outlive the result.
unsafe fn host_arguments<'a>(first: *const c_void, len: usize) -> Result<&'a [u8]> {
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: both launches vouch for `len` bytes of arguments at `first`.
    unsafe { bytes("hostArgs", first, "argsSize", len, "the arguments") }
}

/// Launches a kernel as aclrtLaunchKernelV2, with arguments that may contain placeholders: addresses of data that the
/// call copies to memory that devices can read.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
///     bound allows, on the cpu backend one.
/// @param stream a stream; null: the default stream of the current context.
/// @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
///     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
/// @param hostArgs the arguments in one block of host memory, each at a multiple of its alignment, as in a C structure,
///     followed by the data of placeholders. It is copied during the call.
/// @param argsSize its length in bytes, including the data; 0 for a kernel without parameters.
/// @param placeHolderArray null, or placeholders: the call copies the data at the `dataOffset` of each to memory that
///     devices can read, and writes the 8-byte address of the copy to `addrOffset`, in the arguments or in the data.
///     If `dataOffset` is a multiple of a power of two up to 512, so is the address of the copy.
/// @param placeHolderNum number of placeholders, at most 65536.
/// @return the codes of aclrtLaunchKernelV2
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if an offset is outside of the block, or data is inside the arguments.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
/// @note Thread-safe. Follows aclrtLaunchKernelWithHostArgs of the Ascend runtime API.
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
        let config = read_config(cfg)?;
        // SAFETY: aclrtLaunchKernelWithHostArgs asks for `argsSize` readable bytes at `hostArgs`.
        let block = unsafe { host_arguments(hostArgs, argsSize) }?;
        let place_holders = place_holders(placeHolderArray, placeHolderNum)?;
        let request = of_blocks(funcHandle, numBlocks, NO_ARGUMENTS, config);
        kernel_launch::launch_with_data(request, block, &place_holders, handle::from_c(stream))
    })
}

/// Launches a kernel as aclrtLaunchSIMTKernelWithArgsArray, with arguments as in aclrtLaunchKernelWithHostArgs.
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
/// @param hostArgs the arguments in one block of host memory, each at a multiple of its alignment, as in a C structure,
///     followed by the data of placeholders. It is copied during the call.
/// @param argsSize its length in bytes, including the data; 0 for a kernel without parameters.
/// @param placeHolderArray null, or placeholders: the call copies the data at the `dataOffset` of each to memory that
///     devices can read, and writes the 8-byte address of the copy to `addrOffset`, in the arguments or in the data.
///     If `dataOffset` is a multiple of a power of two up to 512, so is the address of the copy.
/// @param placeHolderNum number of placeholders, at most 65536.
/// @return the codes of aclrtLaunchSIMTKernelWithArgsArray
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if an offset is outside of the block, or data is inside the arguments.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
/// @note Thread-safe. Follows aclrtLaunchSIMTKernelWithHostArgs of the Ascend runtime API.
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
        let config = read_config(cfg)?;
        // SAFETY: aclrtLaunchSIMTKernelWithHostArgs asks for `argsSize` readable bytes at
        // `hostArgs`.
        let block = unsafe { host_arguments(hostArgs, argsSize) }?;
        let place_holders = place_holders(placeHolderArray, placeHolderNum)?;
        let request = of_symbol(func, grid(gridDim, blockDim, dynUbufSize), NO_ARGUMENTS, config);
        kernel_launch::launch_with_data(request, block, &place_holders, handle::from_c(stream))
    })
}
