//! Lists of a kernel's arguments.

use std::ffi::c_void;

use crate::core::base::error::{Error, Result};
use crate::core::kernel::kernel_args::{self, Entry, Head, List, Room};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, handle, must_not_be_null};
use crate::ffi::types::{aclError, aclrtArgsHandle, aclrtFuncHandle, aclrtParamHandle};

/// Works with a list: the library's own behind a handle, or one in memory of the caller.
///
/// # Safety
/// `argsHandle` is a handle of any kind, or points to memory that can be read, as much as a list
/// has if it begins like one.
pub unsafe fn with_list<R>(
    argsHandle: aclrtArgsHandle,
    work: impl FnOnce(&mut List<'_>) -> Result<R>,
) -> Result<R> {
    let raw = handle::from_c(argsHandle);
    if kernel_args::is_handle(raw) {
        return kernel_args::with_own(raw, work);
    }
    let addr = address::from_c(argsHandle);
    let head: *mut Head = argsHandle.cast();
    // SAFETY: aligned, and by the caller's promise memory, whose first bytes are a number.
    if !head.is_aligned() || unsafe { head.cast::<u64>().read() } != Head::mark(addr) {
        return Err(kernel_args::is_no_list(addr));
    }
    // SAFETY: it begins as only a list at this address does, which `aclrtKernelArgsInitByUserMem`
    // has put there with entries behind it; nobody else uses it during the call, which is the
    // contract of such lists.
    let list = unsafe {
        let head = &mut *head;
        let entries = (head as *mut Head).add(1).cast::<Entry>();
        let entries = std::slice::from_raw_parts_mut(entries, head.most);
        let room = std::slice::from_raw_parts_mut(
            std::ptr::with_exposed_provenance_mut::<u8>(head.room),
            head.room_len,
        );
        &mut List { head, entries, room: Room::Callers(room) }
    };
    work(list)
}

/// The bytes of an argument.
///
/// # Safety
/// `param` is null or points to as many bytes as `size` says, which outlive the result.
unsafe fn argument<'a>(param: *const c_void, size: usize) -> Result<&'a [u8]> {
    must_not_be_null("param", param)?;
    if size == 0 {
        return Err(Error::invalid_param("paramSize is 0; it must be the bytes of the argument"));
    }
    if size > isize::MAX as usize {
        return Err(Error::invalid_param(format_args!(
            "paramSize is {size} bytes; no memory is larger than {}",
            isize::MAX
        )));
    }
    // SAFETY: `param` is not null, and the caller vouches for `size` bytes there.
    Ok(unsafe { std::slice::from_raw_parts(param.cast::<u8>(), size) })
}

/// Begins a list of a kernel's arguments, for aclrtLaunchKernelWithConfig. The list is the library's: it goes with the
/// kernel's binary, and, once it was launched, when 1024 further ones were begun for the same kernel. A list may be
/// launched several times.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param argsHandle receives the list.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a kernel, or its program was unloaded; ACL_ERROR_BAD_ALLOC 200000: no more lists can be made. Thread-safe.
/// Follows aclrtKernelArgsInit of the Ascend runtime API; when a list goes is this library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsInit(
    funcHandle: aclrtFuncHandle,
    argsHandle: *mut aclrtArgsHandle,
) -> aclError {
    guard("aclrtKernelArgsInit", || {
        let out = Out::new("argsHandle", argsHandle)?;
        out.write(handle::to_c(kernel_args::create(handle::from_c(funcHandle))?));
        Ok(())
    })
}

