//! Operators as ranges, marks in streams, and numbers for names.

use std::ffi::c_char;

use crate::core::base::error::Error;
use crate::core::base::error::Result;
use crate::core::profiling::prof_range;
use crate::core::profiling::prof_stamp;
use crate::ffi::base::guard::{guard, guard_value};
use crate::ffi::base::value::{Array, bytes, handle, must_not_be_null, text};
use crate::ffi::types::{
    ACL_PROF_EVENT_ATTR_VERSION, aclError, aclprofEventAttributes, aclprofTensor,
    aclprofTensorInfo, aclrtStream,
};

/// Marks the moment at which a stream comes to this point, with a text on the stream's row. Without profiling
/// nothing is recorded.
///
/// @param msg the text, which is copied; a zero ends it.
/// @param msgLen bytes of it, from 1 to 16,384.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range;
/// ACL_ERROR_RT_PARAM_INVALID 107000: no stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
/// another device than the current context. Thread-safe. Follows aclprofMarkEx of the Ascend runtime API; the
/// bound is portacl's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofMarkEx(
    msg: *const c_char,
    msgLen: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclprofMarkEx", || {
        // SAFETY: aclprofMarkEx asks for `msgLen` readable bytes at `msg`.
        let text =
            unsafe { bytes::bounded("msg", msg, "msgLen", msgLen, prof_stamp::LONGEST_TEXT) }?;
        prof_range::mark(prof_stamp::text(&text), handle::from_c(stream))
    })
}

/// Begins a range of the calling thread that is an operator with its tensors, inside those that are open there;
/// aclprofRangePop ends it. A trace has its type, its blocks and the shapes.
///
/// @param attr its version is ACL_PROF_EVENT_ATTR_VERSION, its size that of the structure, its message of type
/// ACL_PROF_MESSAGE_TYPE_TENSOR_INFO; at most 256 tensors of at most 8 dimensions. Everything is read during
/// the call. The stream of the message is not looked at.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a field out of range;
/// ACL_ERROR_RT_PARAM_INVALID 107000: a number for a name that is not aclprofStr2Id's. Thread-safe. Follows
/// aclprofRangePushEx of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangePushEx(attr: *mut aclprofEventAttributes) -> aclError {
    guard("aclprofRangePushEx", || {
        must_not_be_null("attr", attr)?;
        let attributes = Array::new(attr.cast_const(), 1).get(0);
        let aclprofEventAttributes { version, size, messageType, .. } = attributes;
        check("attr->version", version.into(), ACL_PROF_EVENT_ATTR_VERSION as u32)?;
        check("attr->size", size.into(), size_of::<aclprofEventAttributes>() as u32)?;
        check("attr->messageType", messageType, 0)?;
        // SAFETY: the only kind of message, as was checked.
        let info = unsafe { attributes.message.tensorInfo };
        must_not_be_null("attr->message.tensorInfo", info)?;
        prof_range::push(&operator(&Array::new(info.cast_const(), 1).get(0))?)
    })
}

fn check(field: &str, value: u32, allowed: u32) -> Result<()> {
    if value == allowed {
        return Ok(());
    }
    Err(Error::invalid_param(format_args!("{field} is {value}; it must be {allowed}")))
}

fn operator(info: &aclprofTensorInfo) -> Result<prof_range::Operator> {
    let aclprofTensorInfo { opNameId, opTypeId, tensorNum, blockNums, tensors, .. } = *info;
    if tensorNum > prof_range::MOST_TENSORS {
        return Err(Error::invalid_param(format_args!(
            "tensorNum is {tensorNum}; at most {}",
            prof_range::MOST_TENSORS
        )));
    }
    if tensorNum > 0 {
        must_not_be_null("tensors", tensors)?;
    }
    let tensors = Array::new(tensors.cast_const(), tensorNum as usize);
    let tensors = (0..tensors.count()).map(|index| tensor(index, &tensors.get(index)));
    Ok(prof_range::Operator {
        name: opNameId,
        kind: opTypeId,
        blocks: blockNums,
        tensors: tensors.collect::<Result<_>>()?,
    })
}

fn tensor(index: usize, tensor: &aclprofTensor) -> Result<prof_range::Tensor> {
    let aclprofTensor { r#type, format, dataType, shapeDim, shape } = *tensor;
    let most = shape.len();
    if shapeDim as usize > most {
        return Err(Error::invalid_param(format_args!(
            "tensors[{index}].shapeDim is {shapeDim}; at most {most}"
        )));
    }
    if r#type > 1 {
        return Err(Error::invalid_param(format_args!(
            "tensors[{index}].type is {}; allowed: 0 (input), 1 (output)",
            r#type
        )));
    }
    Ok(prof_range::Tensor {
        is_output: r#type == 1,
        data_type: dataType,
        format,
        shape: shape[..shapeDim as usize].to_vec(),
    })
}

/// Ends the range that this thread began last, by aclprofRangePushEx or aclprofPush.
///
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: none is open on this thread. Thread-safe. Follows
/// aclprofRangePop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangePop() -> aclError {
    guard("aclprofRangePop", prof_stamp::end_range)
}

/// A number for a text, for structures that name things by numbers: the same one each time, in the whole process
/// and as long as that lives.
///
/// @param message the text, at most 16,384 bytes before its final zero.
/// @return the number, from 1 on; 0 on a failure, which aclGetRecentErrMsg tells: ACL_ERROR_INVALID_PARAM
/// 100000: null, or too long; ACL_ERROR_BAD_ALLOC 200000: 65,536 texts have numbers. Thread-safe. Follows
/// aclprofStr2Id of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStr2Id(message: *const c_char) -> u64 {
    guard_value("aclprofStr2Id", 0, || {
        // SAFETY: by the contract of the function it is a text.
        let text = unsafe { text::required("message", message) }?;
        prof_range::id_of(text.to_string_lossy().into_owned())
    })
}
