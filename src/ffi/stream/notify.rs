//! Notifies: signals between streams that one wait consumes, and counts that streams wait for.

use std::ffi::c_char;

use crate::base::{Array, enum_value, guard, guard_out, guard_unsupported, handle, must_not_be_null, read, text};
use crate::core::stream::notify::{self, CountedNotify, Notify};
use crate::memory::ipc::{self, processes};
use crate::types::{
    aclError, aclrtCntNotify, aclrtCntNotifyRecordInfo, aclrtCntNotifyWaitInfo, aclrtNotify, aclrtServerPid,
    aclrtStream,
};

/// Creates a notify of the current device: a signal that one stream records (aclrtRecordNotify) and one wait consumes
/// (aclrtWaitAndResetNotify), whichever comes first. A device can have 8,192 of them, including imported ones.
///
/// @param notify receives the handle; the caller destroys it with aclrtDestroyNotify.
/// @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which has no effect.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009: no more can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCreateNotify of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateNotify(notify: *mut aclrtNotify, flag: u64) -> aclError {
    guard_out("aclrtCreateNotify", "notify", notify, || Ok(handle::to_c(Notify::create(flag)?)))
}

/// Destroys a notify, or closes an imported one. Does not wait: pending records and waits keep what they need until
/// they complete. Waits of other processes for a notify that this process created then end with an error. If the notify
/// was already released with its device, the first call succeeds and does nothing: docs/failures.md.
///
/// @param notify a notify.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, already destroyed, or called inside a host function.
/// @note Thread-safe. Follows aclrtDestroyNotify of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyNotify(notify: aclrtNotify) -> aclError {
    guard("aclrtDestroyNotify", || Notify::destroy(handle::from_c(notify)))
}

/// Enqueues the signal: after the earlier operations of `stream`, one wait for the notify, present or future,
/// continues. Several records before a wait count as one. Does not block the caller.
///
/// @param notify a notify, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `notify` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtRecordNotify of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream) -> aclError {
    guard("aclrtRecordNotify", || notify::record(handle::from_c(notify), handle::from_c(stream)))
}

/// Makes `stream` wait for the notify's signal and consume it atomically: of several waits, one continues for each
/// record. Does not block the caller.
///
/// A wait that times out fails with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the next synchronize returns. The stream
/// continues without the signal, which stays available for other waits. A wait for an imported notify fails with
/// ACL_ERROR_RT_PARAM_INVALID 107000 if the exporting process destroys the notify or ends. A wait for an exported
/// notify fails with the same code if importing processes have died and none is left. An abort ends a wait. A reset of
/// the device ends it after a second, with 107019.
///
/// @param notify a notify, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @param timeout seconds, from when the stream reaches the wait; 0: no timeout.
/// @return the codes of aclrtRecordNotify
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread to watch notifies can be started.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
/// @note Thread-safe. Follows aclrtWaitAndResetNotify of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtWaitAndResetNotify(notify: aclrtNotify, stream: aclrtStream, timeout: u32) -> aclError {
    guard("aclrtWaitAndResetNotify", || notify::wait(handle::from_c(notify), handle::from_c(stream), timeout))
}

/// Returns the number of a notify: small, and unique among the notifies of the device.
///
/// @param notify a notify.
/// @param notifyId receives the number, below 8,192.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, or destroyed.
/// @note Thread-safe. Follows aclrtGetNotifyId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetNotifyId(notify: aclrtNotify, notifyId: *mut u32) -> aclError {
    guard_out("aclrtGetNotifyId", "notifyId", notifyId, || Notify::id(handle::from_c(notify)))
}

/// Clears the unconsumed signals of several notifies, at once and without stream order. If one of the handles is
/// invalid, nothing is cleared.
///
/// @param notifies `num` notifies; may be null if `num` is 0.
/// @param num how many; 0 does nothing.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or one of the handles is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: one is not a notify, or destroyed, or called inside a host function.
/// @note Thread-safe. Follows aclrtNotifyBatchReset of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyBatchReset(notifies: *mut aclrtNotify, num: usize) -> aclError {
    guard("aclrtNotifyBatchReset", || {
        let array = Array::checked("notifies", notifies, "num", num)?;
        notify::reset(num, |index| handle::from_c(array.get(index)))
    })
}

/// Returns the export key of a notify. Other processes of this user on this machine import the notify with it, as long
/// as it is not destroyed. Repeated calls return the same key.
///
/// @param notify a notify created by this process.
/// @param key receives a text of at most 64 bytes and a terminating zero.
/// @param len size of `key` in bytes, at least 65.
/// @param flags ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0: for processes of aclrtNotifySetImportPid;
///     ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 2: for all processes that have the key.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, other flags, or `len` is too small.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, imported, exported with other flags before, or
///     called inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
///     the key.
/// @note Thread-safe. Follows aclrtNotifyGetExportKey of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyGetExportKey(
    notify: aclrtNotify,
    key: *mut c_char,
    len: usize,
    flags: u64,
) -> aclError {
    guard("aclrtNotifyGetExportKey", || {
        must_not_be_null("key", key)?;
        let export = notify::export(handle::from_c(notify), len, flags)?;
        text::Buffer::new("key", key, "len", len)?.write(&export);
        Ok(())
    })
}

