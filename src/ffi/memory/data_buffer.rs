//! Data buffers: an address and a size in one object.

use std::ffi::c_void;

use crate::core::memory::data_buffer::{self, Extent};
use crate::ffi::base::guard::{guard, guard_value};
use crate::ffi::base::value::{address, handle};
use crate::ffi::types::{aclDataBuffer, aclError};

/// Keeps an address and a size together. The memory stays the caller's, and neither of the two is looked
/// at: null and 0 are allowed. Works at any time; the object lives until it is destroyed, also through
/// aclFinalize.
///
/// @param data any address.
/// @param size bytes.
/// @return the data buffer, for aclDestroyDataBuffer to end; null if no more can be made
/// (aclGetRecentErrMsg says so, ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclCreateDataBuffer of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut aclDataBuffer {
    guard_value("aclCreateDataBuffer", std::ptr::null_mut(), || {
        let extent = Extent { addr: address::from_c(data), size };
        Ok(handle::to_c(data_buffer::create(extent)?.raw()).cast())
    })
}

/// Ends a data buffer; the memory stays the caller's.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a data
/// buffer, or destroyed before. Thread-safe. Follows aclDestroyDataBuffer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclDestroyDataBuffer(dataBuffer: *const aclDataBuffer) -> aclError {
    guard("aclDestroyDataBuffer", || data_buffer::destroy(raw(dataBuffer)))
}

/// Makes a data buffer stand for other memory. Who reads it meanwhile in another thread gets the old pair
/// or the new one.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @param data any address.
/// @param size bytes.
/// @return as aclDestroyDataBuffer. Thread-safe. Follows aclUpdateDataBuffer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclUpdateDataBuffer(
    dataBuffer: *mut aclDataBuffer,
    data: *mut c_void,
    size: usize,
) -> aclError {
    guard("aclUpdateDataBuffer", || {
        data_buffer::update(raw(dataBuffer), Extent { addr: address::from_c(data), size })
    })
}

/// The address in a data buffer.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @return the address; null also if `dataBuffer` is null, destroyed or no data buffer, which
/// aclGetRecentErrMsg tells (codes as aclDestroyDataBuffer). Thread-safe. Follows aclGetDataBufferAddr of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferAddr(dataBuffer: *const aclDataBuffer) -> *mut c_void {
    guard_value("aclGetDataBufferAddr", std::ptr::null_mut(), || {
        Ok(address::to_c(data_buffer::extent(raw(dataBuffer))?.addr))
    })
}

/// The lower 32 bits of the size in a data buffer; aclGetDataBufferSizeV2 gives all of it.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @return bytes; 0 also on a failure, as aclGetDataBufferAddr. Thread-safe. Follows aclGetDataBufferSize of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferSize(dataBuffer: *const aclDataBuffer) -> u32 {
    guard_value("aclGetDataBufferSize", 0, || Ok(data_buffer::extent(raw(dataBuffer))?.size as u32))
}

/// The size in a data buffer.
///
/// @param dataBuffer from aclCreateDataBuffer.
/// @return bytes; 0 also on a failure, as aclGetDataBufferAddr. Thread-safe. Follows aclGetDataBufferSizeV2
/// of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferSizeV2(dataBuffer: *const aclDataBuffer) -> usize {
    guard_value("aclGetDataBufferSizeV2", 0, || Ok(data_buffer::extent(raw(dataBuffer))?.size))
}

/// The handle that a pointer to the opaque type is.
fn raw(data_buffer: *const aclDataBuffer) -> u64 {
    handle::from_c(data_buffer.cast_mut().cast())
}
