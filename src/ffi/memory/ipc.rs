//! Memory and events shared between processes.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::base::{Array, address, enum_value, guard, guard_out, guard_unsupported, must_not_be_null, text};
use crate::core::base::error::Result;
use crate::core::base::ipc_key;
use crate::core::memory::ipc;
use crate::types::{aclError, aclrtIpcMemAttrType, aclrtServerPid};

/// A key passed from C.
pub(crate) fn key<'a>(key: *const c_char) -> Result<&'a [u8]> {
    // SAFETY: null, or by the contract of the C boundary a terminated text, which is used in the call.
    Ok(unsafe { text::required("key", key) }?.as_encoded_bytes())
}

/// A list of processes passed from C.
pub(crate) fn processes(pids: *const i32, count_name: &str, count: usize) -> Result<Vec<i32>> {
    must_not_be_null("pid", pids)?;
    let pids = Array::new(pids, count);
    ipc_key::processes(count_name, count, |index| pids.get(index))
}

/// Exports device memory: returns a key with which other processes of the same user on this machine open it
/// (aclrtIpcMemImportByKey). The key is a text that can be passed in any way: a file, a pipe, a socket. The first key
/// of a process starts a thread that serves importers until aclFinalize; a killed process leaves nothing in the system.
///
/// The key ends with aclrtIpcMemClose, when the memory is freed, and when its device is reset. Imported memory stays
/// readable and writable in the importing processes, also after this process ends. After the memory is freed, its
/// contents are undefined: importers should close it first. Each call returns another key.
///
/// On CPUs the first export of an allocation moves it to a memory file of its own, at the same address, while threads
/// that write to it wait. An import grants the allocation, also beyond `size`. Where the kernel cannot make writers
/// wait (userfaultfd, which Docker's default profile forbids), an import grants all memory on the device. The first
/// such export says so in a line on standard error (docs/sharing.md).
///
/// @param devPtr start of memory from aclrtMalloc or one of its variants of at least 4 KiB. Not managed memory, and not
///     pool memory.
/// @param size bytes that importers get, from the start on; at most the size of the allocation.
/// @param key receives the text and a terminating zero.
/// @param len size of `key` in bytes, at least 65.
/// @param flags ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT: only processes listed by aclrtIpcMemSetImportPid;
///     ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION: all processes that have the key. Processes of other users,
///     and in other containers, get nothing in either case (docs/sharing.md).
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0 or larger than the allocation, `len` is too small, `flags`
///     is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `devPtr` is not the start of such memory, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, a device without such handles, or without
///     descriptors for memory that was allocated with ACL_MEM_MALLOC_HUGE_ONLY; on CPUs a device without a memory file;
///     or the process cannot share anything (docs/sharing.md).
/// @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
///     the key.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Not ordered with streams: importers read what completed work has written. Follows
///     aclrtIpcMemGetExportKey of the Ascend runtime API.
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
        ipc_key::check_room(len)?;
        out.write(&ipc::export(address::from_c(devPtr), size, flags)?.to_string());
        Ok(())
    })
}

/// Opens memory from another process by its key. The memory becomes device memory of the calling thread's current
/// device, whichever device it is on; only the exporting process counts it as device memory. Opening a key again
/// returns the same address; each open needs a close.
///
/// @param devPtr receives the address; the exported number of bytes is usable there until aclrtIpcMemClose, or until
///     the device is reset. Close it instead of freeing it. The end of the exporting process does not end it.
/// @param key a key of aclrtIpcMemGetExportKey of another process. A key of the same process is rejected.
/// @param flags ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT, or ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS for memory of
///     another device. Both have the same effect here: the memory can be used.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `flags` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `key` is not a key, belongs to this process, was closed, or its memory
///     was freed; its process has ended, has finalized the library, does not respond within 5 seconds, or does not
///     allow this process; the key is already open on another device; or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `key` comes from another machine, or another network or process
///     namespace (container); the process cannot share anything (docs/sharing.md); or on CUDA the same memory is
///     already open by a key of another size.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no address space or memory to map it.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor or socket is available.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode, it has more than 64 GiB and more than three times the
///     memory of a device of this process.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. A memory hook that refuses the import, which is
///     called after the mapping, determines the code.
/// @note Thread-safe. Follows aclrtIpcMemImportByKey of the Ascend runtime API, and cuIpcOpenMemHandle where that is
///     silent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemImportByKey(devPtr: *mut *mut c_void, key: *const c_char, flags: u64) -> aclError {
    guard_out("aclrtIpcMemImportByKey", "devPtr", devPtr, || Ok(address::to_c(ipc::import(self::key(key)?, flags)?)))
}

/// Closes imported memory, or ends a key of this process. Importers should close first; then the exporter may end the
/// key and free the memory.
///
/// @param key a key that this process has opened: close it once for each open. Pending work that uses the memory keeps
///     it; new calls cannot use it. Or a key of this process: it cannot be opened any more, and imported memory stays
///     valid.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a key, or neither open nor exported in this process, or called inside
///     a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. A memory hook that refuses determines the code.
/// @note Thread-safe. Follows aclrtIpcMemClose of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemClose(key: *const c_char) -> aclError {
    guard("aclrtIpcMemClose", || ipc::close(self::key(key)?))
}

/// Allows processes to open a key. Adds to the processes that are already allowed.
///
/// @param key a key of this process. The list has no effect on a key that was exported without a check.
/// @param pid the results of aclrtDeviceGetBareTgid in those processes, which run now: a later process with the same
///     id is another one.
/// @param num number of processes, 1 to 4,194,304.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `num` is out of range, or a process id is not greater
///     than 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `key` was not exported by this process, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtIpcMemSetImportPid of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemSetImportPid(key: *const c_char, pid: *mut i32, num: usize) -> aclError {
    guard("aclrtIpcMemSetImportPid", || ipc::set_import_processes(self::key(key)?, &processes(pid, "num", num)?))
}

/// Allows processes of other servers to open a key.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemImportPidInterServer(
    key: *const c_char,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtIpcMemImportPidInterServer",
        "memory can be shared within one machine only; pass processes of this machine to aclrtIpcMemSetImportPid, and \
         send data to other machines over the network",
    )
}

/// Selects the link through which shared memory is accessed. There is only one kind of access here: the value is
/// checked and has no effect.
///
/// @param key a key that this process has exported or opened.
/// @param type ACL_RT_IPC_MEM_ATTR_ACCESS_LINK.
/// @param attr one of ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO, _HCCS, _UB_ONE_PORT_PATH and _UB_MULTI_PORT_PATH.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty, `type` or `attr` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `key` is neither exported nor open in this process, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtIpcMemSetAttr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemSetAttr(
    key: *const c_char,
    r#type: MaybeUninit<aclrtIpcMemAttrType>,
    attr: u64,
) -> aclError {
    guard("aclrtIpcMemSetAttr", || ipc::set_attribute(self::key(key)?, enum_value(r#type), attr))
}