/// Opens a notify of another process: records and waits in both processes refer to one signal. Importing a notify of
/// the same process is not supported.
///
/// @param notify receives the handle, one of the current device's 8,192; the caller destroys it with
///     aclrtDestroyNotify.
/// @param key a key of aclrtNotifyGetExportKey of the exporting process.
/// @param flags ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0, or ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 2, which has no
///     effect.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a key, its process has ended, does not respond, has destroyed the
///     notify, or does not allow this process; or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `key` comes from another machine, or another network or process
///     namespace (container).
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created, or
///     no descriptor is left.
/// @note Thread-safe. Follows aclrtNotifyImportByKey of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyImportByKey(notify: *mut aclrtNotify, key: *const c_char, flags: u64) -> aclError {
    guard_out("aclrtNotifyImportByKey", "notify", notify, || Ok(handle::to_c(notify::import(ipc::key(key)?, flags)?)))
}

/// Allows processes to import a notify that was exported with ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT. Adds to the processes
/// that are already allowed.
///
/// @param notify an exported notify of this process.
/// @param pid the process ids, as aclrtDeviceGetBareTgid returns them in those processes, which run now: a later
///     process with the same id is another one.
/// @param num number of ids, 1 to 4,194,304.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, `num` is out of range, or an impossible process id.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, not exported, or called inside a host function.
/// @note Thread-safe. Follows aclrtNotifySetImportPid of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifySetImportPid(notify: aclrtNotify, pid: *mut i32, num: usize) -> aclError {
    guard("aclrtNotifySetImportPid", || notify::admit(handle::from_c(notify), &processes(pid, "num", num)?))
}

/// Allows processes of other servers to import a notify.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifySetImportPidInterServer(
    notify: aclrtNotify,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtNotifySetImportPidInterServer",
        "notifies cannot be shared between servers; use aclrtNotifySetImportPid for processes on this server, and the \
         network for others",
    )
}

/// Creates a counted notify of the current device: streams change its count and wait for it. The count starts at 0. A
/// device can have 8,192 of them, in addition to those of aclrtCreateNotify.
///
/// @param cntNotify receives the handle; the caller destroys it with aclrtCntNotifyDestroy.
/// @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which has no effect.
/// @return the codes of aclrtCreateNotify.
/// @note Thread-safe. Follows aclrtCntNotifyCreate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyCreate(cntNotify: *mut aclrtCntNotify, flag: u64) -> aclError {
    guard_out("aclrtCntNotifyCreate", "cntNotify", cntNotify, || Ok(handle::to_c(CountedNotify::create(flag)?)))
}

/// Destroys a counted notify. Does not wait, as aclrtDestroyNotify. If the notify was already released with its device,
/// the first call succeeds and does nothing: docs/failures.md.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate.
/// @return the codes of aclrtDestroyNotify.
/// @note Thread-safe. Follows aclrtCntNotifyDestroy of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyDestroy(cntNotify: aclrtCntNotify) -> aclError {
    guard("aclrtCntNotifyDestroy", || CountedNotify::destroy(handle::from_c(cntNotify)))
}

/// Enqueues an atomic change of the count, after the earlier operations of `stream`.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @param info the change: with ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE the count becomes `value`, with _ADD_MODE
///     `value` is added (modulo 2^32), with _BIT_OR_MODE and _BIT_AND_MODE it is combined with `value`. Read during the
///     call.
/// @return the codes of aclrtRecordNotify
/// @retval ACL_ERROR_INVALID_PARAM 100000: also: `info` is null or has an unknown mode.
/// @note Thread-safe. Follows aclrtCntNotifyRecord of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyRecord(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyRecordInfo,
) -> aclError {
    guard("aclrtCntNotifyRecord", || {
        let info = read("info", info)?;
        notify::record_counted(handle::from_c(cntNotify), handle::from_c(stream), enum_value(info.mode), info.value)
    })
}

/// Makes `stream` wait until the count meets a condition. With `isClear` the end of the wait atomically sets the count
/// to 0: no other change comes in between. aclrtWaitAndResetNotify describes timeouts, aborts and failures.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @param info the condition: the count is less than, equal to, greater than, or not less than `value` (unsigned), or,
///     with ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, has all bits of `value`; `timeout` in seconds from when the
///     stream reaches the wait, 0 for no timeout; `isClear` 0 or 1. Read during the call.
/// @return the codes of aclrtWaitAndResetNotify
/// @retval ACL_ERROR_INVALID_PARAM 100000: also: `info` is null, has an unknown mode or `isClear`, or requires a count
///     less than 0 or greater than 4,294,967,295.
/// @note Thread-safe. Follows aclrtCntNotifyWaitWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyWaitWithTimeout(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyWaitInfo,
) -> aclError {
    guard("aclrtCntNotifyWaitWithTimeout", || {
        let info = read("info", info)?;
        let (raw, stream, mode) = (handle::from_c(cntNotify), handle::from_c(stream), enum_value(info.mode));
        notify::wait_counted(raw, stream, mode, info.value, info.timeout, info.isClear)
    })
}

/// Enqueues an operation that sets the count to 0.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtRecordNotify.
/// @note Thread-safe. Follows aclrtCntNotifyReset of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyReset(cntNotify: aclrtCntNotify, stream: aclrtStream) -> aclError {
    guard("aclrtCntNotifyReset", || notify::reset_counted(handle::from_c(cntNotify), handle::from_c(stream)))
}

/// Returns the number of a counted notify: small, and unique among the counted notifies of the device.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate.
/// @param notifyId receives the number, below 8,192.
/// @return the codes of aclrtGetNotifyId.
/// @note Thread-safe. Follows aclrtCntNotifyGetId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyGetId(cntNotify: aclrtCntNotify, notifyId: *mut u32) -> aclError {
    guard_out("aclrtCntNotifyGetId", "notifyId", notifyId, || CountedNotify::id(handle::from_c(cntNotify)))
}