/// Begins a list of a kernel's arguments in memory of the caller, which keeps it as long as it uses the list, in this
/// place; there is nothing else to give back. A list that was there before is forgotten.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param argsHandle host memory, as much as aclrtKernelArgsGetHandleMemSize says, at a multiple of 8. From now on it
/// stands for the list.
/// @param userHostMem host memory for the arguments and their data.
/// @param actualArgsSize its bytes, as aclrtKernelArgsGetMemSize says.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, memory that is not aligned, or less than the
/// kernel's arguments have; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was unloaded.
/// Thread-safe for different memory. Follows aclrtKernelArgsInitByUserMem of the Ascend runtime API.
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
            return Err(Error::invalid_param(format_args!(
                "argsHandle {addr:#x} is not at a multiple of {}",
                align_of::<Head>()
            )));
        }
        if actualArgsSize > isize::MAX as usize {
            return Err(Error::invalid_param(format_args!(
                "actualArgsSize is {actualArgsSize} bytes; no memory is larger than {}",
                isize::MAX
            )));
        }
        let room = address::from_c(userHostMem);
        let head = kernel_args::begin(handle::from_c(funcHandle), addr, room, actualArgsSize)?;
        // SAFETY: aligned, and by the contract of the C boundary as large as a list is.
        unsafe {
            list.write(head);
            list.add(1).cast::<Entry>().write_bytes(0, head.most);
        }
        Ok(())
    })
}

/// Adds an argument to a list. Where the kernel's parameters are known (aclrtFunctionGetParamInfo) it goes where the
/// kernel expects it; else behind the one before, at a multiple of its size if that is 1, 2, 4 or 8, else of 8.
///
/// @param argsHandle a list that is not finalized.
/// @param param the argument's first byte; it is copied.
/// @param paramSize its bytes, 1 or more; all arguments together have 4096 at most.
/// @param paramHandle receives what aclrtKernelArgsParaUpdate takes for it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `paramSize` 0, or no room for it;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a list, finalized, the kernel's binary is gone, or the kernel's next parameter
/// has another size or does not exist. Thread-safe, for one list in one thread at a time where it lies in the caller's
/// memory. Follows aclrtKernelArgsAppend of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsAppend(
    argsHandle: aclrtArgsHandle,
    param: *mut c_void,
    paramSize: usize,
    paramHandle: *mut aclrtParamHandle,
) -> aclError {
    guard("aclrtKernelArgsAppend", || {
        let out = Out::new("paramHandle", paramHandle)?;
        // SAFETY: aclrtKernelArgsAppend asks for `paramSize` readable bytes at `param`.
        let value = unsafe { argument(param, paramSize) }?;
        // SAFETY: `argsHandle` is a list's handle or memory that aclrtKernelArgsInitByUserMem
        // prepared.
        let added = unsafe { with_list(argsHandle, |list| list.append(value)) }?;
        out.write(handle::to_c(added));
        Ok(())
    })
}

/// Adds an argument that is the address of data, which aclrtKernelArgsGetPlaceHolderBuffer takes. A launch copies the
/// data to memory that devices read, and passes its address there.
///
/// @param argsHandle a list that is not finalized.
/// @param paramHandle receives what aclrtKernelArgsGetPlaceHolderBuffer takes for it.
/// @return as aclrtKernelArgsAppend, for an argument of 8 bytes. Thread-safe, for one list in one thread at a time where
/// it lies in the caller's memory. Follows aclrtKernelArgsAppendPlaceHolder of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsAppendPlaceHolder(
    argsHandle: aclrtArgsHandle,
    paramHandle: *mut aclrtParamHandle,
) -> aclError {
    guard("aclrtKernelArgsAppendPlaceHolder", || {
        let out = Out::new("paramHandle", paramHandle)?;
        // SAFETY: the list to append the place holder to is a handle or the caller's prepared
        // memory.
        let added = unsafe { with_list(argsHandle, |list| list.append_place_holder()) }?;
        out.write(handle::to_c(added));
        Ok(())
    })
}

