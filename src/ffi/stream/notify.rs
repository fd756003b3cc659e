//! Notifies: signals between streams, consumed by the wait, and counts that streams wait for.

use std::ffi::c_char;

use crate::core::stream::notify::{self, CountedWait};
use crate::ffi::base::guard::{guard, guard_unsupported};
use crate::ffi::base::value::{Array, Out, enum_value, handle, must_not_be_null, text};
use crate::ffi::memory::ipc::processes;
use crate::ffi::types::{
    aclError, aclrtCntNotify, aclrtCntNotifyRecordInfo, aclrtCntNotifyWaitInfo, aclrtNotify,
    aclrtServerPid, aclrtStream,
};

/// Creates a notify of the current device: a signal that one stream gives (aclrtRecordNotify) and one wait
/// consumes (aclrtWaitAndResetNotify), whichever comes first. A device can have 8,192 of them.
///
/// @param notify receives the handle; the caller destroys it with aclrtDestroyNotify.
/// @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which makes no difference.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtCreateNotify of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateNotify(notify: *mut aclrtNotify, flag: u64) -> aclError {
    guard("aclrtCreateNotify", || {
        let out = Out::new("notify", notify)?;
        out.write(handle::to_c(notify::create(flag)?));
        Ok(())
    })
}

/// Destroys a notify, or lets one of another process go. Never waits: what queued records and waits need of it
/// stays until they are over. Waits of other processes for it end with an error then.
///
/// @param notify a notify.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a notify,
/// destroyed before, or called inside a host function. Thread-safe. Follows aclrtDestroyNotify of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyNotify(notify: aclrtNotify) -> aclError {
    guard("aclrtDestroyNotify", || notify::destroy(handle::from_c(notify)))
}

/// Queues the signal: when `stream` has finished what was queued before, one wait for the notify, now or later,
/// goes on. Recorded again before that, it is still one. Does not block the caller.
///
/// @param notify a notify, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `notify` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// notify, not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// Thread-safe. Follows aclrtRecordNotify of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream) -> aclError {
    guard("aclrtRecordNotify", || notify::record(handle::from_c(notify), handle::from_c(stream)))
}

/// Makes `stream` wait for the notify's signal and consume it, in one step: of several waits one goes on for each
/// record. Does not block the caller.
///
/// A wait whose time is over fails with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the next synchronize tells, and
/// the stream goes on without the signal, which stays for others. A wait for a notify of another process that is
/// destroyed there, or whose process ends, fails with ACL_ERROR_RT_PARAM_INVALID 107000; so does one for an exported
/// notify when processes that had imported it have died and none is left. An abort ends a wait, and so does the end
/// of the device after a second, with 107019.
///
/// @param notify a notify, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @param timeout seconds, from when the stream comes to the wait; 0: for ever.
/// @return as aclrtRecordNotify; ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread can be had that watches
/// notifies; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
/// Thread-safe. Follows aclrtWaitAndResetNotify of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtWaitAndResetNotify(
    notify: aclrtNotify,
    stream: aclrtStream,
    timeout: u32,
) -> aclError {
    guard("aclrtWaitAndResetNotify", || {
        notify::wait(handle::from_c(notify), handle::from_c(stream), timeout)
    })
}

/// Tells a notify's number: small, and no other notify of the device has it meanwhile.
///
/// @param notify a notify.
/// @param notifyId receives the number, below 8,192.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// notify, or destroyed. Thread-safe. Follows aclrtGetNotifyId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetNotifyId(notify: aclrtNotify, notifyId: *mut u32) -> aclError {
    guard("aclrtGetNotifyId", || {
        let out = Out::new("notifyId", notifyId)?;
        out.write(notify::id(handle::from_c(notify))?);
        Ok(())
    })
}

/// Takes back the signals of several notifies that nobody has consumed, at once and in order with no stream. If one
/// of them is none, nothing happens to any.
///
/// @param notifies `num` notifies; may be null if `num` is 0.
/// @param num how many; 0 does nothing.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or one of them is; ACL_ERROR_RT_PARAM_INVALID 107000:
/// one is not a notify, or destroyed, or called inside a host function. Thread-safe. Follows aclrtNotifyBatchReset
/// of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyBatchReset(notifies: *mut aclrtNotify, num: usize) -> aclError {
    guard("aclrtNotifyBatchReset", || {
        let array = Array::new(notifies.cast_const(), num);
        if num > 0 {
            must_not_be_null("notifies", notifies)?;
        }
        notify::reset(num, |index| handle::from_c(array.get(index)))
    })
}

/// Gives a notify a key, by which other processes of this user on this machine import it, for as long as it is not
/// destroyed. Called again, it tells the same key.
///
/// @param notify a notify of this process.
/// @param key receives a text of at most 64 bytes and a zero.
/// @param len bytes at `key`, at least 65.
/// @param flags ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0: for processes of aclrtNotifySetImportPid;
/// ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 2: for all that have the key.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, other flags, or too little room;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, another process's, exported with other flags before,
/// or called inside a host function; ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no
/// descriptor, or no thread or socket to serve it, can be had. Thread-safe. Follows aclrtNotifyGetExportKey of the
/// Ascend runtime API.
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

