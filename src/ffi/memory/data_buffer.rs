//! Data buffers: an address and a size in one object.

use std::ffi::c_void;

use crate::base::{address, guard, guard_value, handle};
use crate::core::memory::data_buffer::{self, Extent};
use crate::types::{aclDataBuffer, aclError};

/// Creates a data buffer: an object that stores an address and a size. The caller keeps ownership of the memory;
/// neither value is checked: null and 0 are allowed. Works at any time; the object lives until it is destroyed, also
/// through aclFinalize.
///
/// @param data any address.
/// @param size bytes.
/// @return the data buffer, to be destroyed with aclDestroyDataBuffer; null if no more can be created
///     (aclGetRecentErrMsg returns the text, ACL_ERROR_BAD_ALLOC 200000).
/// @note Thread-safe. Follows aclCreateDataBuffer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut aclDataBuffer {
    guard_value("aclCreateDataBuffer", std::ptr::null_mut(), || {
        Ok(handle::to_c(data_buffer::create(Extent { addr: address::from_c(data), size })?.raw()).cast())
    })
}

/// Destroys a data buffer. The caller keeps ownership of the memory.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a data buffer, or already destroyed.
/// @note Thread-safe. Follows aclDestroyDataBuffer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclDestroyDataBuffer(dataBuffer: *const aclDataBuffer) -> aclError {
    guard("aclDestroyDataBuffer", || data_buffer::destroy(raw(dataBuffer)))
}

/// Changes the address and size of a data buffer. Atomic for other threads: they read the old pair or the new one.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @param data any address.
/// @param size bytes.
/// @return the codes of aclDestroyDataBuffer.
/// @note Thread-safe. Follows aclUpdateDataBuffer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclUpdateDataBuffer(
    dataBuffer: *mut aclDataBuffer,
    data: *mut c_void,
    size: usize,
) -> aclError {
    guard("aclUpdateDataBuffer", || data_buffer::update(raw(dataBuffer), Extent { addr: address::from_c(data), size }))
}

/// Returns the address in a data buffer.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @return the address; null also if `dataBuffer` is null, destroyed or not a data buffer, which aclGetRecentErrMsg
///     reports (codes of aclDestroyDataBuffer).
/// @note Thread-safe. Follows aclGetDataBufferAddr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferAddr(dataBuffer: *const aclDataBuffer) -> *mut c_void {
    guard_value("aclGetDataBufferAddr", std::ptr::null_mut(), || {
        Ok(address::to_c(data_buffer::extent(raw(dataBuffer))?.addr))
    })
}

/// Returns the lower 32 bits of the size in a data buffer; aclGetDataBufferSizeV2 returns all of it.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @return bytes; 0 also on a failure, as in aclGetDataBufferAddr.
/// @note Thread-safe. Follows aclGetDataBufferSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferSize(dataBuffer: *const aclDataBuffer) -> u32 {
    guard_value("aclGetDataBufferSize", 0, || Ok(data_buffer::extent(raw(dataBuffer))?.size as u32))
}

/// Returns the size in a data buffer.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @return bytes; 0 also on a failure, as in aclGetDataBufferAddr.
/// @note Thread-safe. Follows aclGetDataBufferSizeV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferSizeV2(dataBuffer: *const aclDataBuffer) -> usize {
    guard_value("aclGetDataBufferSizeV2", 0, || Ok(data_buffer::extent(raw(dataBuffer))?.size))
}

/// The handle behind a pointer to the opaque type.
fn raw(data_buffer: *const aclDataBuffer) -> u64 {
    handle::from_c(data_buffer.cast_mut().cast())
}
