//! Sharing of pools, and of their allocations, between processes.

use std::ffi::c_void;
use std::io::Error;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, IntoRawFd, RawFd};

use crate::backend::{PoolHandle, PoolSharing};
use crate::base::{Out, address, enum_value, guard, guard_out, handle, must_not_be_null, read};
use crate::core::base::error::{Result, invalid_param, param_invalid};
use crate::core::pool::mem_pool::sharing;
use crate::types::{aclError, aclrtMemHandleType, aclrtMemPool, portaclMemPoolPtrExportData};

/// Exports a pool to other processes. Sharing a pool takes four calls: this one and portaclMemPoolExportPointer in the
/// exporting process, portaclMemPoolImportFromShareableHandle and portaclMemPoolImportPointer in the importing process,
/// which needs the same device and may have other settings. The importers must free what they imported, and wait for
/// that, before this process frees the memory: memory that an importer still has then stays readable, with undefined
/// contents.
///
/// @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX an `int`, which receives a new descriptor. The caller owns it,
///     sends it (SCM_RIGHTS over a Unix socket, or pidfd_getfd) and may close it at any time; child processes do not
///     inherit it across exec. For PORTACL_MEM_HANDLE_TYPE_FABRIC 64 bytes.
/// @param memPool a pool of this process, created with this handle type; not an imported pool.
/// @param handleType ACL_MEM_HANDLE_TYPE_POSIX or PORTACL_MEM_HANDLE_TYPE_FABRIC.
/// @param flags must be 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `shareableHandle` or `memPool` is null, `handleType` is another type,
///     `flags` is not 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is not a live pool, is imported, or was created with another
///     handle type, or called inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no descriptor is available.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. No device need be set. Follows cudaMemPoolExportToShareableHandle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolExportToShareableHandle(
    shareableHandle: *mut c_void,
    memPool: aclrtMemPool,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u32,
) -> aclError {
    guard("portaclMemPoolExportToShareableHandle", || {
        must_not_be_null("shareableHandle", shareableHandle)?;
        match sharing::export(handle::from_c(memPool), enum_value(handleType), flags)? {
            PoolHandle::Descriptor(descriptor) => {
                Out::new("shareableHandle", shareableHandle.cast())?.write(descriptor.into_raw_fd());
            }
            PoolHandle::Fabric(bytes) => Out::new("shareableHandle", shareableHandle.cast())?.write(bytes),
        }
        Ok(())
    })
}

/// Imports a pool of another process. An imported pool cannot be allocated from: it only imports allocations
/// (portaclMemPoolImportPointer), cannot become a current pool, and has no attributes. It belongs to the calling
/// thread's current device and is destroyed with it, a pool of host memory by aclFinalize. aclrtMemPoolDestroy destroys
/// it, and imported allocations stay until they are freed. Only the exporting process counts the memory. If that
/// process ends, in any way, imported allocations stay readable and writable, and new imports fail; on a GPU the driver
/// decides.
///
/// @param memPool receives the pool.
/// @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX the descriptor itself, cast to a pointer: the caller keeps it,
///     and may close it after the call. For PORTACL_MEM_HANDLE_TYPE_FABRIC a pointer to the 64 bytes.
/// @param handleType the type used for the export.
/// @param flags must be 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` (or, if it is a pointer, `shareableHandle`) is null, `handleType`
///     is another type, `flags` is not 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `shareableHandle` is not an open descriptor, not a descriptor of an
///     exported pool, damaged or of another version of this library; the pool is on another device than the current
///     one, or, on the CPU, it was destroyed or its process has ended; or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device cannot share pools in this way.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no descriptor or no host memory is available.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows cudaMemPoolImportFromShareableHandle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolImportFromShareableHandle(
    memPool: *mut aclrtMemPool,
    shareableHandle: *mut c_void,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u32,
) -> aclError {
    guard_out("portaclMemPoolImportFromShareableHandle", "memPool", memPool, || {
        let shareable = match sharing::way(enum_value(handleType))? {
            // The contract of this handle type is that there are as many bytes.
            PoolSharing::Fabric => PoolHandle::Fabric(read("shareableHandle", shareableHandle.cast::<[u8; 64]>())?),
            PoolSharing::None | PoolSharing::Descriptor => {
                PoolHandle::Descriptor(descriptor("shareableHandle", shareableHandle)?)
            }
        };
        Ok(handle::to_c(sharing::import(shareable, flags)?))
    })
}

