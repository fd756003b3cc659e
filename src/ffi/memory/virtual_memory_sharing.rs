//! Sharing of physical memory between processes.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::backend::base::broker::Key;
use crate::base::{Array, Out, enum_value, guard, guard_out, handle, must_not_be_null};
use crate::core::base::error::{Result, arguments};
use crate::core::memory::virtual_memory::sharing::{self, FABRIC};
use crate::memory::ipc::processes;
use crate::types::{aclError, aclrtDrvMemHandle, aclrtMemHandleType, aclrtMemSharedHandleType};

/// A shareable handle passed from C, by its type.
fn key(shareable: *const c_void, share_type: MaybeUninit<aclrtMemSharedHandleType>) -> Result<Key> {
    must_not_be_null("shareableHandle", shareable)?;
    match sharing::is_fabric(enum_value(share_type))? {
        true => sharing::from_fabric(&Array::new(shareable.cast::<[u8; FABRIC]>(), 1).get(0)),
        false => sharing::from_number(Array::new(shareable.cast::<u64>(), 1).get(0)),
    }
}

/// Exports physical memory: returns a number with which other processes of the same user on this machine import it
/// (aclrtMemImportFromShareableHandle). The number can be passed in any way. As with aclrtIpcMemGetExportKey, a thread
/// serves importers. Each process maps the memory itself. The memory is freed when no process has it any more; it
/// survives the end of this process if others have it. An import grants this memory; on CPUs where the kernel cannot
/// make writers wait, all memory on the device, as with aclrtIpcMemGetExportKey, unless it is exported before it is
/// mapped.
///
/// @param handle physical memory on any device or on the host, also imported memory.
/// @param handleType ACL_MEM_HANDLE_TYPE_NONE.
/// @param flags ACL_RT_VMM_EXPORT_FLAG_DEFAULT: only processes listed by aclrtMemSetPidToShareableHandle;
///     ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION: all processes that have the number. A number has fewer random
///     bits than a key or a fabric handle: processes of the same user could guess it.
/// @param shareableHandle receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `handle` or `shareableHandle` is null, `handleType` or `flags` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is not live memory, was already exported by this call or its V2,
///     or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a GPU that cannot share such memory, or the process cannot share
///     anything (docs/sharing.md).
/// @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
///     importers.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtMemExportToShareableHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemExportToShareableHandle(
    handle: aclrtDrvMemHandle,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u64,
    shareableHandle: *mut u64,
) -> aclError {
    guard_out("aclrtMemExportToShareableHandle", "shareableHandle", shareableHandle, || {
        arguments::numbered("handleType", enum_value(handleType), &[()], "ACL_MEM_HANDLE_TYPE_NONE 0")?;
        Ok(sharing::export(handle::from_c(handle), flags, false)?.number())
    })
}

/// Exports physical memory as aclrtMemExportToShareableHandle, as a number or a fabric handle. Both work within one
/// machine only.
///
/// @param handle physical memory, as for aclrtMemExportToShareableHandle.
/// @param flags as in aclrtMemExportToShareableHandle.
/// @param shareType ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT: a number; ACL_MEM_SHARE_HANDLE_TYPE_FABRIC: an
///     aclrtMemFabricHandle, which is not valid on other machines.
/// @param shareableHandle receives a uint64_t or an aclrtMemFabricHandle of 128 bytes.
/// @return the codes of aclrtMemExportToShareableHandle
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if `shareType` is unknown.
/// @note Thread-safe. Follows aclrtMemExportToShareableHandleV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemExportToShareableHandleV2(
    handle: aclrtDrvMemHandle,
    flags: u64,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    shareableHandle: *mut c_void,
) -> aclError {
    guard("aclrtMemExportToShareableHandleV2", || {
        must_not_be_null("shareableHandle", shareableHandle)?;
        let is_fabric = sharing::is_fabric(enum_value(shareType))?;
        let key = sharing::export(handle::from_c(handle), flags, is_fabric)?;
        match is_fabric {
            true => Out::new("shareableHandle", shareableHandle.cast())?.write(sharing::to_fabric(&key)),
            false => Out::new("shareableHandle", shareableHandle.cast())?.write(key.number()),
        }
        Ok(())
    })
}

