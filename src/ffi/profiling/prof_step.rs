//! Steps of a program in a trace.

use std::mem::MaybeUninit;

use crate::core::profiling::prof_step;
use crate::ffi::base::guard::{guard, guard_value};
use crate::ffi::base::value::{enum_value, handle};
use crate::ffi::types::{aclError, aclprofStepInfo, aclprofStepTag, aclrtStream};

/// Makes a step, whose ends aclprofGetStepTimestamp notes. Works at any time, with profiling and without.
///
/// @return the step, for aclprofDestroyStepInfo to end; null if no more can be made (aclGetRecentErrMsg says so,
/// ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclprofCreateStepInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateStepInfo() -> *mut aclprofStepInfo {
    guard_value("aclprofCreateStepInfo", std::ptr::null_mut(), || {
        Ok(handle::to_c(prof_step::create()?.raw()).cast())
    })
}

/// Ends a step; what was noted stays in the trace.
///
/// @param stepinfo from aclprofCreateStepInfo. Null, destroyed or no step: nothing happens, and
/// aclGetRecentErrMsg tells (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000). Thread-safe.
/// Follows aclprofDestroyStepInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyStepInfo(stepinfo: *mut aclprofStepInfo) {
    guard_value("aclprofDestroyStepInfo", (), || {
        prof_step::destroy(handle::from_c(stepinfo.cast()))
    })
}

/// Notes that a step begins, or ends, in the order of a stream: a trace has it as a bar from the one to the
/// other, in a row of the stream's device. Steps are numbered as they begin. A step that has ended may begin
/// again, as another one. Without profiling nothing is recorded.
///
/// @param stepInfo from aclprofCreateStepInfo.
/// @param tag ACL_STEP_START or ACL_STEP_END, in turn.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an unknown tag; ACL_ERROR_RT_PARAM_INVALID
/// 107000: no step, destroyed, it has begun already or not yet, no stream, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
/// another device than the current context. Thread-safe. Follows aclprofGetStepTimestamp of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetStepTimestamp(
    stepInfo: *mut aclprofStepInfo,
    tag: MaybeUninit<aclprofStepTag>,
    stream: aclrtStream,
) -> aclError {
    guard("aclprofGetStepTimestamp", || {
        let step = handle::from_c(stepInfo.cast());
        prof_step::note(step, enum_value(tag), handle::from_c(stream))
    })
}
