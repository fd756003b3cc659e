//! Memory without an address, shared between processes.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::backend::base::broker::Key;
use crate::core::base::error::Result;
use crate::core::memory::virtual_memory::sharing::{self, FABRIC, Form};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Array, Out, enum_value, handle, must_not_be_null};
use crate::ffi::memory::ipc::processes;
use crate::ffi::types::{
    aclError, aclrtDrvMemHandle, aclrtMemHandleType, aclrtMemSharedHandleType,
};

/// What C passes as a shareable handle of a type.
fn key(shareable: *const c_void, share_type: MaybeUninit<aclrtMemSharedHandleType>) -> Result<Key> {
    must_not_be_null("shareableHandle", shareable)?;
    match Form::of(enum_value(share_type))? {
        Form::Number => sharing::from_number(Array::new(shareable.cast::<u64>(), 1).get(0)),
        Form::Fabric => {
            sharing::from_fabric(&Array::new(shareable.cast::<[u8; FABRIC]>(), 1).get(0))
        }
    }
}

/// Gives physical memory a number, by which other processes of the same user on this machine have it as well
/// (aclrtMemImportFromShareableHandle). The number may travel in any way. As of aclrtIpcMemGetExportKey, a thread serves
/// those who ask. Each process maps the memory for itself, and it goes when no process has it any more; when this
/// process ends, it stays for the others.
///
/// @param handle memory from aclrtMallocPhysical, on any device, or on the host.
/// @param handleType ACL_MEM_HANDLE_TYPE_NONE.
/// @param flags ACL_RT_VMM_EXPORT_FLAG_DEFAULT: only processes that aclrtMemSetPidToShareableHandle lists;
/// ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION: whoever has the number. A number has less room for chance than a
/// key or a fabric handle has: processes of the same user could guess it.
/// @param shareableHandle receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `shareableHandle` is null, `handleType` or `flags` is unknown;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is no live memory, or has been exported before, by this call or its V2,
/// or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a GPU that cannot share such memory;
/// ACL_ERROR_BAD_ALLOC 200000: no descriptor, socket or thread is left; ACL_ERROR_RT_CONTEXT_NULL 107002: after
/// aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
/// aclrtMemExportToShareableHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemExportToShareableHandle(
    handle: aclrtDrvMemHandle,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u64,
    shareableHandle: *mut u64,
) -> aclError {
    guard("aclrtMemExportToShareableHandle", || {
        let out = Out::new("shareableHandle", shareableHandle)?;
        sharing::check_handle_type(enum_value(handleType))?;
        out.write(sharing::export(handle::from_c(handle), flags)?.number());
        Ok(())
    })
}

/// As aclrtMemExportToShareableHandle, with a choice of what is passed on. Within one machine both do the same.
///
/// @param handle memory from aclrtMallocPhysical.
/// @param flags as for aclrtMemExportToShareableHandle.
/// @param shareType ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT: a number; ACL_MEM_SHARE_HANDLE_TYPE_FABRIC: an
/// aclrtMemFabricHandle, which no other machine understands.
/// @param shareableHandle receives a uint64_t or an aclrtMemFabricHandle of 128 bytes.
/// @return as aclrtMemExportToShareableHandle; ACL_ERROR_INVALID_PARAM 100000 also where `shareType` is unknown.
/// Thread-safe. Follows aclrtMemExportToShareableHandleV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemExportToShareableHandleV2(
    handle: aclrtDrvMemHandle,
    flags: u64,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    shareableHandle: *mut c_void,
) -> aclError {
    guard("aclrtMemExportToShareableHandleV2", || {
        must_not_be_null("shareableHandle", shareableHandle)?;
        let form = Form::of(enum_value(shareType))?;
        let key = sharing::export(handle::from_c(handle), flags)?;
        match form {
            Form::Number => {
                Out::new("shareableHandle", shareableHandle.cast::<u64>())?.write(key.number());
            }
            Form::Fabric => {
                Out::new("shareableHandle", shareableHandle.cast::<[u8; FABRIC]>())?
                    .write(sharing::to_fabric(&key));
            }
        }
        Ok(())
    })
}