/// The descriptor that C passes as a pointer. The caller keeps it open during the call.
fn descriptor<'a>(argument: &str, value: *mut c_void) -> Result<BorrowedFd<'a>> {
    let number = value.addr() as isize;
    let descriptor = RawFd::try_from(number).ok().filter(|number| {
        // SAFETY: asks whether there is such a descriptor.
        let is_open = || unsafe { libc::fcntl(*number, libc::F_GETFD) } != -1;
        // If the system refuses this query, the caller is trusted.
        *number >= 0 && (is_open() || Error::last_os_error().raw_os_error() != Some(libc::EBADF))
    });
    let descriptor = descriptor.ok_or_else(|| {
        param_invalid!("{argument} is {number}; it must be an open descriptor of this process, cast to a pointer")
    })?;
    // SAFETY: it is open, and the caller leaves it so.
    Ok(unsafe { BorrowedFd::borrow_raw(descriptor) })
}

/// Exports an allocation of an exported pool: returns a name for other processes. Repeated calls return the same bytes.
/// The name ends when the allocation is freed: then it cannot be imported any more.
///
/// @param exportData the caller sets its `size`; receives `data`, plain bytes that can be passed in any way.
/// @param ptr the start of an allocation of a pool that was created with a handle type. Importers read what completed
///     work has written; the processes must synchronize with each other, for example over a socket.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not the size of the structure.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `ptr` is not the start of a live allocation of such a pool, is imported,
///     or called inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000: more than 65,408 pointers of one pool are exported at a time.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. No device need be set. Follows cudaMemPoolExportPointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolExportPointer(
    exportData: *mut portaclMemPoolPtrExportData,
    ptr: *mut c_void,
) -> aclError {
    guard("portaclMemPoolExportPointer", || {
        check_size(exportData)?;
        let data = sharing::export_pointer(address::from_c(ptr))?;
        // SAFETY: `check_size` has checked it; only the place of the data is made.
        let place = unsafe { &raw mut (*exportData).data };
        Out::new("exportData", place)?.write(data);
        Ok(())
    })
}

/// Imports an allocation by its name, at an address of this process. Repeated imports return different addresses; each
/// is freed separately, with aclrtMemPoolFreeAsync or aclrtFree, which does not affect the exporting process. Memory
/// hooks are called after the import; if one refuses, the call returns its code.
///
/// @param ptr receives the address: memory on the pool's device, with read-write access.
/// @param memPool the imported pool.
/// @param exportData a name that portaclMemPoolExportPointer returned for an allocation of this pool.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not the size of the structure.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is not a live pool, or not imported; the name is damaged, of
///     another pool or of an allocation that was freed; on the CPU also if the exporting process destroyed the pool or
///     has ended; or called inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no address space or memory to map it.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode, it is larger than a device of this process.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. No device need be set. Follows cudaMemPoolImportPointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolImportPointer(
    ptr: *mut *mut c_void,
    memPool: aclrtMemPool,
    exportData: *const portaclMemPoolPtrExportData,
) -> aclError {
    guard_out("portaclMemPoolImportPointer", "ptr", ptr, || {
        check_size(exportData)?;
        // SAFETY: `check_size` has found a structure of this version, which has the data; it may be unaligned.
        let data = unsafe { (&raw const (*exportData).data).read_unaligned() };
        Ok(address::to_c(sharing::import_pointer(handle::from_c(memPool), &data)?))
    })
}

/// Checks that the structure is present and has the size of this version.
fn check_size(data: *const portaclMemPoolPtrExportData) -> Result<()> {
    must_not_be_null("exportData", data)?;
    // SAFETY: not null, and by the contract of the C boundary at least a size is there.
    let size = unsafe { (&raw const (*data).size).read_unaligned() };
    if size == size_of::<portaclMemPoolPtrExportData>() {
        return Ok(());
    }
    Err(invalid_param!(
        "exportData->size is {size}; set it to sizeof(portaclMemPoolPtrExportData), {}",
        size_of::<portaclMemPoolPtrExportData>()
    ))
}
