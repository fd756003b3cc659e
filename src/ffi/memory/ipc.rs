//! Memory and events shared between processes.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::core::base::error::Result;
use crate::core::memory::ipc::{self, ProcessList};
use crate::core::stream::event;
use crate::ffi::base::guard::{guard, guard_unsupported};
use crate::ffi::base::value::{Array, Out, address, enum_value, handle, must_not_be_null, text};
use crate::ffi::types::{
    aclError, aclrtEvent, aclrtIpcEventHandle, aclrtIpcMemAttrType, aclrtServerPid,
};

/// A key that C sends.
fn key<'a>(key: *const c_char) -> Result<&'a [u8]> {
    // SAFETY: null, or by the contract of the C boundary a terminated text, which is used in the call.
    Ok(unsafe { text::required("key", key) }?.as_encoded_bytes())
}

/// A list of processes that C sends.
pub(in crate::ffi) fn processes(
    pids: *const i32,
    count_name: &str,
    count: usize,
) -> Result<ProcessList> {
    must_not_be_null("pid", pids)?;
    let pids = Array::new(pids, count);
    ProcessList::new(count_name, count, |index| pids.get(index))
}

/// Gives device memory a key, by which other processes of the same user on this machine open it
/// (aclrtIpcMemImportByKey). The key is text, which may travel in any way: through a file, a pipe, a socket.
/// With the first key of a process a thread begins to serve those who ask, until aclFinalize; a process that is
/// killed leaves nothing behind.
///
/// The key ends with aclrtIpcMemClose, when the memory is freed, and when its device is reset. What others have
/// opened stays readable and writable for them, also when this process ends; once the memory was freed its contents
/// are promised to nobody: importers close first. Each call gives another key.
///
/// @param devPtr memory from aclrtMalloc or a variant of it: its start, a multiple of 4 KiB, as it is with at least
/// 4 KiB. Not managed memory, nor memory of a pool.
/// @param size bytes that importers get, from the start on; at most those of the allocation.
/// @param key receives the text and a zero.
/// @param len the room there: at least 65 bytes.
/// @param flags ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT: only processes that aclrtIpcMemSetImportPid lists;
/// ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION: whoever has the key.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0 or more than there is, `len` is too small,
/// `flags` is unknown; ACL_ERROR_RT_PARAM_INVALID 107000: `devPtr` is not the start of such memory, or no multiple of
/// 4 KiB, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, memory that was
/// allocated with ACL_MEM_MALLOC_HUGE_ONLY, or a device without such handles, and on CPUs a device whose memory is no
/// file (docs/sharing.md); ACL_ERROR_BAD_ALLOC 200000: no descriptor, socket or thread is left; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Takes no order with streams: what importers
/// read is what work that is done has written. Follows aclrtIpcMemGetExportKey of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemGetExportKey(
    devPtr: *mut c_void,
    size: usize,
    key: *mut c_char,
    len: usize,
    flags: u64,
) -> aclError {
    guard("aclrtIpcMemGetExportKey", || {
        let out = text::Buffer::new("key", key, "len", len)?;
        ipc::check_room(len)?;
        out.write(&ipc::export(address::from_c(devPtr), size, flags)?.to_string());
        Ok(())
    })
}

/// Opens memory of another process by its key. It becomes memory of the calling thread's current device, whichever it
/// is on, for all that device memory is good for, and counts for the exporting process only. Opening a key again gives
/// the same address, to be closed once more.
///
/// @param devPtr receives the address; as many bytes as were exported are usable there, until aclrtIpcMemClose, or
/// until the device is reset. It is not freed. The other process's end does not end it.
/// @param key what aclrtIpcMemGetExportKey gave in another process. In the same process it is refused.
/// @param flags ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT, or ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS for memory of
/// another device. Both do the same here: what is opened can be used.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `flags` is unknown;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `key` is none, is this process's own, was closed, or its memory freed, its
/// process has ended, has finalized the library or does not answer within 5 seconds, or does not list this one, the
/// key has been opened on another device, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000:
/// `key` is of another machine, or of another network or process namespace (container), or on CUDA the same memory is
/// open by a key of another size; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000:
/// no room to map it, or no descriptor; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode it is larger than a device
/// of this process; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses; what a memory hook returned that refuses
/// it, which is asked when the memory is here. Thread-safe. Follows aclrtIpcMemImportByKey of the Ascend runtime API, and cuIpcOpenMemHandle where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemImportByKey(
    devPtr: *mut *mut c_void,
    key: *const c_char,
    flags: u64,
) -> aclError {
    guard("aclrtIpcMemImportByKey", || {
        let out = Out::new("devPtr", devPtr)?;
        out.write(address::to_c(ipc::import(self::key(key)?, flags)?));
        Ok(())
    })
}

/// Closes what was opened by a key, or ends a key of this process's own. Importers first, then the exporter, who may
/// then free the memory.
///
/// @param key a key that this process has opened: once for each time. Queued work that uses the memory still has it;
/// new calls do not. Or a key of this process: nobody opens it any more, and who has it keeps it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty; ACL_ERROR_RT_PARAM_INVALID 107000: it is
/// no key, or none that is open or exported here, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002:
/// after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses; what a memory hook returned that
/// refuses it. Thread-safe. Follows aclrtIpcMemClose of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemClose(key: *const c_char) -> aclError {
    guard("aclrtIpcMemClose", || ipc::close(self::key(key)?))
}

