//! Argument lists of kernels.

use std::ffi::c_void;

use crate::base::{address, bytes, check_len, guard, guard_out, handle, must_not_be_null};
use crate::core::base::error::{Result, invalid_param, param_invalid};
use crate::core::kernel::kernel_args::{self, Argument, Head, List, Room};
use crate::types::{aclError, aclrtArgsHandle, aclrtFuncHandle, aclrtParamHandle};

/// Calls a function with an argument list: a library list behind a handle, or a list in the caller's memory.
///
/// # Safety
///
/// `argsHandle` is a handle of any kind, or points to readable memory, as long as a list if it begins like one.
pub unsafe fn with_list<R>(argsHandle: aclrtArgsHandle, work: impl FnOnce(&mut List<'_>) -> Result<R>) -> Result<R> {
    let raw = handle::from_c(argsHandle);
    if kernel_args::is_handle(raw) {
        return kernel_args::with_list(raw, work);
    }
    let addr = address::from_c(argsHandle);
    let head: *mut Head = argsHandle.cast();
    // SAFETY: aligned, and by the caller's promise memory, whose first bytes are a number.
    if !head.is_aligned() || unsafe { head.cast::<u64>().read() } != Head::mark(addr) {
        return Err(param_invalid!(
            "argsHandle {addr:#x} is not a list of arguments; it must be a handle from aclrtKernelArgsInit, or the \
             address that was passed to aclrtKernelArgsInitByUserMem (not that of a copy)"
        ));
    }
    // SAFETY: it begins as only a list at this address does, which `aclrtKernelArgsInitByUserMem`
    // has put there with entries behind it; nothing else uses it during the call, which is the
    // contract of such lists.
    let list = unsafe {
        let head = &mut *head;
        let entries = (head as *mut Head).add(1).cast::<Argument>();
        let entries = std::slice::from_raw_parts_mut(entries, head.most);
        let room = std::slice::from_raw_parts_mut(address::to_c(head.room).cast(), head.room_len);
        &mut List { head, entries, room: Room::Callers(room) }
    };
    work(list)
}

/// Begins an argument list of a kernel, for aclrtLaunchKernelWithConfig. The library owns the list: it is released with
/// the kernel's binary, and, once it was launched, at the earliest when 512 further lists were begun for the same
/// kernel. A list may be launched several times.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param argsHandle receives the list.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more lists can be created.
/// @note Thread-safe. Follows aclrtKernelArgsInit of the Ascend runtime API; the lifetime of a list is portacl's
///     choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsInit(
    funcHandle: aclrtFuncHandle,
    argsHandle: *mut aclrtArgsHandle,
) -> aclError {
    guard_out("aclrtKernelArgsInit", "argsHandle", argsHandle, || {
        Ok(handle::to_c(kernel_args::create(handle::from_c(funcHandle))?))
    })
}

/// Begins an argument list of a kernel in the caller's memory. The caller keeps the memory, unmoved, as long as it
/// uses the list; there is nothing else to release. Overwrites a previous list in this memory.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param argsHandle host memory of the size that aclrtKernelArgsGetHandleMemSize returns, at a multiple of 8. It
///     becomes the handle of the list.
/// @param userHostMem host memory for the arguments and their data.
/// @param actualArgsSize its size in bytes, as aclrtKernelArgsGetMemSize returns it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, memory that is not aligned, or too little for the kernel's
///     arguments.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @note Thread-safe for different memory. Follows aclrtKernelArgsInitByUserMem of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsInitByUserMem(
    funcHandle: aclrtFuncHandle,
    argsHandle: aclrtArgsHandle,
    userHostMem: *mut c_void,
    actualArgsSize: usize,
) -> aclError {
    guard("aclrtKernelArgsInitByUserMem", || {
        must_not_be_null("argsHandle", argsHandle)?;
        must_not_be_null("userHostMem", userHostMem)?;
        let addr = address::from_c(argsHandle);
        let list: *mut Head = argsHandle.cast();
        if !list.is_aligned() {
            return Err(invalid_param!("argsHandle {addr:#x} is not a multiple of {}", align_of::<Head>()));
        }
        check_len("actualArgsSize", actualArgsSize)?;
        let room = address::from_c(userHostMem);
        let head = kernel_args::begin(handle::from_c(funcHandle), addr, room, actualArgsSize)?;
        // SAFETY: aligned, and by the contract of the C boundary as large as a list is.
        unsafe {
            list.write(head);
            list.add(1).cast::<Argument>().write_bytes(0, head.most);
        }
        Ok(())
    })
}

/// Appends an argument to a list. If the kernel's parameters are known (aclrtFunctionGetParamInfo), it is placed at the
/// kernel's offset; otherwise after the previous argument, at a multiple of its size if that is 1, 2, 4 or 8, else of
/// 8.
///
/// @param argsHandle a list that is not finalized.
/// @param param the argument's first byte; it is copied.
/// @param paramSize its size in bytes, at least 1; all arguments together have at most 4096 bytes.
/// @param paramHandle receives a handle of the argument for aclrtKernelArgsParaUpdate.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `paramSize` is 0, or the argument does not fit.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, finalized, the kernel's binary was unloaded, or the kernel's
///     next parameter has another size or does not exist.
/// @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
///     aclrtKernelArgsAppend of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsAppend(
    argsHandle: aclrtArgsHandle,
    param: *mut c_void,
    paramSize: usize,
    paramHandle: *mut aclrtParamHandle,
) -> aclError {
    guard_out("aclrtKernelArgsAppend", "paramHandle", paramHandle, || {
        // SAFETY: aclrtKernelArgsAppend asks for `paramSize` readable bytes at `param`.
        let value = unsafe { bytes("param", param, "paramSize", paramSize, "the argument") }?;
        // SAFETY: `argsHandle` is a list's handle or memory that aclrtKernelArgsInitByUserMem
        // prepared.
        unsafe { with_list(argsHandle, |list| list.append(value).map(handle::to_c)) }
    })
}

