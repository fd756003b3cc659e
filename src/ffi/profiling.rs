//! Profiling: sessions, stamps, ranges and steps.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::{guard_unsupported, guard_value};
use crate::ffi::types::{
    aclError, aclprofAicoreEvents, aclprofAicoreMetrics, aclprofConfig, aclprofConfigType,
    aclprofEventAttributes, aclprofStepInfo, aclprofStepTag, aclrtStream,
};

/// Starts the profiler; results go to a folder.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofInit(profilerResultPath: *const c_char, length: usize) -> aclError {
    guard_unsupported(
        "aclprofInit",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Ends the profiler.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofFinalize() -> aclError {
    guard_unsupported(
        "aclprofFinalize",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Describes what to profile, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateConfig(
    deviceIdList: *mut u32,
    deviceNums: u32,
    aicoreMetrics: MaybeUninit<aclprofAicoreMetrics>,
    aicoreEvents: *const aclprofAicoreEvents,
    dataTypeConfig: u64,
) -> *mut aclprofConfig {
    guard_value("aclprofCreateConfig", std::ptr::null_mut(), || {
        Err(Error::unsupported("profiling is not available; take times with aclrtEventElapsedTime"))
    })
}

/// Ends a description of aclprofCreateConfig.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyConfig(profilerConfig: *const aclprofConfig) -> aclError {
    guard_unsupported(
        "aclprofDestroyConfig",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Sets an option of the profiler.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetConfig(
    configType: MaybeUninit<aclprofConfigType>,
    config: *const c_char,
    configLength: usize,
) -> aclError {
    guard_unsupported(
        "aclprofSetConfig",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Starts to profile as described.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStart(profilerConfig: *const aclprofConfig) -> aclError {
    guard_unsupported(
        "aclprofStart",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Stops to profile as described.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStop(profilerConfig: *const aclprofConfig) -> aclError {
    guard_unsupported(
        "aclprofStop",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Makes a step, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateStepInfo() -> *mut aclprofStepInfo {
    guard_value("aclprofCreateStepInfo", std::ptr::null_mut(), || {
        Err(Error::unsupported("profiling is not available; take times with aclrtEventElapsedTime"))
    })
}

/// Ends a step.
///
/// Does nothing; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyStepInfo(stepinfo: *mut aclprofStepInfo) {
    guard_value("aclprofDestroyStepInfo", (), || {
        Err(Error::unsupported("profiling is not available; take times with aclrtEventElapsedTime"))
    })
}

/// Notes the time of a step's start or end, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetStepTimestamp(
    stepInfo: *mut aclprofStepInfo,
    tag: MaybeUninit<aclprofStepTag>,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclprofGetStepTimestamp",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Makes a stamp, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateStamp() -> *mut c_void {
    guard_value("aclprofCreateStamp", std::ptr::null_mut(), || {
        Err(Error::unsupported("profiling is not available; take times with aclrtEventElapsedTime"))
    })
}

/// Ends a stamp.
///
/// Does nothing; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyStamp(stamp: *mut c_void) {
    guard_value("aclprofDestroyStamp", (), || {
        Err(Error::unsupported("profiling is not available; take times with aclrtEventElapsedTime"))
    })
}

/// Sets the text of a stamp.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetStampTraceMessage(
    stamp: *mut c_void,
    msg: *const c_char,
    msgLen: u32,
) -> aclError {
    guard_unsupported(
        "aclprofSetStampTraceMessage",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Notes a stamp now.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofMark(stamp: *mut c_void) -> aclError {
    guard_unsupported(
        "aclprofMark",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Notes a text now, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofMarkEx(
    msg: *const c_char,
    msgLen: usize,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclprofMarkEx",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Starts a range that aclprofPop ends.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofPush(stamp: *mut c_void) -> aclError {
    guard_unsupported(
        "aclprofPush",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Ends the range that was started last.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofPop() -> aclError {
    guard_unsupported(
        "aclprofPop",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Starts a range that aclprofRangeStop ends.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangeStart(stamp: *mut c_void, rangeId: *mut u32) -> aclError {
    guard_unsupported(
        "aclprofRangeStart",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Ends a range by its number.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangeStop(rangeId: u32) -> aclError {
    guard_unsupported(
        "aclprofRangeStop",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Starts a range with attributes that aclprofRangePop ends.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangePushEx(attr: *mut aclprofEventAttributes) -> aclError {
    guard_unsupported(
        "aclprofRangePushEx",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// Ends the range that aclprofRangePushEx started last.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangePop() -> aclError {
    guard_unsupported(
        "aclprofRangePop",
        "profiling is not available; take times with aclrtEventElapsedTime",
    )
}

/// The number of a text in the profile.
///
/// @return 0; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStr2Id(message: *const c_char) -> u64 {
    guard_value("aclprofStr2Id", 0, || {
        Err(Error::unsupported("profiling is not available; take times with aclrtEventElapsedTime"))
    })
}