/// Lists processes that may open a key, besides those that were listed before.
///
/// @param key a key of this process. Of one that was exported without a check the list is not looked at.
/// @param pid what aclrtDeviceGetBareTgid gives in those processes.
/// @param num how many there are, 1 to 4,194,304.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `num` is 0, or a process is not above 0;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `key` is no key that this process has exported, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtIpcMemSetImportPid of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemSetImportPid(
    key: *const c_char,
    pid: *mut i32,
    num: usize,
) -> aclError {
    guard("aclrtIpcMemSetImportPid", || {
        ipc::set_import_processes(self::key(key)?, &processes(pid, "num", num)?)
    })
}

/// Lists the processes of other servers that may open a name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemImportPidInterServer(
    key: *const c_char,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtIpcMemImportPidInterServer",
        "memory is shared within one machine; list its processes with aclrtIpcMemSetImportPid, and send \
             data to others over the network",
    )
}

/// Chooses the link by which shared memory is reached. Memory here is reached in one way: the choice is checked, and
/// changes nothing.
///
/// @param key a key that this process has exported or opened.
/// @param type ACL_RT_IPC_MEM_ATTR_ACCESS_LINK.
/// @param attr one of ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO, _HCCS, _UB_ONE_PORT_PATH and _UB_MULTI_PORT_PATH.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty, `type` or `attr` is unknown;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `key` is not known here, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtIpcMemSetAttr of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemSetAttr(
    key: *const c_char,
    r#type: MaybeUninit<aclrtIpcMemAttrType>,
    attr: u64,
) -> aclError {
    guard("aclrtIpcMemSetAttr", || ipc::set_attribute(self::key(key)?, enum_value(r#type), attr))
}

/// Gives an event a handle, by which other processes of the same user on this machine open it
/// (aclrtIpcOpenEventHandle). The handle is bytes, which may travel in any way: through a file, a pipe, a socket. With
/// the first one a thread begins to serve those who ask, until aclFinalize; a process that is killed leaves nothing
/// behind. Asked again, the event has the same handle, which ends when the event is destroyed.
///
/// @param event an event of this process that was created by aclrtCreateEventExWithFlag with ACL_EVENT_IPC.
/// @param handle receives 64 bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an event,
/// destroyed, created without ACL_EVENT_IPC, another process's, or called inside a host function;
/// ACL_ERROR_BAD_ALLOC 200000: no descriptor, socket or thread is left. Thread-safe. Follows aclrtIpcGetEventHandle of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcGetEventHandle(
    event: aclrtEvent,
    handle: *mut aclrtIpcEventHandle,
) -> aclError {
    guard("aclrtIpcGetEventHandle", || {
        let out = Out::new("handle", handle)?;
        out.write(aclrtIpcEventHandle {
            reserved: event_handle(&event::export(handle::from_c(event))?),
        });
        Ok(())
    })
}

/// Opens an event of another process, as one of the calling thread's current device. It is the same event: a record in
/// either process replaces the one before, and streams, hosts and queries of all processes that have it see that; a wait
/// keeps the record that was the latest when it was queued, and may be queued on any device. It has no time, and
/// captured streams neither record it nor wait for it. When the process whose record is waited for ends before that,
/// waits fail with ACL_ERROR_RT_PARAM_INVALID 107000, those of streams as their next synchronize tells, and streams go
/// on. When the exporter destroys the event, nothing more is waited for than what was recorded there. Several processes
/// that record it should have no more than 32 records under way together.
///
/// @param handle what aclrtIpcGetEventHandle wrote, in another process or in this one.
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent, which the others do not notice.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null, or `handle` is empty;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is none, its event was destroyed, its process has ended, has finalized the
/// library or does not answer within 5 seconds, or called inside a host function;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `handle` is of another machine, or of another network or process namespace
/// (container); ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000: no descriptor is left;
/// ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made. Thread-safe. Follows aclrtIpcOpenEventHandle of the
/// Ascend runtime API, and cuIpcOpenEventHandle where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcOpenEventHandle(
    handle: aclrtIpcEventHandle,
    event: *mut aclrtEvent,
) -> aclError {
    guard("aclrtIpcOpenEventHandle", || {
        let out = Out::new("event", event)?;
        let bytes = handle.reserved.map(|byte| byte as u8);
        // Zeros behind the text.
        let len = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        out.write(handle::to_c(event::import(&bytes[..len])?));
        Ok(())
    })
}

/// A key in a structure that has as many bytes as the longest one.
fn event_handle(key: &str) -> [c_char; 64] {
    debug_assert!(key.len() <= 64, "a key is longer than its place");
    let mut bytes = [0; 64];
    for (to, from) in bytes.iter_mut().zip(key.bytes()) {
        *to = from as c_char;
    }
    bytes
}
