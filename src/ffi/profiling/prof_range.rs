//! Ranges of operators, marks in streams, and ids of names.

use std::ffi::c_char;

use crate::base::{Array, bounded_bytes, guard, guard_value, handle, read, text};
use crate::core::base::error::{Result, invalid_param};
use crate::core::profiling::prof_range::{self, MOST_TENSORS};
use crate::core::profiling::prof_stamp;
use crate::types::{
    ACL_PROF_EVENT_ATTR_VERSION, aclError, aclprofEventAttributes, aclprofTensor, aclprofTensorInfo, aclrtStream,
};

/// Adds a mark with a text to the stream's row of the trace, at the time when the stream reaches this point. Without
/// profiling nothing is recorded.
///
/// @param msg the text, which is copied up to its first zero.
/// @param msgLen length of the text in bytes, from 1 to 16,384.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclprofMarkEx of the Ascend runtime API; the length limit is portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofMarkEx(msg: *const c_char, msgLen: usize, stream: aclrtStream) -> aclError {
    guard("aclprofMarkEx", || {
        // SAFETY: aclprofMarkEx asks for `msgLen` readable bytes at `msg`.
        let text = unsafe { bounded_bytes("msg", msg, "msgLen", msgLen, prof_stamp::LONGEST_TEXT) }?;
        prof_range::mark(prof_stamp::text(&text), handle::from_c(stream))
    })
}

/// Begins a range of the calling thread for an operator with its tensors, nested in the thread's open ranges;
/// aclprofRangePop ends it. The trace shows its type, its blocks and the shapes.
///
/// @param attr attributes: version ACL_PROF_EVENT_ATTR_VERSION, the size of the structure, a message of type
///     ACL_PROF_MESSAGE_TYPE_TENSOR_INFO; at most 256 tensors of at most 8 dimensions. Everything is read during the
///     call. The stream of the message is ignored.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or a field out of range.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: an id of a name that aclprofStr2Id did not return.
/// @note Thread-safe. Follows aclprofRangePushEx of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangePushEx(attr: *mut aclprofEventAttributes) -> aclError {
    guard("aclprofRangePushEx", || {
        let attributes = read("attr", attr)?;
        let aclprofEventAttributes { version, size, messageType, .. } = attributes;
        check("attr->version", version.into(), ACL_PROF_EVENT_ATTR_VERSION as u32)?;
        check("attr->size", size.into(), size_of::<aclprofEventAttributes>() as u32)?;
        check("attr->messageType", messageType, 0)?;
        // SAFETY: the only kind of message, as was checked.
        let info = unsafe { attributes.message.tensorInfo };
        push(&read("attr->message.tensorInfo", info)?)
    })
}

fn check(field: &str, value: u32, allowed: u32) -> Result<()> {
    ensure!(value == allowed, invalid_param!("{field} is {value}; it must be {allowed}"));
    Ok(())
}

fn push(operator: &aclprofTensorInfo) -> Result<()> {
    let aclprofTensorInfo { opNameId, opTypeId, tensorNum, blockNums, tensors, .. } = *operator;
    ensure!(tensorNum <= MOST_TENSORS, invalid_param!("tensorNum is {tensorNum}; allowed: at most {MOST_TENSORS}"));
    let tensors = Array::checked("tensors", tensors.cast_const(), "tensorNum", tensorNum as usize)?;
    let tensors = tensors.iter().enumerate().map(|(index, it)| tensor(index, &it)).collect::<Result<Vec<_>>>()?;
    prof_range::push(opNameId, opTypeId, blockNums, &tensors)
}

fn tensor(index: usize, tensor: &aclprofTensor) -> Result<prof_range::Tensor> {
    let aclprofTensor { r#type, format, dataType, shapeDim, shape } = *tensor;
    let most = shape.len();
    ensure!(
        shapeDim as usize <= most,
        invalid_param!("tensors[{index}].shapeDim is {shapeDim}; allowed: at most {most}")
    );
    ensure!(r#type <= 1, invalid_param!("tensors[{index}].type is {}; allowed: 0 (input), 1 (output)", r#type));
    Ok(prof_range::Tensor {
        is_output: r#type == 1,
        data_type: dataType,
        format,
        shape: shape[..shapeDim as usize].to_vec(),
    })
}

/// Ends the latest open range of this thread, of aclprofRangePushEx or aclprofPush.
///
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: this thread has no open range.
/// @note Thread-safe. Follows aclprofRangePop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangePop() -> aclError {
    guard("aclprofRangePop", prof_stamp::end_range)
}

/// Returns an id for a text, for structures that contain names as ids. The same text has the same id in the whole
/// process, until it ends.
///
/// @param message the text, at most 16,384 bytes before its final zero.
/// @return the id, from 1 on; 0 on a failure, which aclGetRecentErrMsg returns: ACL_ERROR_INVALID_PARAM 100000: null,
///     or too long
/// @retval ACL_ERROR_BAD_ALLOC 200000: 65,536 texts already have ids.
/// @note Thread-safe. Follows aclprofStr2Id of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStr2Id(message: *const c_char) -> u64 {
    guard_value("aclprofStr2Id", 0, || {
        // SAFETY: by the contract of the function it is a text.
        let text = unsafe { text::required("message", message) }?;
        prof_range::id_of(text.to_string_lossy().into_owned())
    })
}