/// Opens another process's notify: records and waits there and here are of one signal. Importing what this process
/// exports is not promised to work.
///
/// @param notify receives the handle, one of the current device's 8,192; the caller destroys it with
/// aclrtDestroyNotify.
/// @param key what aclrtNotifyGetExportKey gave there.
/// @param flags ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0, or ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 2, which makes no
/// difference.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a key, its process has ended, does not answer, has destroyed the notify, or does not admit this
/// process, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the other process is in
/// another namespace of processes or networks; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009: no more can be made. Thread-safe. Follows aclrtNotifyImportByKey of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyImportByKey(
    notify: *mut aclrtNotify,
    key: *const c_char,
    flags: u64,
) -> aclError {
    guard("aclrtNotifyImportByKey", || {
        let out = Out::new("notify", notify)?;
        // SAFETY: `key` is null or a C string that aclrtNotifyGetExportKey wrote.
        let key = unsafe { text::required("key", key) }?;
        out.write(handle::to_c(notify::import(key.as_encoded_bytes(), flags)?));
        Ok(())
    })
}

/// Lets processes import a notify that was exported with ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT, besides those that may
/// already.
///
/// @param notify a notify of this process, exported before.
/// @param pid their numbers, as aclrtDeviceGetBareTgid tells each of them its own.
/// @param num how many, 1 to 4,194,304.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, `num` is 0, or a number that no process has;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, not exported, or called inside a host function.
/// Thread-safe. Follows aclrtNotifySetImportPid of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifySetImportPid(
    notify: aclrtNotify,
    pid: *mut i32,
    num: usize,
) -> aclError {
    guard("aclrtNotifySetImportPid", || {
        notify::admit(handle::from_c(notify), &processes(pid, "num", num)?)
    })
}

/// Lists the processes of other servers that may open a notify.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifySetImportPidInterServer(
    notify: aclrtNotify,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtNotifySetImportPidInterServer",
        "nothing can be shared between servers; use aclrtNotifySetImportPid for processes of this one, and \
         the network for others",
    )
}

/// Creates a notify of the current device that counts: streams change the count and wait for it. It begins with 0.
/// A device can have 8,192 of them, those of aclrtCreateNotify not included.
///
/// @param cntNotify receives the handle; the caller destroys it with aclrtCntNotifyDestroy.
/// @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which makes no difference.
/// @return as aclrtCreateNotify. Thread-safe. Follows aclrtCntNotifyCreate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyCreate(
    cntNotify: *mut aclrtCntNotify,
    flag: u64,
) -> aclError {
    guard("aclrtCntNotifyCreate", || {
        let out = Out::new("cntNotify", cntNotify)?;
        out.write(handle::to_c(notify::create_counted(flag)?));
        Ok(())
    })
}

/// Destroys a notify that counts. Never waits, as aclrtDestroyNotify.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate.
/// @return as aclrtDestroyNotify. Thread-safe. Follows aclrtCntNotifyDestroy of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyDestroy(cntNotify: aclrtCntNotify) -> aclError {
    guard("aclrtCntNotifyDestroy", || notify::destroy_counted(handle::from_c(cntNotify)))
}

/// Queues a change of the count, in one step, after all that was queued on `stream` before.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @param info what to do: with ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE the count becomes `value`, with _ADD_MODE it
/// grows by it (and wraps at 2^32), with _BIT_OR_MODE and _BIT_AND_MODE it is combined with it. Read by the call.
/// @return as aclrtRecordNotify; ACL_ERROR_INVALID_PARAM 100000 also: `info` is null, or has another mode.
/// Thread-safe. Follows aclrtCntNotifyRecord of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyRecord(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyRecordInfo,
) -> aclError {
    guard("aclrtCntNotifyRecord", || {
        must_not_be_null("info", info)?;
        let info = Array::new(info.cast_const(), 1).get(0);
        let (notify, stream) = (handle::from_c(cntNotify), handle::from_c(stream));
        notify::record_counted(notify, stream, enum_value(info.mode), info.value)
    })
}

/// Makes `stream` wait until the count meets a condition. With `isClear` the end of the wait sets it to 0, in one
/// step: no other wait has seen the same count. How a wait ends otherwise: see aclrtWaitAndResetNotify.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @param info the condition: the count is less than `value`, it, greater, not less (as unsigned numbers), or, with
/// ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, has all bits of `value`; `timeout` in seconds from when the stream
/// comes to the wait, 0 for ever; `isClear` 0 or 1. Read by the call.
/// @return as aclrtWaitAndResetNotify; ACL_ERROR_INVALID_PARAM 100000 also: `info` is null, has another mode or
/// `isClear`, or asks for a count less than 0 or greater than 4,294,967,295. Thread-safe. Follows
/// aclrtCntNotifyWaitWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyWaitWithTimeout(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyWaitInfo,
) -> aclError {
    guard("aclrtCntNotifyWaitWithTimeout", || {
        must_not_be_null("info", info)?;
        let info = Array::new(info.cast_const(), 1).get(0);
        let wait = CountedWait {
            mode: enum_value(info.mode),
            value: info.value,
            seconds: info.timeout,
            clear: info.isClear,
        };
        notify::wait_counted(handle::from_c(cntNotify), handle::from_c(stream), wait)
    })
}

/// Queues setting the count to 0.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtRecordNotify. Thread-safe. Follows aclrtCntNotifyReset of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyReset(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtCntNotifyReset", || {
        notify::reset_counted(handle::from_c(cntNotify), handle::from_c(stream))
    })
}

/// Tells the number of a notify that counts: small, and no other such notify of the device has it meanwhile.
///
/// @param cntNotify a notify of aclrtCntNotifyCreate.
/// @param notifyId receives the number, below 8,192.
/// @return as aclrtGetNotifyId. Thread-safe. Follows aclrtCntNotifyGetId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyGetId(
    cntNotify: aclrtCntNotify,
    notifyId: *mut u32,
) -> aclError {
    guard("aclrtCntNotifyGetId", || {
        let out = Out::new("notifyId", notifyId)?;
        out.write(notify::id_counted(handle::from_c(cntNotify))?);
        Ok(())
    })
}
