//! Buffers that components of a program pass to each other, alone or in chains.

use std::ffi::c_void;

use crate::base::{Array, Out, address, guard, guard_out, guard_outs, handle, must_not_be_null};
use crate::core::memory::buffer::{self, USER_BYTES};
use crate::types::{aclError, aclrtMbuf};

/// Creates a buffer: page-locked host memory with a data length, initially 0, and 96 bytes of user data, initially 0.
/// Needs no current context. Lives until aclrtFreeBuf or aclFinalize.
///
/// @param buf receives the buffer.
/// @param size capacity in bytes, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or `size` is 0.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory left, or no more buffers can be created.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtAllocBuf of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocBuf(buf: *mut aclrtMbuf, size: usize) -> aclError {
    guard_out("aclrtAllocBuf", "buf", buf, || Ok(handle::to_c(buffer::alloc(size)?.raw())))
}

/// Frees a buffer and all buffers that were appended to it. The memory is freed with its last reference
/// (aclrtCopyBufRef), but not before pending work that uses it is complete. If the buffer was already released with its
/// session, the first call succeeds and does nothing: docs/failures.md.
///
/// @param buf a buffer that is not in the chain of another buffer.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, already freed, in the chain of another buffer, or called
///     inside a host function.
/// @note Thread-safe. Follows aclrtFreeBuf of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeBuf(buf: aclrtMbuf) -> aclError {
    guard("aclrtFreeBuf", || buffer::free(handle::from_c(buf)))
}

/// Returns the address of a buffer's data. Copies treat it as memory from aclrtMallocHost; aclrtFreeHost rejects it.
///
/// @param buf a buffer.
/// @param dataPtr receives the address, a multiple of 64.
/// @param size receives the capacity in bytes, whatever the data length is.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed.
/// @note Thread-safe. Follows aclrtGetBufData of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufData(buf: aclrtMbuf, dataPtr: *mut *mut c_void, size: *mut usize) -> aclError {
    guard_outs("aclrtGetBufData", ("dataPtr", dataPtr), ("size", size), || {
        let data = buffer::data(handle::from_c(buf))?;
        Ok((address::to_c(data.addr), data.size))
    })
}

/// Sets the data length of a buffer. The value is stored and limits nothing.
///
/// @param buf a buffer.
/// @param len bytes, at most the capacity.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, or `len` is larger than the capacity.
/// @note Thread-safe. Follows aclrtSetBufDataLen of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetBufDataLen(buf: aclrtMbuf, len: usize) -> aclError {
    guard("aclrtSetBufDataLen", || buffer::set_len(handle::from_c(buf), len))
}

/// Returns the data length of a buffer, as set by aclrtSetBufDataLen.
///
/// @param buf a buffer.
/// @param len receives the bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed.
/// @note Thread-safe. Follows aclrtGetBufDataLen of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufDataLen(buf: aclrtMbuf, len: *mut usize) -> aclError {
    guard_out("aclrtGetBufDataLen", "len", len, || buffer::len(handle::from_c(buf)))
}

/// Writes to the 96 bytes of user data of a buffer. Atomic for other threads: they read all of it or nothing.
///
/// @param buf a buffer.
/// @param dataPtr the value to write.
/// @param size bytes, at least 1.
/// @param offset where to write; `offset` + `size` is at most 96.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed; 100000 also if `size` is 0 or the bytes go past
///     the end.
/// @note Thread-safe. Follows aclrtSetBufUserData of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetBufUserData(
    buf: aclrtMbuf,
    dataPtr: *const c_void,
    size: usize,
    offset: usize,
) -> aclError {
    guard("aclrtSetBufUserData", || {
        must_not_be_null("dataPtr", dataPtr)?;
        buffer::check_user_data(size, offset)?;
        // Read with no lock held: the memory may fault.
        let mut bytes = [0; USER_BYTES];
        bytes.iter_mut().zip(Array::new(dataPtr.cast(), size).iter()).for_each(|(to, from)| *to = from);
        buffer::set_user_data(handle::from_c(buf), offset, &bytes[..size])
    })
}

/// Reads from the 96 bytes of user data of a buffer.
///
/// @param buf a buffer.
/// @param dataPtr receives the bytes.
/// @param size bytes, at least 1.
/// @param offset where to read; `offset` + `size` is at most 96.
/// @return the codes of aclrtSetBufUserData.
/// @note Thread-safe. Follows aclrtGetBufUserData of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufUserData(
    buf: aclrtMbuf,
    dataPtr: *mut c_void,
    size: usize,
    offset: usize,
) -> aclError {
    guard("aclrtGetBufUserData", || {
        let out = Out::new("dataPtr", dataPtr.cast::<u8>())?;
        buffer::check_user_data(size, offset)?;
        let bytes = buffer::user_data(handle::from_c(buf))?;
        // SAFETY: by the contract of the C boundary there is room for `size` bytes.
        unsafe { out.write_all(bytes[offset..][..size].iter().copied()) };
        Ok(())
    })
}

/// Creates another reference to a buffer's data: a separate buffer with a copy of the data length and the user data and
/// without a chain. The caller frees it with aclrtFreeBuf.
///
/// @param buf a buffer.
/// @param newBuf receives the new buffer.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more buffers can be created.
/// @note Thread-safe. Follows aclrtCopyBufRef of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCopyBufRef(buf: aclrtMbuf, newBuf: *mut aclrtMbuf) -> aclError {
    guard_out("aclrtCopyBufRef", "newBuf", newBuf, || Ok(handle::to_c(buffer::share(handle::from_c(buf))?.raw())))
}

/// Appends a buffer to the end of a chain. From then on it is freed with the head of the chain, not separately.
///
/// @param headBuf a buffer, the first of its chain or without a chain.
/// @param buf another buffer, in no chain and without a chain.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, both are the same, or one of them is in the chain
///     of another buffer or, as `buf`, has a chain.
/// @note Thread-safe. Follows aclrtAppendBufChain of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAppendBufChain(headBuf: aclrtMbuf, buf: aclrtMbuf) -> aclError {
    guard("aclrtAppendBufChain", || buffer::append(handle::from_c(headBuf), handle::from_c(buf)))
}

/// Returns the number of buffers in a chain, including its head.
///
/// @param headBuf a buffer, the first of its chain or without a chain.
/// @param num receives the number; 1 for a buffer without a chain.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, or in the chain of another buffer.
/// @note Thread-safe. Follows aclrtGetBufChainNum of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufChainNum(headBuf: aclrtMbuf, num: *mut u32) -> aclError {
    guard_out("aclrtGetBufChainNum", "num", num, || buffer::chain_len(handle::from_c(headBuf)))
}

/// Returns a buffer of a chain, in the order in which they were appended.
///
/// @param headBuf a buffer, the first of its chain or without a chain.
/// @param index 0: the head itself.
/// @param buf receives the buffer, which still belongs to the chain.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, in the chain of another buffer, or no such index.
/// @note Thread-safe. Follows aclrtGetBufFromChain of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufFromChain(headBuf: aclrtMbuf, index: u32, buf: *mut aclrtMbuf) -> aclError {
    guard_out("aclrtGetBufFromChain", "buf", buf, || {
        Ok(handle::to_c(buffer::in_chain(handle::from_c(headBuf), index)?))
    })
}
