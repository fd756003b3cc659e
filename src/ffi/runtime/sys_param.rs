//! System parameters of contexts and of the process.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_out};
use crate::core::runtime::sys_param;
use crate::types::{aclError, aclSysParamOpt};

/// Sets an option of the current context: a number for libraries above this one, without an effect here. It ends with
/// the context.
///
/// @param opt an aclSysParamOpt.
/// @param value any number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown option.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtCtxSetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxSetSysParamOpt(opt: MaybeUninit<aclSysParamOpt>, value: i64) -> aclError {
    guard("aclrtCtxSetSysParamOpt", || sys_param::set_of_context(enum_value(opt), value))
}

/// Returns an option of the current context, as set by aclrtCtxSetSysParamOpt.
///
/// @param opt an aclSysParamOpt.
/// @param value receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown option.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021: it was never set in this context.
/// @note Thread-safe. Follows aclrtCtxGetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetSysParamOpt(opt: MaybeUninit<aclSysParamOpt>, value: *mut i64) -> aclError {
    guard_out("aclrtCtxGetSysParamOpt", "value", value, || sys_param::of_context(enum_value(opt)))
}

/// Sets an option of the process, separate from those of contexts: a number for libraries above this one, without an
/// effect here. It stays set through aclFinalize. Works at any time.
///
/// @param opt an aclSysParamOpt.
/// @param value any number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown option.
/// @note Thread-safe. Follows aclrtSetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetSysParamOpt(opt: MaybeUninit<aclSysParamOpt>, value: i64) -> aclError {
    guard("aclrtSetSysParamOpt", || sys_param::set_of_process(enum_value(opt), value))
}

/// Returns an option of the process, 0 if it was never set. Works at any time.
///
/// @param opt an aclSysParamOpt.
/// @param value receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown option.
/// @note Thread-safe. Follows aclrtGetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSysParamOpt(opt: MaybeUninit<aclSysParamOpt>, value: *mut i64) -> aclError {
    guard_out("aclrtGetSysParamOpt", "value", value, || sys_param::of_process(enum_value(opt)))
}
