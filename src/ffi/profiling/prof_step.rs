//! Steps of a program in a trace.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_value, handle};
use crate::core::profiling::prof_step;
use crate::types::{aclError, aclprofStepInfo, aclprofStepTag, aclrtStream};

/// Creates a step, whose start and end aclprofGetStepTimestamp records. Works at any time, with and without profiling.
///
/// @return the step, to be destroyed with aclprofDestroyStepInfo; null if no more can be created (aclGetRecentErrMsg
///     returns the text, ACL_ERROR_BAD_ALLOC 200000).
/// @note Thread-safe. Follows aclprofCreateStepInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateStepInfo() -> *mut aclprofStepInfo {
    guard_value("aclprofCreateStepInfo", std::ptr::null_mut(), || Ok(handle::to_c(prof_step::create()?.raw()).cast()))
}

/// Destroys a step; what was recorded stays in the trace.
///
/// @param stepinfo from aclprofCreateStepInfo. If it is null, destroyed or not a step, nothing happens, and
///     aclGetRecentErrMsg returns the error (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000).
/// @note Thread-safe. Follows aclprofDestroyStepInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyStepInfo(stepinfo: *mut aclprofStepInfo) {
    guard_value("aclprofDestroyStepInfo", (), || prof_step::destroy(handle::from_c(stepinfo.cast())))
}

/// Records the start or the end of a step, in stream order. The trace shows a bar between them, in a row of the
/// stream's device. Steps are numbered in the order of their starts. A step that has ended may start again as another
/// step. Without profiling nothing is recorded.
///
/// @param stepInfo from aclprofCreateStepInfo.
/// @param tag ACL_STEP_START or ACL_STEP_END, alternating.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown tag.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a step, destroyed, already started or not started, not a stream, or
///     called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclprofGetStepTimestamp of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetStepTimestamp(
    stepInfo: *mut aclprofStepInfo,
    tag: MaybeUninit<aclprofStepTag>,
    stream: aclrtStream,
) -> aclError {
    guard("aclprofGetStepTimestamp", || {
        prof_step::note(handle::from_c(stepInfo.cast()), enum_value(tag), handle::from_c(stream))
    })
}
