//! Profiling: what is recorded when, and where the trace is written.

use std::ffi::{OsStr, c_char};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::base::{Array, bounded_bytes, enum_value, guard, guard_value, handle, must_be_null};
use crate::core::profiling;
use crate::types::{aclError, aclprofAicoreEvents, aclprofAicoreMetrics, aclprofConfig, aclprofConfigType};

/// Initializes profiling: traces of this process are written to a folder, one file from an aclprofStart until
/// aclprofFinalize or aclFinalize. Nothing is recorded before aclprofStart. Works before aclInit, and after it also for
/// existing streams.
///
/// The file is `portacl-PROCESS-NUMBER.json`, in the Trace Event format of Perfetto and chrome://tracing. With
/// `PORTACL_TRACE` set everything is written to the file of that variable instead, and the folder stays empty.
///
/// @param profilerResultPath the folder; created if it does not exist.
/// @param length length of the path in bytes without the terminating zero, from 1 to 4096.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
/// @retval ACL_ERROR_PROF_ALREADY_RUN 100042: profiling is already initialized.
/// @retval ACL_ERROR_INVALID_FILE 100003: the folder cannot be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclprofInit of the Ascend runtime API; codes and file format are portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofInit(profilerResultPath: *const c_char, length: usize) -> aclError {
    guard("aclprofInit", || {
        // SAFETY: aclprofInit asks for `length` readable bytes at `profilerResultPath`.
        let path = unsafe { bounded_bytes("profilerResultPath", profilerResultPath, "length", length, 4096) }?;
        profiling::init(Path::new(OsStr::from_bytes(until_zero(&path))))
    })
}

/// Finalizes profiling: stops all started configs and completes the trace. The trace contains pending work up to this
/// time.
///
/// @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclprofFinalize of the Ascend runtime API. aclFinalize completes the trace as well; this
///     may still be called after it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofFinalize() -> aclError {
    guard("aclprofFinalize", profiling::finalize)
}

/// Creates a profiling config: the devices whose work is recorded. The trace also contains the activity of the
/// program's threads.
///
/// @param deviceIdList ids of devices; a device may be named twice.
/// @param deviceNums number of ids, from 1 to 1024.
/// @param aicoreMetrics a value of aclprofAicoreMetrics; not measured, because there are no such cores.
/// @param aicoreEvents must be null.
/// @param dataTypeConfig ACL_PROF_... bits; a trace always contains everything, whatever they are.
/// @return the config, to be destroyed with aclprofDestroyConfig; null on a failure, which aclGetRecentErrMsg returns:
///     ACL_ERROR_INVALID_PARAM 100000: no ids, too many, an unknown value, or `aicoreEvents` is not null
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more can be created.
/// @note Thread-safe. Follows aclprofCreateConfig of the Ascend runtime API.
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
        Ok(handle::to_c(profiling::create_config(&ids, enum_value(aicoreMetrics))?).cast())
    })
}

/// Destroys a config of aclprofCreateConfig.
///
/// @param profilerConfig the config, not started.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a config, already destroyed, or started.
/// @note Thread-safe. Follows aclprofDestroyConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyConfig(profilerConfig: *const aclprofConfig) -> aclError {
    guard("aclprofDestroyConfig", || profiling::destroy_config(raw(profilerConfig)))
}

/// Sets an option. Call it between aclprofInit and the first aclprofStart.
///
/// @param configType ACL_PROF_STORAGE_LIMIT: maximum size of the trace in megabytes, as in "200MB" (the unit is
///     optional), no limit by default; the trace ends before it would exceed the limit. ACL_PROF_PATH: a folder,
///     instead of the one of aclprofInit.
/// @param config the value, as text.
/// @param configLength length of the value in bytes without the terminating zero, from 1 to 4096.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, a length out of range, an unknown option, or an invalid value.
/// @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized.
/// @retval ACL_ERROR_PROF_ALREADY_RUN 100042: aclprofStart was already called.
/// @retval ACL_ERROR_INVALID_FILE 100003: the folder cannot be created.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another option of aclprofConfigType: none of these is supported.
/// @note Thread-safe. Follows aclprofSetConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetConfig(
    configType: MaybeUninit<aclprofConfigType>,
    config: *const c_char,
    configLength: usize,
) -> aclError {
    guard("aclprofSetConfig", || {
        // SAFETY: aclprofSetConfig asks for `configLength` readable bytes at `config`.
        let text = unsafe { bounded_bytes("config", config, "configLength", configLength, 4096) }?;
        profiling::set_option(enum_value(configType), OsStr::from_bytes(until_zero(&text)))
    })
}

/// Starts recording what a config selects, in addition to other started configs. Work that was enqueued before is not
/// in the trace.
///
/// @param profilerConfig from aclprofCreateConfig.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a config, destroyed, or called inside a host function.
/// @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized.
/// @retval ACL_ERROR_PROF_ALREADY_RUN 100042: it is already started.
/// @retval ACL_ERROR_INVALID_FILE 100003: the trace cannot be written.
/// @note Thread-safe. Follows aclprofStart of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStart(profilerConfig: *const aclprofConfig) -> aclError {
    guard("aclprofStart", || profiling::start(raw(profilerConfig)))
}

/// Stops recording what a config selects, unless another started config selects it. Work that was enqueued before is
/// still written when it is complete.
///
/// @param profilerConfig a started config of aclprofCreateConfig.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a config, destroyed, or called inside a host function.
/// @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized, or the config is not started (aclFinalize stops
///     all configs).
/// @note Thread-safe. Follows aclprofStop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofStop(profilerConfig: *const aclprofConfig) -> aclError {
    guard("aclprofStop", || profiling::stop(raw(profilerConfig)))
}

/// The handle behind a pointer to the opaque type.
fn raw(config: *const aclprofConfig) -> u64 {
    handle::from_c(config.cast_mut().cast())
}

fn until_zero(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or(text)
}
