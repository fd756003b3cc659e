//! Batches of copies.

use std::ffi::c_void;

use crate::base::{Array, Out, address, guard, handle};
use crate::core::base::error::Result;
use crate::core::transfer::memcpy_batch::{self, Arrays, Attribute, BatchCopy};
use crate::memory::virtual_memory::location_from_c;
use crate::types::{aclError, aclrtMemcpyBatchAttr, aclrtStream};

/// Copies the batch that the arrays from C describe: in order of a stream, or at once. Writes the index of the failed
/// copy, on success the value for none, if there is a place for it.
fn copy(
    dsts: *mut *mut c_void,
    dest_maxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    count: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrs_indexes: *mut usize,
    attributes: usize,
    stream: Option<aclrtStream>,
    fail_index: Option<Out<usize>>,
) -> Result<()> {
    let are_null = [
        ("dsts", dsts.is_null()),
        ("destMaxs", dest_maxs.is_null()),
        ("srcs", srcs.is_null()),
        ("sizes", sizes.is_null()),
        ("attrs", attrs.is_null()),
        ("attrsIndexes", attrs_indexes.is_null()),
    ];
    let (dsts, dest_maxs) = (Array::new(dsts, count), Array::new(dest_maxs, count));
    let (srcs, sizes) = (Array::new(srcs, count), Array::new(sizes, count));
    let (attrs, firsts) = (Array::new(attrs, attributes), Array::new(attrs_indexes, attributes));
    let arrays = Arrays {
        count,
        null: are_null.into_iter().find_map(|(name, is_null)| is_null.then_some(name)),
        entry: &|index| BatchCopy {
            dst: address::from_c(dsts.get(index)),
            dest_max: dest_maxs.get(index),
            src: address::from_c(srcs.get(index)),
            size: sizes.get(index),
        },
        attributes,
        attribute: &|index| {
            let attribute = attrs.get(index);
            let (dst, src) = (location_from_c(attribute.dstLoc), location_from_c(attribute.srcLoc));
            Attribute { first: firsts.get(index), dst, src }
        },
    };
    let mut failed = memcpy_batch::NONE;
    let copied = match stream {
        None => memcpy_batch::copy(&arrays, &mut failed),
        Some(stream) => memcpy_batch::copy_async(&arrays, handle::from_c(stream), &mut failed),
    };
    if let Some(fail_index) = fail_index {
        fail_index.write(failed);
    }
    copied
}

/// Copies a batch, all copies from the host to devices or all from devices to the host. Synchronous, not ordered with
/// any stream. The copies are not ordered among each other: if destinations overlap, any of the copies may win. All
/// arguments are checked before the first byte is copied.
///
/// @param dsts the destination of each copy; may be null for a copy of size 0.
/// @param destMaxs the size of each destination in bytes.
/// @param srcs the source of each copy; may be null for a copy of size 0.
/// @param sizes the bytes of each copy; a copy of 0 bytes does nothing, and its elements of `dsts`, `destMaxs` and
///     `srcs` are not checked.
/// @param numBatches number of copies; 0 does nothing and succeeds, also without a current context; then only
///     `failIndex` is checked.
/// @param attrs the locations of the destinations and sources. A device must be the memory's device; host memory may be
///     of any kind, and its id is ignored; managed memory fits every location. `rsv` is ignored.
/// @param attrsIndexes for each attribute the index of the first copy that it applies to; it applies up to the first
///     copy of the next attribute. The first index is 0, the indexes are ascending, and the last one is less than
///     `numBatches`.
/// @param numAttrs number of attributes, 1 to `numBatches`.
/// @param failIndex on failure receives the index of the failed copy; SIZE_MAX if the failure belongs to no copy, for
///     example an invalid attribute or a failed device. On success SIZE_MAX.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, a size greater than its `destMaxs`, an unknown location
///     type, or invalid indexes or number of attributes.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: freed memory, past the end of an allocation, memory that is not at the
///     location of its attribute, a copy within the host or between devices, copies in both directions, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the list of copies.
/// @note Thread-safe. Follows aclrtMemcpyBatch of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyBatch(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    failIndex: *mut usize,
) -> aclError {
    guard("aclrtMemcpyBatch", || {
        let fail_index = Some(Out::new("failIndex", failIndex)?);
        copy(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, None, fail_index)
    })
}

/// Copies a batch as aclrtMemcpyBatch, without `failIndex`: the text of aclGetRecentErrMsg names the failed copy.
///
/// @param dsts the destination of each copy.
/// @param destMaxs the size of each destination in bytes.
/// @param srcs the source of each copy.
/// @param sizes the bytes of each copy.
/// @param numBatches number of copies; 0 does nothing and succeeds, whatever the other arguments are, also without a
///     current context.
/// @param attrs the locations of the destinations and sources.
/// @param attrsIndexes for each attribute the index of the first copy that it applies to.
/// @param numAttrs number of attributes, 1 to `numBatches`.
/// @return the codes of aclrtMemcpyBatch.
/// @note Thread-safe. Follows aclrtMemcpyBatchV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyBatchV2(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
) -> aclError {
    guard("aclrtMemcpyBatchV2", || {
        copy(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, None, None)
    })
}

/// Enqueues a batch of copies on a stream, as aclrtMemcpyBatch: in stream order, but not ordered among each other. If
/// all host memory is page-locked (aclrtMallocHost) it returns at once, and the memory must not change until the copies
/// are complete. Pageable host memory can be reused when the call returns. The arrays themselves are read during the
/// call only. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param dsts the destination of each copy.
/// @param destMaxs the size of each destination in bytes.
/// @param srcs the source of each copy.
/// @param sizes the bytes of each copy.
/// @param numBatches number of copies; 0 enqueues nothing and succeeds; then only `failIndex` and `stream` are checked.
/// @param attrs the locations of the destinations and sources.
/// @param attrsIndexes for each attribute the index of the first copy that it applies to.
/// @param numAttrs number of attributes, 1 to `numBatches`.
/// @param failIndex as in aclrtMemcpyBatch. If it is the index of a copy, nothing was enqueued.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemcpyBatch
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also: not a stream, or destroyed.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtMemcpyBatchAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyBatchAsync(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    failIndex: *mut usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyBatchAsync", || {
        let fail_index = Some(Out::new("failIndex", failIndex)?);
        copy(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, Some(stream), fail_index)
    })
}

/// Enqueues a batch of copies as aclrtMemcpyBatchAsync, without `failIndex`: the text of aclGetRecentErrMsg names the
/// failed copy. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param dsts the destination of each copy.
/// @param destMaxs the size of each destination in bytes.
/// @param srcs the source of each copy.
/// @param sizes the bytes of each copy.
/// @param numBatches number of copies; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param attrs the locations of the destinations and sources.
/// @param attrsIndexes for each attribute the index of the first copy that it applies to.
/// @param numAttrs number of attributes, 1 to `numBatches`.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemcpyBatchAsync.
/// @note Thread-safe. Follows aclrtMemcpyBatchAsyncV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyBatchAsyncV2(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyBatchAsyncV2", || {
        copy(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, Some(stream), None)
    })
}
