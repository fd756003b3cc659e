//! Labels: branch targets in the streams of graphs that are built.

use std::ffi::c_void;

use crate::base::{Array, Out, address, guard, guard_out, handle, must_not_be_null};
use crate::core::graph::{control, label};
use crate::types::{aclError, aclrtLabel, aclrtLabelList, aclrtStream};

/// Creates a label, which aclrtSetLabel sets in a stream of a graph that is being built.
///
/// @param label receives the handle; the caller destroys it with aclrtDestroyLabel. It belongs to the device of the
///     current context, and is released with it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCreateLabel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateLabel(label: *mut aclrtLabel) -> aclError {
    guard_out("aclrtCreateLabel", "label", label, || Ok(handle::to_c(label::create()?)))
}

/// Destroys a label. Graphs that contain it do not change. If the label was already released with its device, the first
/// call succeeds and does nothing: docs/failures.md.
///
/// @param label a label.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a label, already destroyed, or called inside a host function.
/// @note Thread-safe. Follows aclrtDestroyLabel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyLabel(label: aclrtLabel) -> aclError {
    guard("aclrtDestroyLabel", || label::destroy(handle::from_c(label)))
}

/// Sets a label after the operations that a stream has recorded so far: aclrtSwitchLabelByIndex in the same stream,
/// earlier or later, continues there. A label marks one place, and is set once.
///
/// @param label a label that is not set.
/// @param stream a stream that is bound to a graph that is being built.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `label` is null.
/// @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is bound to no graph.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a label or stream, destroyed, a label that is already set, the
///     building of the graph has ended, or called inside a host function.
/// @retval ACL_ERROR_RT_LABEL_CONTEXT 507031: the label was created for another device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
/// @note Thread-safe. Follows aclrtSetLabel of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> aclError {
    guard("aclrtSetLabel", || control::set_label(handle::from_c(label), handle::from_c(stream)))
}

/// Creates a list of labels, for aclrtSwitchLabelByIndex. It stores their handles.
///
/// @param labels `num` labels, set or not; a label may occur repeatedly.
/// @param num number of labels, greater than 0.
/// @param labelList receives the handle; the caller destroys it with aclrtDestroyLabelList.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument or label, or `num` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a label, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_LABEL_CONTEXT 507031: a label was created for another device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more can be created.
/// @note Thread-safe. Follows aclrtCreateLabelList of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateLabelList(
    labels: *mut aclrtLabel,
    num: usize,
    labelList: *mut aclrtLabelList,
) -> aclError {
    guard("aclrtCreateLabelList", || {
        must_not_be_null("labels", labels)?;
        let out = Out::new("labelList", labelList)?;
        let list = Array::new(labels.cast_const(), num);
        out.write(handle::to_c(label::create_list(num, |index| handle::from_c(list.get(index)))?));
        Ok(())
    })
}

/// Destroys a list of labels, not the labels. Operations that were recorded with it do not change. If the list was
/// already released with its device, the first call succeeds and does nothing: docs/failures.md.
///
/// @param labelList a list.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list of labels, already destroyed, or called inside a host
///     function.
/// @note Thread-safe. Follows aclrtDestroyLabelList of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyLabelList(labelList: aclrtLabelList) -> aclError {
    guard("aclrtDestroyLabelList", || label::destroy_list(handle::from_c(labelList)))
}

/// Records a branch: when a launch reaches it, the stream reads an index from memory and continues at that label of a
/// list. Operations after the branch run only if a label leads there.
///
/// The host evaluates the index: each branch costs a launch some microseconds on CPU devices, and the time of a small
/// copy on a GPU.
///
/// @param ptr address of the index: 32 bits of device memory, aligned. An index greater than `maxValue` - 1 counts as
///     `maxValue` - 1.
/// @param maxValue how many labels of the list can be selected: 1 to the length of the list.
/// @param labelList a list of labels that are set in the same stream before aclmdlRIBuildEnd.
/// @param stream a stream that is bound to a graph that is being built.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or `maxValue` is 0.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: `ptr` is not a multiple of 4.
/// @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is bound to no graph.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list or stream, destroyed, `maxValue` is greater than the length of
///     the list, `ptr` is not memory of the stream's device, the building of the graph has ended, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: memory of another device that the stream's device can access.
/// @retval ACL_ERROR_RT_LABEL_CONTEXT 507031: labels of another device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
/// @note Thread-safe. Follows aclrtSwitchLabelByIndex of the Ascend runtime API; the rule for an index past the list is
///     portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSwitchLabelByIndex(
    ptr: *mut c_void,
    maxValue: u32,
    labelList: aclrtLabelList,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtSwitchLabelByIndex", || {
        control::switch_label(address::from_c(ptr), maxValue, handle::from_c(labelList), handle::from_c(stream))
    })
}