/// Gives physical memory of another process, by its number. It is mapped and given up like memory of this process's
/// own (aclrtMapMem, aclrtFreePhysical), as often imported as wanted, and counts here as imported memory. Memory hooks
/// are asked when it is here; what they return that refuse it is what the call returns.
///
/// @param shareableHandle what aclrtMemExportToShareableHandle gave in another process. In the same process it is
/// refused.
/// @param deviceId the device that it is to be used on, which is set, whichever it is on. Host memory is the
/// host's.
/// @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such
/// device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, the number is none that was exported, is this
/// process's own, its memory is gone, its process has ended, has finalized the library or does not answer within 5
/// seconds, or does not list this one, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: it is
/// of another machine, or of another network or process namespace (container); ACL_ERROR_BAD_ALLOC 200000: no descriptor
/// or handle is left; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the
/// driver refuses. Thread-safe. Follows aclrtMemImportFromShareableHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemImportFromShareableHandle(
    shareableHandle: u64,
    deviceId: i32,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard("aclrtMemImportFromShareableHandle", || {
        let out = Out::new("handle", handle)?;
        let key = sharing::from_number(shareableHandle)?;
        out.write(handle::to_c(sharing::import(&key, deviceId)?));
        Ok(())
    })
}

/// As aclrtMemImportFromShareableHandle, for use on the calling thread's current device.
///
/// @param shareableHandle a uint64_t or an aclrtMemFabricHandle, as it was exported.
/// @param shareType which of them.
/// @param flags must be 0.
/// @param handle receives the handle.
/// @return as aclrtMemImportFromShareableHandle; ACL_ERROR_INVALID_PARAM 100000 also where `shareableHandle` is null,
/// `shareType` is unknown or `flags` is not 0; ACL_ERROR_RT_CONTEXT_NULL 107002 also without a current context.
/// Thread-safe. Follows aclrtMemImportFromShareableHandleV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemImportFromShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    flags: u64,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard("aclrtMemImportFromShareableHandleV2", || {
        let out = Out::new("handle", handle)?;
        let key = key(shareableHandle, shareType)?;
        out.write(handle::to_c(sharing::import_for_current(&key, flags)?));
        Ok(())
    })
}

/// Lists processes that may have physical memory, besides those that were listed before.
///
/// @param shareableHandle a number of this process. Of one that was exported without a check the list is not looked
/// at.
/// @param pid what aclrtDeviceGetBareTgid gives in those processes.
/// @param pidNum how many there are, 1 to 4,194,304.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is null, `pidNum` is out of range, or a process is not above 0;
/// ACL_ERROR_RT_PARAM_INVALID 107000: the number is none that this process has exported, or its memory is gone, or called
/// inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows
/// aclrtMemSetPidToShareableHandle of the Ascend runtime API.
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

/// As aclrtMemSetPidToShareableHandle, by a handle of any type.
///
/// @param shareableHandle a uint64_t or an aclrtMemFabricHandle of this process.
/// @param shareType which of them.
/// @param pid what aclrtDeviceGetBareTgid gives in those processes.
/// @param pidNum how many there are, 1 to 4,194,304.
/// @return as aclrtMemSetPidToShareableHandle; ACL_ERROR_INVALID_PARAM 100000 also where `shareableHandle` is null or
/// `shareType` is unknown. Thread-safe. Follows aclrtMemSetPidToShareableHandleV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemSetPidToShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    pid: *mut i32,
    pidNum: usize,
) -> aclError {
    guard("aclrtMemSetPidToShareableHandleV2", || {
        let key = key(shareableHandle, shareType)?;
        sharing::set_import_processes(&key, &processes(pid, "pidNum", pidNum)?)
    })
}
