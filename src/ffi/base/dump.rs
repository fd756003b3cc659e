//! Dumps of operators' data.

use std::ffi::c_char;

use crate::base::guard_unsupported;
use crate::types::aclError;

/// Nothing can be dumped; the program can copy.
const NO_OPERATORS: &str = "this library has no operators whose data can be dumped; copy device memory with aclrtMemcpy and write it to a file";

/// Starts dumping.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlInitDump() -> aclError {
    guard_unsupported("aclmdlInitDump", NO_OPERATORS)
}

/// Configures dumping from a JSON file.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlSetDump(dumpCfgPath: *const c_char) -> aclError {
    guard_unsupported("aclmdlSetDump", NO_OPERATORS)
}

/// Ends dumping.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlFinalizeDump() -> aclError {
    guard_unsupported("aclmdlFinalizeDump", NO_OPERATORS)
}
