//! Copies on a device whose addresses are read from device memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, guard_out, handle, must_be_null};
use crate::core::transfer::memcpy_indirect;
use crate::types::{aclError, aclrtMemcpyKind, aclrtStream};

/// Enqueues a copy on the stream's device whose addresses are read from device memory when the stream reaches the copy:
/// earlier operations of the stream may write them. Each address plus its offset must be in device memory with enough
/// bytes after it, and the copy must not overwrite the addresses. The program ensures this. On CPUs the copy fails, and
/// the next synchronize returns 507015, if its first or last byte is outside of all device memory; ends of allocations
/// are not checked. On a GPU the device may fail. Memory that is freed in the meantime stays valid until the copy is
/// complete.
///
/// @param dst pointer to the destination address: 8 aligned bytes of memory of the stream's device or managed memory;
///     may be null if `count` is 0.
/// @param destMax size of the destination in bytes, from the offset on.
/// @param dstDataOffset bytes to add to the destination address.
/// @param src pointer to the source address, as `dst`.
/// @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param srcDataOffset bytes to add to the source address.
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: the operation is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or `count` is greater than `destMax`.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
///     the stream's device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtMemcpyAsyncWithOffset of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyAsyncWithOffset(
    dst: *mut *mut c_void,
    destMax: usize,
    dstDataOffset: usize,
    src: *mut *const c_void,
    count: usize,
    srcDataOffset: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyAsyncWithOffset", || {
        let dst = (address::from_c(dst.cast()), dstDataOffset);
        let src = (address::from_c(src.cast()), srcDataOffset);
        memcpy_indirect::with_offset(dst, destMax, src, count, enum_value(kind), handle::from_c(stream))
    })
}

/// Returns the size of a copy descriptor, as aclrtSetMemcpyDesc writes it. Works at any time.
///
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param descSize receives 64, the size in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown kind.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind.
/// @note Thread-safe. Follows aclrtGetMemcpyDescSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemcpyDescSize(kind: MaybeUninit<aclrtMemcpyKind>, descSize: *mut usize) -> aclError {
    guard_out("aclrtGetMemcpyDescSize", "descSize", descSize, || memcpy_indirect::description_size(enum_value(kind)))
}

/// Writes a copy descriptor to device memory: three words with the source address, the destination address and the
/// number of bytes. Synchronous, not ordered with any stream.
///
/// @param desc 64 bytes, aligned to 8, of the current device's memory, or managed memory.
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param srcAddr source: memory on the current device, or managed memory; anything if `count` is 0.
/// @param dstAddr destination: memory on the current device, or managed memory; anything if `count` is 0.
/// @param count bytes; with 0 the description is written, and its copy does nothing.
/// @param config must be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or `config` is not null.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not memory on the current device, past its end, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtSetMemcpyDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetMemcpyDesc(
    desc: *mut c_void,
    kind: MaybeUninit<aclrtMemcpyKind>,
    srcAddr: *mut c_void,
    dstAddr: *mut c_void,
    count: usize,
    config: *mut c_void,
) -> aclError {
    guard("aclrtSetMemcpyDesc", || {
        must_be_null("config", config)?;
        let (src, dst) = (address::from_c(srcAddr), address::from_c(dstAddr));
        memcpy_indirect::describe(address::from_c(desc), enum_value(kind), src, dst, count)
    })
}

/// Enqueues the copy of a descriptor in device memory, which is read when the stream reaches the copy: earlier
/// operations of the stream may change it. Otherwise as aclrtMemcpyAsyncWithOffset.
///
/// @param desc memory of the stream's device, or managed memory, from aclrtSetMemcpyDesc.
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: the operation is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: `desc` is null, or an unknown kind; otherwise the codes of
///     aclrtMemcpyAsyncWithOffset.
/// @note Thread-safe. Follows aclrtMemcpyAsyncWithDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyAsyncWithDesc(
    desc: *mut c_void,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyAsyncWithDesc", || {
        memcpy_indirect::described(address::from_c(desc), enum_value(kind), handle::from_c(stream))
    })
}