/// Tells where the data of a place holder is to be written; each launch takes what is there then. The buffer lives as
/// long as its list, at a multiple of 64 where that lies in the caller's memory.
///
/// @param argsHandle a list.
/// @param paramHandle from aclrtKernelArgsAppendPlaceHolder.
/// @param dataSize its bytes, 1 or more. Asking again gives the same buffer, and has to be for as many.
/// @param bufferAddr receives the address, in host memory.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `dataSize` 0, or no room for it in the caller's
/// memory; ACL_ERROR_RT_PARAM_INVALID 107000: not a list, not a place holder of it, or its buffer has another size;
/// ACL_ERROR_BAD_ALLOC 200000: no host memory. Thread-safe, for one list in one thread at a time where it lies in the
/// caller's memory. Follows aclrtKernelArgsGetPlaceHolderBuffer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetPlaceHolderBuffer(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    dataSize: usize,
    bufferAddr: *mut *mut c_void,
) -> aclError {
    guard("aclrtKernelArgsGetPlaceHolderBuffer", || {
        let out = Out::new("bufferAddr", bufferAddr)?;
        let handle = handle::from_c(paramHandle);
        // SAFETY: the list that has the place holder is a handle or the caller's prepared memory.
        let buffer = unsafe { with_list(argsHandle, |list| list.buffer(handle, dataSize)) }?;
        out.write(address::to_c(buffer));
        Ok(())
    })
}

/// Gives an argument of a list another value, for launches from now on.
///
/// @param argsHandle a list, also one that is finalized.
/// @param paramHandle from aclrtKernelArgsAppend.
/// @param param the value's first byte; it is copied.
/// @param paramSize its bytes, as many as before.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer or `paramSize` 0; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a list, not an argument of it, a place holder, or another size. Thread-safe, for one list in one thread at
/// a time where it lies in the caller's memory. Follows aclrtKernelArgsParaUpdate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsParaUpdate(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    param: *mut c_void,
    paramSize: usize,
) -> aclError {
    guard("aclrtKernelArgsParaUpdate", || {
        // SAFETY: aclrtKernelArgsParaUpdate asks for `paramSize` readable bytes at `param`.
        let value = unsafe { argument(param, paramSize) }?;
        let handle = handle::from_c(paramHandle);
        // SAFETY: the list to update is a handle or the caller's prepared memory.
        unsafe { with_list(argsHandle, |list| list.update(handle, value)) }
    })
}

/// Ends the filling of a list: it has all its arguments, and place holders their buffers. Doing so again changes
/// nothing.
///
/// @param argsHandle a list.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a list, the kernel's
/// binary is gone, fewer arguments than the kernel is known to have parameters, or a place holder without a buffer.
/// Thread-safe, for one list in one thread at a time where it lies in the caller's memory. Follows
/// aclrtKernelArgsFinalize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsFinalize(argsHandle: aclrtArgsHandle) -> aclError {
    guard("aclrtKernelArgsFinalize", || {
        // SAFETY: the list to finalize is a handle or the caller's prepared memory.
        unsafe { with_list(argsHandle, |list| list.finalize()) }
    })
}

/// Tells how much memory aclrtKernelArgsInitByUserMem needs for a list itself.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param memSize receives the bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a kernel, or its program was unloaded. Thread-safe. Follows aclrtKernelArgsGetHandleMemSize of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetHandleMemSize(
    funcHandle: aclrtFuncHandle,
    memSize: *mut usize,
) -> aclError {
    guard("aclrtKernelArgsGetHandleMemSize", || {
        let out = Out::new("memSize", memSize)?;
        out.write(kernel_args::handle_size(handle::from_c(funcHandle))?);
        Ok(())
    })
}

/// Tells how much memory aclrtKernelArgsInitByUserMem needs for the arguments and the data of place holders.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param userArgsSize bytes of all arguments, 8 for each place holder, and of all data, together.
/// @param actualArgsSize receives the bytes, which are more for the sake of alignment.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or more than any memory has;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was unloaded. Thread-safe. Follows
/// aclrtKernelArgsGetMemSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsGetMemSize(
    funcHandle: aclrtFuncHandle,
    userArgsSize: usize,
    actualArgsSize: *mut usize,
) -> aclError {
    guard("aclrtKernelArgsGetMemSize", || {
        let out = Out::new("actualArgsSize", actualArgsSize)?;
        out.write(kernel_args::room_size(handle::from_c(funcHandle), userArgsSize)?);
        Ok(())
    })
}
