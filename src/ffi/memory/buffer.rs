//! Buffers that are handed from one part of a program to another, alone or in chains.

use std::ffi::c_void;

use crate::core::memory::buffer::{self, USER_BYTES};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Array, Out, address, handle, must_not_be_null};
use crate::ffi::types::{aclError, aclrtMbuf};

/// Makes a buffer: page-locked host memory with a length of data, which is 0 at first, and 96 bytes of the
/// caller's own, which are 0. Needs no current context. Lives until aclrtFreeBuf or aclFinalize.
///
/// @param buf receives the buffer.
/// @param size bytes of data it has room for, at least 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or `size` is 0; ACL_ERROR_BAD_ALLOC 200000:
/// no host memory left, or no more buffers can be made; ACL_ERROR_RT_CONTEXT_NULL 107002:
/// after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclrtAllocBuf of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocBuf(buf: *mut aclrtMbuf, size: usize) -> aclError {
    guard("aclrtAllocBuf", || {
        let out = Out::new("buf", buf)?;
        out.write(handle::to_c(buffer::alloc(size)?.raw()));
        Ok(())
    })
}

/// Frees a buffer, and all that was appended to it. The memory goes with its last reference (aclrtCopyBufRef);
/// queued work that uses it keeps it until then.
///
/// @param buf a buffer that is in no other one's chain.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// freed before, in the chain of another one, or called inside a host function. Thread-safe. Follows
/// aclrtFreeBuf of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeBuf(buf: aclrtMbuf) -> aclError {
    guard("aclrtFreeBuf", || buffer::free(handle::from_c(buf)))
}

/// Where a buffer's data are. Copies take them for memory of aclrtMallocHost; aclrtFreeHost refuses them.
///
/// @param buf a buffer.
/// @param dataPtr receives the address, a multiple of 64.
/// @param size receives the bytes there are room for, whatever the length of the data is.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed. Thread-safe. Follows aclrtGetBufData of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufData(
    buf: aclrtMbuf,
    dataPtr: *mut *mut c_void,
    size: *mut usize,
) -> aclError {
    guard("aclrtGetBufData", || {
        let (addr, len) = (Out::new("dataPtr", dataPtr)?, Out::new("size", size)?);
        let data = buffer::data(handle::from_c(buf))?;
        addr.write(address::to_c(data.addr));
        len.write(data.size);
        Ok(())
    })
}

/// Says how many bytes of a buffer are data. The number is kept; it bounds nothing.
///
/// @param buf a buffer.
/// @param len bytes, at most what there is room for.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed, or `len` is more than that. Thread-safe. Follows aclrtSetBufDataLen of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetBufDataLen(buf: aclrtMbuf, len: usize) -> aclError {
    guard("aclrtSetBufDataLen", || buffer::set_len(handle::from_c(buf), len))
}

/// How many bytes of a buffer are data, as aclrtSetBufDataLen has said.
///
/// @param buf a buffer.
/// @param len receives the bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed. Thread-safe. Follows aclrtGetBufDataLen of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufDataLen(buf: aclrtMbuf, len: *mut usize) -> aclError {
    guard("aclrtGetBufDataLen", || {
        let out = Out::new("len", len)?;
        out.write(buffer::len(handle::from_c(buf))?);
        Ok(())
    })
}

/// Writes to a buffer's 96 bytes for the user. Another thread reads all of it or nothing.
///
/// @param buf a buffer.
/// @param dataPtr what to write.
/// @param size bytes, at least 1.
/// @param offset where to write them; `offset` + `size` is at most 96.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed; 100000 also if `size` is 0 or the bytes go past the end. Thread-safe. Follows aclrtSetBufUserData
/// of the Ascend runtime API.
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
        let from = Array::new(dataPtr.cast::<u8>(), size);
        let mut bytes = [0; USER_BYTES];
        for (index, byte) in bytes[..size].iter_mut().enumerate() {
            *byte = from.get(index);
        }
        buffer::set_user_data(handle::from_c(buf), offset, &bytes[..size])
    })
}

/// Reads from a buffer's 96 bytes for the user.
///
/// @param buf a buffer.
/// @param dataPtr receives the bytes.
/// @param size bytes, at least 1.
/// @param offset where to read them; `offset` + `size` is at most 96.
/// @return as aclrtSetBufUserData. Thread-safe. Follows aclrtGetBufUserData of the Ascend runtime API.
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
        unsafe { out.write_all(&bytes[offset..][..size]) };
        Ok(())
    })
}

/// Makes another reference to a buffer's data: a buffer of its own, with the length and the user's bytes as
/// they are now and no chain, for aclrtFreeBuf to free.
///
/// @param buf a buffer.
/// @param newBuf receives the other one.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed; ACL_ERROR_BAD_ALLOC 200000: no more buffers can be made. Thread-safe. Follows aclrtCopyBufRef of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCopyBufRef(buf: aclrtMbuf, newBuf: *mut aclrtMbuf) -> aclError {
    guard("aclrtCopyBufRef", || {
        let out = Out::new("newBuf", newBuf)?;
        out.write(handle::to_c(buffer::share(handle::from_c(buf))?.raw()));
        Ok(())
    })
}

/// Appends a buffer to the end of a chain: from then on it is freed with the head, and not by itself.
///
/// @param headBuf a buffer, the first of its chain or alone.
/// @param buf another one, in no chain and without one of its own.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed, both are the same, or one of them is in another one's chain or, as `buf`, has a chain.
/// Thread-safe. Follows aclrtAppendBufChain of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAppendBufChain(headBuf: aclrtMbuf, buf: aclrtMbuf) -> aclError {
    guard("aclrtAppendBufChain", || buffer::append(handle::from_c(headBuf), handle::from_c(buf)))
}

/// How many buffers a chain has, its head included.
///
/// @param headBuf a buffer, the first of its chain or alone.
/// @param num receives the number; 1 for a buffer alone.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed, or in the chain of another one. Thread-safe. Follows aclrtGetBufChainNum of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufChainNum(headBuf: aclrtMbuf, num: *mut u32) -> aclError {
    guard("aclrtGetBufChainNum", || {
        let out = Out::new("num", num)?;
        out.write(buffer::chain_len(handle::from_c(headBuf))?);
        Ok(())
    })
}

/// A buffer of a chain, in the order in which they were appended.
///
/// @param headBuf a buffer, the first of its chain or alone.
/// @param index 0: the head itself.
/// @param buf receives the buffer, which stays the chain's.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
/// or freed, in the chain of another one, or there is no such index. Thread-safe. Follows aclrtGetBufFromChain
/// of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufFromChain(
    headBuf: aclrtMbuf,
    index: u32,
    buf: *mut aclrtMbuf,
) -> aclError {
    guard("aclrtGetBufFromChain", || {
        let out = Out::new("buf", buf)?;
        out.write(handle::to_c(buffer::in_chain(handle::from_c(headBuf), index)?));
        Ok(())
    })
}