/// Appends a placeholder: an argument that is the address of data in the buffer of aclrtKernelArgsGetPlaceHolderBuffer.
/// A launch copies the data to memory that devices can read, and passes its address.
///
/// @param argsHandle a list that is not finalized.
/// @param paramHandle receives a handle of the placeholder for aclrtKernelArgsGetPlaceHolderBuffer.
/// @return the codes of aclrtKernelArgsAppend, for an argument of 8 bytes.
/// @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
///     aclrtKernelArgsAppendPlaceHolder of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsAppendPlaceHolder(
    argsHandle: aclrtArgsHandle,
    paramHandle: *mut aclrtParamHandle,
) -> aclError {
    guard_out("aclrtKernelArgsAppendPlaceHolder", "paramHandle", paramHandle, || {
        // SAFETY: the list to append the placeholder to is a handle or the caller's prepared
        // memory.
        unsafe { with_list(argsHandle, |list| list.append_place_holder().map(handle::to_c)) }
    })
}

/// Returns the buffer for the data of a placeholder; each launch copies its contents at that time. The buffer lives as
/// long as its list. In the caller's memory it is at a multiple of 64.
///
/// @param argsHandle a list.
/// @param paramHandle from aclrtKernelArgsAppendPlaceHolder.
/// @param dataSize its size in bytes, at least 1. Repeated calls return the same buffer, and need the same size.
/// @param bufferAddr receives the address, in host memory.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `dataSize` is 0, or the data does not fit into the caller's
///     memory.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, not one of its placeholders, or its buffer has another size.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory.
/// @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
///     aclrtKernelArgsGetPlaceHolderBuffer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetPlaceHolderBuffer(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    dataSize: usize,
    bufferAddr: *mut *mut c_void,
) -> aclError {
    guard_out("aclrtKernelArgsGetPlaceHolderBuffer", "bufferAddr", bufferAddr, || {
        // SAFETY: the list that has the placeholder is a handle or the caller's prepared memory.
        let addr = unsafe { with_list(argsHandle, |list| list.buffer(handle::from_c(paramHandle), dataSize)) };
        addr.map(address::to_c)
    })
}

/// Changes the value of an argument in a list, for later launches.
///
/// @param argsHandle a list, finalized or not.
/// @param paramHandle from aclrtKernelArgsAppend.
/// @param param the value's first byte; it is copied.
/// @param paramSize its size in bytes, the same as before.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `paramSize` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, not one of its arguments, a placeholder, or another size.
/// @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
///     aclrtKernelArgsParaUpdate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsParaUpdate(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    param: *mut c_void,
    paramSize: usize,
) -> aclError {
    guard("aclrtKernelArgsParaUpdate", || {
        // SAFETY: aclrtKernelArgsParaUpdate asks for `paramSize` readable bytes at `param`.
        let value = unsafe { bytes("param", param, "paramSize", paramSize, "the argument") }?;
        // SAFETY: the list to update is a handle or the caller's prepared memory.
        unsafe { with_list(argsHandle, |list| list.update(handle::from_c(paramHandle), value)) }
    })
}

/// Finalizes a list: all its arguments, and the buffers of its placeholders, are set. A repeated call has no effect.
///
/// @param argsHandle a list.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, the kernel's binary was unloaded, fewer arguments than the
///     kernel has parameters, or a placeholder without a buffer.
/// @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
///     aclrtKernelArgsFinalize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsFinalize(argsHandle: aclrtArgsHandle) -> aclError {
    guard("aclrtKernelArgsFinalize", || {
        // SAFETY: the list to finalize is a handle or the caller's prepared memory.
        unsafe { with_list(argsHandle, |list| list.finalize()) }
    })
}

/// Returns how much memory aclrtKernelArgsInitByUserMem needs for a list itself.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param memSize receives the bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @note Thread-safe. Follows aclrtKernelArgsGetHandleMemSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetHandleMemSize(funcHandle: aclrtFuncHandle, memSize: *mut usize) -> aclError {
    guard_out("aclrtKernelArgsGetHandleMemSize", "memSize", memSize, || {
        kernel_args::handle_size(handle::from_c(funcHandle))
    })
}

/// Returns how much memory aclrtKernelArgsInitByUserMem needs for the arguments and the data of placeholders.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param userArgsSize bytes of all arguments, 8 for each placeholder, plus the bytes of all data.
/// @param actualArgsSize receives the bytes, including alignment.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or a sum that overflows.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @note Thread-safe. Follows aclrtKernelArgsGetMemSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetMemSize(
    funcHandle: aclrtFuncHandle,
    userArgsSize: usize,
    actualArgsSize: *mut usize,
) -> aclError {
    guard_out("aclrtKernelArgsGetMemSize", "actualArgsSize", actualArgsSize, || {
        kernel_args::room_size(handle::from_c(funcHandle), userArgsSize)
    })
}
