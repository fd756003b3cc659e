//! Many copies in one call.

use std::ffi::c_void;

use crate::core::base::error::Result;
use crate::core::transfer::memcpy_batch::{self, Arrays, Attribute, Entry, Location, Outcome};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Array, Out, address, enum_value, handle};
use crate::ffi::types::{aclError, aclrtMemLocation, aclrtMemcpyBatchAttr, aclrtStream};

/// The arrays as C passes them.
struct Batch {
    dsts: Array<*mut c_void>,
    dest_maxs: Array<usize>,
    srcs: Array<*mut c_void>,
    sizes: Array<usize>,
    attrs: Array<aclrtMemcpyBatchAttr>,
    attrs_indexes: Array<usize>,
}

impl Batch {
    fn new(
        dsts: *mut *mut c_void,
        dest_maxs: *mut usize,
        srcs: *mut *mut c_void,
        sizes: *mut usize,
        len: usize,
        attrs: *mut aclrtMemcpyBatchAttr,
        attrs_indexes: *mut usize,
        attributes: usize,
    ) -> Self {
        Self {
            dsts: Array::new(dsts, len),
            dest_maxs: Array::new(dest_maxs, len),
            srcs: Array::new(srcs, len),
            sizes: Array::new(sizes, len),
            attrs: Array::new(attrs, attributes),
            attrs_indexes: Array::new(attrs_indexes, attributes),
        }
    }
}

fn location(location: aclrtMemLocation) -> Location {
    Location { kind: enum_value(location.r#type), id: location.id }
}

impl Arrays for Batch {
    fn count(&self) -> usize {
        self.sizes.count()
    }

    fn null(&self) -> Option<&'static str> {
        let arrays = [
            ("dsts", self.dsts.is_null()),
            ("destMaxs", self.dest_maxs.is_null()),
            ("srcs", self.srcs.is_null()),
            ("sizes", self.sizes.is_null()),
            ("attrs", self.attrs.is_null()),
            ("attrsIndexes", self.attrs_indexes.is_null()),
        ];
        arrays.into_iter().find_map(|(name, is_null)| is_null.then_some(name))
    }

    fn entry(&self, index: usize) -> Entry {
        Entry {
            dst: address::from_c(self.dsts.get(index)),
            dest_max: self.dest_maxs.get(index),
            src: address::from_c(self.srcs.get(index)),
            size: self.sizes.get(index),
        }
    }

    fn attributes(&self) -> usize {
        self.attrs.count()
    }

    fn attribute(&self, index: usize) -> Attribute {
        let attribute = self.attrs.get(index);
        Attribute {
            first: self.attrs_indexes.get(index),
            dst: location(attribute.dstLoc),
            src: location(attribute.srcLoc),
        }
    }
}

/// Tells which copy is to blame, also on success: then none is.
fn tell(fail_index: Out<usize>, outcome: Outcome<()>) -> Result<()> {
    let entry = outcome.as_ref().err().and_then(|failure| failure.entry);
    fail_index.write(entry.unwrap_or(usize::MAX));
    outcome.map_err(|failure| failure.error)
}

/// Makes many copies, all from the host to devices or all from devices to the host; done when it returns, in
/// order with no stream and in no order among themselves: destinations that overlap end up as any of them.
/// All arguments are checked before the first byte is copied.
///
/// @param dsts where to, for each copy; an element may be null where its size is 0.
/// @param destMaxs room at each destination in bytes.
/// @param srcs where from, for each copy; an element may be null where its size is 0.
/// @param sizes bytes of each copy; where it is 0 that copy does nothing.
/// @param numBatches how many copies there are; 0 does nothing, whatever the other arguments are.
/// @param attrs where the copies go to and come from. A device must be the memory's own; of host memory any
/// kind will do, and its id is not looked at; managed memory is everywhere. `rsv` is not looked at.
/// @param attrsIndexes for each attribute the number of the first copy that it is for; it holds up to that of
/// the next attribute. The first is 0, each is more than the one before, the last less than `numBatches`.
/// @param numAttrs how many attributes there are, 1 to `numBatches`.
/// @param failIndex on failure the number of the copy to blame; SIZE_MAX if it is none in particular, as
/// for a bad attribute or a device that failed. On success SIZE_MAX.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, a size above its `destMaxs`, a
/// location type that does not exist, or indexes or a number of attributes that are not as said;
/// ACL_ERROR_RT_PARAM_INVALID 107000: past the end of an allocation, memory that is not where its attribute
/// says, a copy within the host or between devices, copies in both directions, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000: the host has
/// no memory to keep so many copies in mind. Thread-safe. Follows aclrtMemcpyBatch of the Ascend runtime API.
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
        let fail_index = Out::new("failIndex", failIndex)?;
        let batch =
            Batch::new(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs);
        tell(fail_index, memcpy_batch::copy(&batch))
    })
}

