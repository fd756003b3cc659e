//! Labels: places in the streams of graphs that are built, to jump to.

use std::ffi::c_void;

use crate::core::graph::{control, label};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, handle, must_not_be_null};
use crate::ffi::types::{aclError, aclrtLabel, aclrtLabelList, aclrtStream};

/// Makes a label, which aclrtSetLabel puts into a stream of a graph that is being built.
///
/// @param label receives the handle; the caller destroys it with aclrtDestroyLabel. It goes with its device, which is
/// that of the current context, at the latest.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_BAD_ALLOC 200000: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// Thread-safe. Follows aclrtCreateLabel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateLabel(label: *mut aclrtLabel) -> aclError {
    guard("aclrtCreateLabel", || {
        let out = Out::new("label", label)?;
        out.write(handle::to_c(label::create()?));
        Ok(())
    })
}

/// Destroys a label. Graphs in which it was set stay as they are.
///
/// @param label a label.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a label, destroyed
/// before, or called inside a host function. Thread-safe. Follows aclrtDestroyLabel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyLabel(label: aclrtLabel) -> aclError {
    guard("aclrtDestroyLabel", || label::destroy(handle::from_c(label)))
}

/// Puts a label behind what a stream was given so far: aclrtSwitchLabelByIndex in the same stream, before or behind it,
/// goes on there. A label is one place, and is set once.
///
/// @param label a label that was not set.
/// @param stream a stream that is bound to a graph that is being built.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `label` is null; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is
/// bound to no graph; ACL_ERROR_RT_PARAM_INVALID 107000: not a label or stream, destroyed, a label that was set before,
/// the graph is built already, or called inside a host function; ACL_ERROR_RT_LABEL_CONTEXT 507031: the label was made
/// for another device; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one
/// of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid. Thread-safe.
/// Follows aclrtSetLabel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> aclError {
    guard("aclrtSetLabel", || control::set_label(handle::from_c(label), handle::from_c(stream)))
}

/// Makes a list of labels, for aclrtSwitchLabelByIndex. It keeps their handles.
///
/// @param labels as many labels, set or not; the same one may be there twice.
/// @param num how many, above 0.
/// @param labelList receives the handle; the caller destroys it with aclrtDestroyLabelList.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument or label, or `num` is 0;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a label, destroyed, or called inside a host function;
/// ACL_ERROR_RT_LABEL_CONTEXT 507031: a label was made for another device; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_BAD_ALLOC 200000: no more can be made. Thread-safe. Follows aclrtCreateLabelList of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateLabelList(
    labels: *mut aclrtLabel,
    num: usize,
    labelList: *mut aclrtLabelList,
) -> aclError {
    guard("aclrtCreateLabelList", || {
        must_not_be_null("labels", labels)?;
        let out = Out::new("labelList", labelList)?;
        // SAFETY: by the contract of the C boundary as many labels, at any address; nothing is read of an index
        // that the call before it has refused.
        let read = |index| handle::from_c(unsafe { labels.add(index).read_unaligned() });
        out.write(handle::to_c(label::create_list(num, read)?));
        Ok(())
    })
}

/// Destroys a list of labels, not the labels. What was recorded with it stays.
///
/// @param labelList a list.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a list of labels,
/// destroyed before, or called inside a host function. Thread-safe. Follows aclrtDestroyLabelList of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyLabelList(labelList: aclrtLabelList) -> aclError {
    guard("aclrtDestroyLabelList", || label::destroy_list(handle::from_c(labelList)))
}

/// Records a jump: when a run comes to it, the stream goes on at a label, whose index is read from memory then. What
/// the stream is given behind the jump runs only where a label leads there.
///
/// The host decides: each jump costs a run some microseconds on CPU devices, and the time of a small copy on a GPU.
///
/// @param ptr where the index is: 32 bits of device memory, aligned. An index beyond `maxValue` - 1 means that.
/// @param maxValue how many labels of the list there are to choose from: 1 to the length of the list.
/// @param labelList a list of labels that are set in the same stream, at the latest before aclmdlRIBuildEnd.
/// @param stream a stream that is bound to a graph that is being built.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or `maxValue` is 0; ACL_ERROR_RT_ADDR_UNALIGNED 107008:
/// `ptr` is not a multiple of 4; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is bound to no graph;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a list or stream, destroyed, `maxValue` beyond the list, `ptr` is not memory of
/// the stream's device, the graph is built already, or called inside a host function; ACL_ERROR_RT_LABEL_CONTEXT 507031:
/// labels of another device; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context,
/// or one of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid.
/// Thread-safe. Follows aclrtSwitchLabelByIndex of the Ascend runtime API; an index beyond the list is our own rule.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSwitchLabelByIndex(
    ptr: *mut c_void,
    maxValue: u32,
    labelList: aclrtLabelList,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtSwitchLabelByIndex", || {
        let (addr, list) = (address::from_c(ptr), handle::from_c(labelList));
        control::switch_label(addr, maxValue, list, handle::from_c(stream))
    })
}
