//! Profiling: from when to when what is recorded, and where the trace goes.

use std::ffi::{OsStr, c_char};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::core::profiling;
use crate::ffi::base::guard::{guard, guard_value};
use crate::ffi::base::value::{Array, bytes, enum_value, handle, must_be_null};
use crate::ffi::types::{
    aclError, aclprofAicoreEvents, aclprofAicoreMetrics, aclprofConfig, aclprofConfigType,
};

/// Begins profiling: traces of this process go to a folder from now on, one file for each aclprofInit. Nothing
/// is recorded before aclprofStart. Works before aclInit, and after it for streams that are there already.
///
/// The file is `portacl-PROCESS-NUMBER.json`, in the Trace Event format that Perfetto and chrome://tracing open.
/// With `PORTACL_TRACE` set everything goes to that variable's file instead, and the folder stays empty.
///
/// @param profilerResultPath the folder; it is made if it is not there.
/// @param length bytes of it without the final zero, from 1 to 4096.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range;
/// ACL_ERROR_PROF_ALREADY_RUN 100042: profiling has begun already; ACL_ERROR_INVALID_FILE 100003: it cannot be
/// made a folder; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclprofInit of the Ascend runtime API; codes and file are portacl's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofInit(profilerResultPath: *const c_char, length: usize) -> aclError {
    guard("aclprofInit", || {
        // SAFETY: aclprofInit asks for `length` readable bytes at `profilerResultPath`.
        let path = unsafe {
            bytes::bounded("profilerResultPath", profilerResultPath, "length", length, 4096)
        }?;
        profiling::init(Path::new(OsStr::from_bytes(until_zero(&path))))
    })
}

/// Ends profiling: what is started is stopped, and the trace is complete. Work that is not over by then is in it
/// up to now.
///
/// @return ACL_SUCCESS; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun; ACL_ERROR_RT_PARAM_INVALID
/// 107000: called inside a host function. Thread-safe. Follows aclprofFinalize of the Ascend runtime API.
/// aclFinalize completes the trace as well; this may still be called after it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofFinalize() -> aclError {
    guard("aclprofFinalize", profiling::finalize)
}

/// Describes what to record: the work of devices, and with it what threads of the program do.
///
/// @param deviceIdList ids of devices; a device may be named twice.
/// @param deviceNums how many, from 1 to 1024.
/// @param aicoreMetrics a value of aclprofAicoreMetrics; none of them is measured, for want of such cores.
/// @param aicoreEvents must be null.
/// @param dataTypeConfig ACL_PROF_... bits; a trace always has everything, whichever they are.
/// @return the description, for aclprofDestroyConfig to end; null on a failure, which aclGetRecentErrMsg tells:
/// ACL_ERROR_INVALID_PARAM 100000: no ids, too many, an unknown value, or `aicoreEvents` is not null;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_BAD_ALLOC 200000: no more can be made.
/// Thread-safe. Follows aclprofCreateConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateConfig(
    deviceIdList: *mut u32,
    deviceNums: u32,
    aicoreMetrics: MaybeUninit<aclprofAicoreMetrics>,
    aicoreEvents: *const aclprofAicoreEvents,
    dataTypeConfig: u64,
) -> *mut aclprofConfig {
    guard_value("aclprofCreateConfig", std::ptr::null_mut(), || {
        must_be_null("aicoreEvents", aicoreEvents)?;
        profiling::check_count(deviceNums)?;
        let ids = Array::new(deviceIdList, deviceNums as usize).to_vec("deviceIdList")?;
        let config = profiling::create_config(&ids, enum_value(aicoreMetrics))?;
        Ok(handle::to_c(config).cast())
    })
}

/// Ends a description of aclprofCreateConfig.
///
/// @param profilerConfig the description, not started.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: none, destroyed
/// before, or started. Thread-safe. Follows aclprofDestroyConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyConfig(profilerConfig: *const aclprofConfig) -> aclError {
    guard("aclprofDestroyConfig", || profiling::destroy_config(raw(profilerConfig)))
}

/// Sets an option, between aclprofInit and the first aclprofStart.
///
/// @param configType ACL_PROF_STORAGE_LIMIT: most megabytes of the trace, as in "200MB" (the unit may be left
/// out), without it there is no limit; the trace ends where it would become longer. ACL_PROF_PATH: a folder,
/// instead of aclprofInit's.
/// @param config the value, a text.
/// @param configLength bytes of it without the final zero, from 1 to 4096.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, a length out of range, no such option, or a value
/// that it does not have; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun; ACL_ERROR_PROF_ALREADY_RUN
/// 100042: aclprofStart was called; ACL_ERROR_INVALID_FILE 100003: no folder can be made;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an option about sampling hardware that there is none of. Thread-safe.
/// Follows aclprofSetConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetConfig(
    configType: MaybeUninit<aclprofConfigType>,
    config: *const c_char,
    configLength: usize,
) -> aclError {
    guard("aclprofSetConfig", || {
        // SAFETY: aclprofSetConfig asks for `configLength` readable bytes at `config`.
        let text = unsafe { bytes::bounded("config", config, "configLength", configLength, 4096) }?;
        profiling::set_option(enum_value(configType), OsStr::from_bytes(until_zero(&text)))
    })
}

/// Records from now on what a description says, besides what others say that are started. What was queued before
/// is not in the trace.
///
/// @param profilerConfig from aclprofCreateConfig.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no description,
/// destroyed, or called inside a host function; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun;
/// ACL_ERROR_PROF_ALREADY_RUN 100042: it is started already; ACL_ERROR_INVALID_FILE 100003: the trace cannot be
/// written. Thread-safe. Follows aclprofStart of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStart(profilerConfig: *const aclprofConfig) -> aclError {
    guard("aclprofStart", || profiling::start(raw(profilerConfig)))
}

/// Does not record any more what a description says, unless another one does. What was queued before is still
/// written when it is over.
///
/// @param profilerConfig from aclprofCreateConfig, started.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no description,
/// destroyed, or called inside a host function; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun, or this
/// is not started (aclFinalize stops everything). Thread-safe. Follows aclprofStop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStop(profilerConfig: *const aclprofConfig) -> aclError {
    guard("aclprofStop", || profiling::stop(raw(profilerConfig)))
}

/// The handle that a pointer to the opaque type is.
fn raw(config: *const aclprofConfig) -> u64 {
    handle::from_c(config.cast_mut().cast())
}

fn until_zero(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    &text[..end]
}