/// As aclrtMemcpyBatch, without the number of the copy to blame: the text of aclGetRecentErrMsg names it.
///
/// @param dsts where to, for each copy.
/// @param destMaxs room at each destination in bytes.
/// @param srcs where from, for each copy.
/// @param sizes bytes of each copy.
/// @param numBatches how many copies there are; 0 does nothing, whatever the other arguments are.
/// @param attrs where the copies go to and come from.
/// @param attrsIndexes for each attribute the number of the first copy that it is for.
/// @param numAttrs how many attributes there are, 1 to `numBatches`.
/// @return as aclrtMemcpyBatch. Thread-safe. Follows aclrtMemcpyBatchV2 of the Ascend runtime API.
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
        let batch =
            Batch::new(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs);
        memcpy_batch::copy(&batch).map_err(|failure| failure.error)
    })
}

/// Queues the copies of aclrtMemcpyBatch on a stream: after its earlier operations and before its later ones,
/// in no order among themselves. Where all host memory is page-locked (aclrtMallocHost) it returns at once, and
/// the memory must stay as it is until the copies have run. Ordinary host memory is safe to reuse when the call
/// returns. The arrays themselves are read during the call only.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param dsts where to, for each copy.
/// @param destMaxs room at each destination in bytes.
/// @param srcs where from, for each copy.
/// @param sizes bytes of each copy.
/// @param numBatches how many copies there are; 0 queues nothing, whatever the other arguments are.
/// @param attrs where the copies go to and come from.
/// @param attrsIndexes for each attribute the number of the first copy that it is for.
/// @param numAttrs how many attributes there are, 1 to `numBatches`.
/// @param failIndex as for aclrtMemcpyBatch. Where it names a copy, none was queued.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemcpyBatch; ACL_ERROR_RT_PARAM_INVALID 107000 also: not a stream, or destroyed;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// Thread-safe. Follows aclrtMemcpyBatchAsync of the Ascend runtime API.
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
        let fail_index = Out::new("failIndex", failIndex)?;
        let batch =
            Batch::new(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs);
        tell(fail_index, memcpy_batch::copy_async(&batch, handle::from_c(stream)))
    })
}

/// As aclrtMemcpyBatchAsync, without the number of the copy to blame: the text of aclGetRecentErrMsg names it.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param dsts where to, for each copy.
/// @param destMaxs room at each destination in bytes.
/// @param srcs where from, for each copy.
/// @param sizes bytes of each copy.
/// @param numBatches how many copies there are; 0 queues nothing, whatever the other arguments are.
/// @param attrs where the copies go to and come from.
/// @param attrsIndexes for each attribute the number of the first copy that it is for.
/// @param numAttrs how many attributes there are, 1 to `numBatches`.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemcpyBatchAsync. Thread-safe. Follows aclrtMemcpyBatchAsyncV2 of the Ascend runtime API.
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
        let batch =
            Batch::new(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs);
        memcpy_batch::copy_async(&batch, handle::from_c(stream)).map_err(|failure| failure.error)
    })
}
