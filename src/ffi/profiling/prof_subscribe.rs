//! Profiles of models while they run.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::base::{guard_unsupported, guard_value};
use crate::core::base::error::unsupported;
use crate::types::{
    aclError, aclprofAicoreMetrics, aclprofSubscribeConfig, aclprofSubscribeOpAttri, aclprofSubscribeOpFlag,
};

/// What is missing here, and the alternative.
const NO_MODELS: &str = "this library has no models to subscribe to; measure times with aclrtEventElapsedTime";

/// Creates a subscription config, or returns null.
///
/// @return null; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateSubscribeConfig(
    timeInfoSwitch: i8,
    aicoreMetrics: MaybeUninit<aclprofAicoreMetrics>,
    fd: *mut c_void,
) -> *mut aclprofSubscribeConfig {
    guard_value("aclprofCreateSubscribeConfig", std::ptr::null_mut(), || Err(unsupported!("{NO_MODELS}")))
}

/// Destroys a config of aclprofCreateSubscribeConfig.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroySubscribeConfig(profSubscribeConfig: *const aclprofSubscribeConfig) -> aclError {
    guard_unsupported("aclprofDestroySubscribeConfig", NO_MODELS)
}

/// Subscribes to the profile of a model while it runs.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofModelSubscribe(
    modelId: u32,
    profSubscribeConfig: *const aclprofSubscribeConfig,
) -> aclError {
    guard_unsupported("aclprofModelSubscribe", NO_MODELS)
}

/// Ends a subscription of aclprofModelSubscribe.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofModelUnSubscribe(modelId: u32) -> aclError {
    guard_unsupported("aclprofModelUnSubscribe", NO_MODELS)
}

/// Returns the size of one operator's description.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpDescSize(opDescSize: *mut usize) -> aclError {
    guard_unsupported("aclprofGetOpDescSize", NO_MODELS)
}

/// Returns the number of described operators.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpNum(opInfo: *const c_void, opInfoLen: usize, opNumber: *mut u32) -> aclError {
    guard_unsupported("aclprofGetOpNum", NO_MODELS)
}

/// Returns the length of an operator's type.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpTypeLen(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opTypeLen: *mut usize,
) -> aclError {
    guard_unsupported("aclprofGetOpTypeLen", NO_MODELS)
}

/// Returns the type of an operator.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpType(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opType: *mut c_char,
    opTypeLen: usize,
) -> aclError {
    guard_unsupported("aclprofGetOpType", NO_MODELS)
}

/// Returns the length of an operator's name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpNameLen(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opNameLen: *mut usize,
) -> aclError {
    guard_unsupported("aclprofGetOpNameLen", NO_MODELS)
}

/// Returns the name of an operator.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpName(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opName: *mut c_char,
    opNameLen: usize,
) -> aclError {
    guard_unsupported("aclprofGetOpName", NO_MODELS)
}

/// Returns the start time of an operator.
///
/// @return 0; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpStart(opInfo: *const c_void, opInfoLen: usize, index: u32) -> u64 {
    guard_value("aclprofGetOpStart", 0, || Err(unsupported!("{NO_MODELS}")))
}

/// Returns the end time of an operator.
///
/// @return 0; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpEnd(opInfo: *const c_void, opInfoLen: usize, index: u32) -> u64 {
    guard_value("aclprofGetOpEnd", 0, || Err(unsupported!("{NO_MODELS}")))
}

/// Returns the duration of an operator.
///
/// @return 0; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpDuration(opInfo: *const c_void, opInfoLen: usize, index: u32) -> u64 {
    guard_value("aclprofGetOpDuration", 0, || Err(unsupported!("{NO_MODELS}")))
}

/// Returns the kind of an operator's description.
///
/// @return ACL_SUBSCRIBE_NONE; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpFlag(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
) -> aclprofSubscribeOpFlag {
    guard_value("aclprofGetOpFlag", aclprofSubscribeOpFlag::ACL_SUBSCRIBE_NONE, || Err(unsupported!("{NO_MODELS}")))
}

/// Returns the value of an operator's attribute as a text, or null.
///
/// @return null; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetOpAttriValue(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    attri: MaybeUninit<aclprofSubscribeOpAttri>,
) -> *const c_char {
    guard_value("aclprofGetOpAttriValue", std::ptr::null(), || Err(unsupported!("{NO_MODELS}")))
}

/// Returns the id of the model of an operator.
///
/// @return 0; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofGetModelId(opInfo: *const c_void, opInfoLen: usize, index: u32) -> usize {
    guard_value("aclprofGetModelId", 0, || Err(unsupported!("{NO_MODELS}")))
}