/// Imports physical memory from another process by its number. It is mapped and released like memory of this process
/// (aclrtMapMem, aclrtFreePhysical), can be imported several times, and counts as imported memory. Memory hooks are
/// called after the import; if one refuses, the call returns its code.
///
/// @param shareableHandle a number of aclrtMemExportToShareableHandle of another process. A number of the same process
///     is rejected.
/// @param deviceId the device that will use it; it must be set, and need not be the memory's device. Host memory stays
///     host memory.
/// @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset (host memory:
///     until aclFinalize).
/// @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set; the number was not exported, belongs to this
///     process, or its memory is freed; its process has ended, has finalized the library, does not respond within 5
///     seconds, or does not allow this process; or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: it comes from another machine, or another network or process
///     namespace (container), or the process cannot share anything (docs/sharing.md).
/// @retval ACL_ERROR_BAD_ALLOC 200000: no handle or address space is available.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor or socket is available.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtMemImportFromShareableHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemImportFromShareableHandle(
    shareableHandle: u64,
    deviceId: i32,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard_out("aclrtMemImportFromShareableHandle", "handle", handle, || {
        Ok(handle::to_c(sharing::import(&sharing::from_number(shareableHandle)?, deviceId)?))
    })
}

/// Imports physical memory as aclrtMemImportFromShareableHandle, for use on the calling thread's current device.
///
/// @param shareableHandle a uint64_t or an aclrtMemFabricHandle, as it was exported.
/// @param shareType the type of `shareableHandle`.
/// @param flags must be 0.
/// @param handle receives the handle.
/// @return the codes of aclrtMemImportFromShareableHandle
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if `shareableHandle` is null, `shareType` is unknown or `flags` is not
///     0.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: also without a current context.
/// @note Thread-safe. Follows aclrtMemImportFromShareableHandleV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemImportFromShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    flags: u64,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard_out("aclrtMemImportFromShareableHandleV2", "handle", handle, || {
        Ok(handle::to_c(sharing::import_for_current(&key(shareableHandle, shareType)?, flags)?))
    })
}

/// Allows processes to import physical memory. Adds to the processes that are already allowed.
///
/// @param shareableHandle a number of this process. The list has no effect on a number that was exported without a
///     check.
/// @param pid the results of aclrtDeviceGetBareTgid in those processes, which run now: a later process with the same
///     id is another one.
/// @param pidNum number of processes, 1 to 4,194,304.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is null, `pidNum` is out of range, or a process id is not greater than
///     0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the number was not exported by this process, or its memory is freed, or
///     called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtMemSetPidToShareableHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemSetPidToShareableHandle(
    shareableHandle: u64,
    pid: *mut i32,
    pidNum: usize,
) -> aclError {
    guard("aclrtMemSetPidToShareableHandle", || {
        let processes = processes(pid, "pidNum", pidNum)?;
        sharing::set_import_processes(&sharing::from_number(shareableHandle)?, &processes)
    })
}

/// Allows processes to import physical memory as aclrtMemSetPidToShareableHandle, for a handle of any type.
///
/// @param shareableHandle a uint64_t or an aclrtMemFabricHandle of this process.
/// @param shareType the type of `shareableHandle`.
/// @param pid the results of aclrtDeviceGetBareTgid in those processes, which run now: a later process with the same
///     id is another one.
/// @param pidNum number of processes, 1 to 4,194,304.
/// @return the codes of aclrtMemSetPidToShareableHandle
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if `shareableHandle` is null or `shareType` is unknown.
/// @note Thread-safe. Follows aclrtMemSetPidToShareableHandleV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemSetPidToShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    pid: *mut i32,
    pidNum: usize,
) -> aclError {
    guard("aclrtMemSetPidToShareableHandleV2", || {
        sharing::set_import_processes(&key(shareableHandle, shareType)?, &processes(pid, "pidNum", pidNum)?)
    })
}
