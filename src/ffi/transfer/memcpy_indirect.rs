//! Copies on a device whose ends are told in its memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::transfer::memcpy_indirect::{self, Request};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, handle, must_be_null};
use crate::ffi::types::{aclError, aclrtMemcpyKind, aclrtStream};

/// Queues a copy on the stream's device between places whose addresses are in memory of the device, where they
/// are read when the stream comes to the copy: earlier work of the stream may write them. The address and its
/// offset have to be device memory with as many bytes behind them, and the copy must not write to where the
/// addresses are. This is looked at when the copy runs: on CPUs it then fails if there is no device memory, as
/// the next synchronize tells (507015); on a GPU the device fails. Memory that is freed meanwhile is kept until
/// the copy is over.
///
/// @param dst where the address of the destination is: 8 bytes, aligned to them, of the stream's device or
/// managed memory; null only with `count` 0.
/// @param destMax room at the destination in bytes, from the offset on.
/// @param dstDataOffset bytes to add to the destination's address.
/// @param src where the address of the source is, as `dst`.
/// @param count bytes; 0 queues nothing.
/// @param srcDataOffset bytes to add to the source's address.
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or
/// `count` is more than `destMax`; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind;
/// ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called
/// inside a host function, or not memory of the stream's device; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// Thread-safe. Follows aclrtMemcpyAsyncWithOffset of the Ascend runtime API.
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
        let request = Request {
            dst: address::from_c(dst.cast()),
            dest_max: destMax,
            dst_offset: dstDataOffset,
            src: address::from_c(src.cast()),
            count,
            src_offset: srcDataOffset,
            kind: enum_value(kind),
        };
        memcpy_indirect::with_offset(request, handle::from_c(stream))
    })
}

/// The size of the description of a copy, as aclrtSetMemcpyDesc writes it. Works at any time.
///
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param descSize receives 64 bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an unknown kind;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind. Thread-safe. Follows aclrtGetMemcpyDescSize of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemcpyDescSize(
    kind: MaybeUninit<aclrtMemcpyKind>,
    descSize: *mut usize,
) -> aclError {
    guard("aclrtGetMemcpyDescSize", || {
        let out = Out::new("descSize", descSize)?;
        out.write(memcpy_indirect::description_size(enum_value(kind))?);
        Ok(())
    })
}

/// Writes the description of a copy to device memory, as three words: the address of the source, that of the
/// destination, and how many bytes. Done when it returns; in order with no stream.
///
/// @param desc 64 bytes, aligned to 8, of the current device's memory, or managed memory.
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param srcAddr where from: memory of the current device, or managed memory; null only with `count` 0.
/// @param dstAddr where to, likewise.
/// @param count bytes; 0: the copy does nothing.
/// @param config must be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or `config` is not
/// null; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind; ACL_ERROR_RT_ADDR_UNALIGNED 107008;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not memory of the current device, past its end, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtSetMemcpyDesc of
/// the Ascend runtime API.
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

/// Queues the copy that a description in device memory says when the stream comes to it: earlier work of the
/// stream may change it. All else as aclrtMemcpyAsyncWithOffset.
///
/// @param desc memory of the stream's device, or managed memory, from aclrtSetMemcpyDesc.
/// @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `desc` is null, or an unknown kind; all
/// else as aclrtMemcpyAsyncWithOffset. Thread-safe. Follows aclrtMemcpyAsyncWithDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyAsyncWithDesc(
    desc: *mut c_void,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyAsyncWithDesc", || {
        let description = address::from_c(desc);
        memcpy_indirect::described(description, enum_value(kind), handle::from_c(stream))
    })
}
