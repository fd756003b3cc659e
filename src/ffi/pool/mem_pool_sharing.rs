//! Pools in several processes: handing one over, and single allocations of it.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, IntoRawFd, RawFd};

use crate::backend::{PoolHandle, PoolSharing};
use crate::core::base::error::{Error, Result};
use crate::core::pool::mem_pool::sharing;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, handle, must_not_be_null};
use crate::ffi::types::{aclError, aclrtMemHandleType, aclrtMemPool, portaclMemPoolPtrExportData};

/// Gives what another process needs to import a pool. Sharing a pool takes four calls: this one and
/// portaclMemPoolExportPointer here, portaclMemPoolImportFromShareableHandle and
/// portaclMemPoolImportPointer in the other process, which may be of any backend and setting that has the same
/// device. The importers free what they have imported, and wait for that, before this process frees the
/// memory: what an importer still has then stays readable, with contents that nobody promises.
///
/// @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX an `int`, which receives a new descriptor. It is the
/// caller's, who passes it on (SCM_RIGHTS over a Unix socket, or pidfd_getfd) and closes it when it likes; programs
/// that this one starts do not inherit it. For PORTACL_MEM_HANDLE_TYPE_FABRIC 64 bytes.
/// @param memPool a pool of this process, made with this handle type; not one that was imported.
/// @param handleType ACL_MEM_HANDLE_TYPE_POSIX or PORTACL_MEM_HANDLE_TYPE_FABRIC.
/// @param flags must be 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `shareableHandle` or `memPool` is null, `handleType` is none of
/// these, `flags` is not 0; ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is no live pool, was imported, or was made
/// with another handle type, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000: no descriptor is left;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. No device need be set. Follows
/// cudaMemPoolExportToShareableHandle.
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
                Out::new("shareableHandle", shareableHandle.cast::<RawFd>())?
                    .write(descriptor.into_raw_fd());
            }
            PoolHandle::Fabric(bytes) => {
                Out::new("shareableHandle", shareableHandle.cast::<[u8; 64]>())?.write(bytes);
            }
        }
        Ok(())
    })
}

/// Imports a pool that another process has exported. Nothing is taken from it: it imports single allocations
/// (portaclMemPoolImportPointer), cannot become a current pool, and has no attributes here. It belongs to the calling
/// thread's current device and goes with it, one of host memory with aclFinalize; aclrtMemPoolDestroy ends it, and
/// what it has imported stays until it is freed. The
/// memory counts for the exporting process only. If that process ends, whichever way, what was imported before
/// stays readable and writable, and nothing more can be imported; on a GPU the driver decides.
///
/// @param memPool receives the pool.
/// @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX the descriptor itself, cast to a pointer: it stays the
/// caller's, who may close it after the call. For PORTACL_MEM_HANDLE_TYPE_FABRIC a pointer to the 64 bytes.
/// @param handleType as for the export.
/// @param flags must be 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` (or, where it points to something, `shareableHandle`)
/// is null, `handleType` is none of these, `flags` is not 0; ACL_ERROR_RT_PARAM_INVALID 107000: `shareableHandle` is no
/// open descriptor, is none of an exported pool, is damaged or of another version of this library, the pool is of
/// another device than the current one, it was destroyed, or its process has ended, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device cannot share pools in this way; ACL_ERROR_BAD_ALLOC 200000: no
/// descriptor or no host memory is left; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe.
/// Follows cudaMemPoolImportFromShareableHandle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolImportFromShareableHandle(
    memPool: *mut aclrtMemPool,
    shareableHandle: *mut c_void,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u32,
) -> aclError {
    guard("portaclMemPoolImportFromShareableHandle", || {
        let out = Out::new("memPool", memPool)?;
        let shareable = match sharing::way(enum_value(handleType))? {
            PoolSharing::Fabric => {
                must_not_be_null("shareableHandle", shareableHandle)?;
                // SAFETY: not null, and by the contract of this handle type as many bytes.
                PoolHandle::Fabric(unsafe { shareableHandle.cast::<[u8; 64]>().read_unaligned() })
            }
            _ => PoolHandle::Descriptor(descriptor("shareableHandle", shareableHandle)?),
        };
        out.write(handle::to_c(sharing::import(shareable, flags)?));
        Ok(())
    })
}

/// The descriptor that C passes as a pointer. The caller keeps it open during the call.
fn descriptor<'a>(argument: &str, value: *mut c_void) -> Result<BorrowedFd<'a>> {
    let number = value.addr() as isize;
    let descriptor = RawFd::try_from(number).ok().filter(|number| {
        // SAFETY: asks whether there is such a descriptor.
        let known = *number >= 0 && unsafe { libc::fcntl(*number, libc::F_GETFD) } != -1;
        // Where the system refuses to say it, the caller is believed.
        let is_unknown = || std::io::Error::last_os_error().raw_os_error() != Some(libc::EBADF);
        known || *number >= 0 && is_unknown()
    });
    let descriptor = descriptor.ok_or_else(|| {
        Error::param_invalid(format_args!(
            "{argument} is {number}; it must be an open descriptor of this process, cast to a pointer"
        ))
    })?;
    // SAFETY: it is open, and the caller leaves it so.
    Ok(unsafe { BorrowedFd::borrow_raw(descriptor) })
}

/// Names an allocation of an exported pool for other processes. Naming it again gives the same bytes. The name
/// ends when the allocation is freed: from then on nobody imports it.
///
/// @param exportData its `size` is set by the caller; receives `data`, plain bytes that may travel in any way.
/// @param ptr an allocation of a pool that was made with a handle type: its first byte. What an importer reads
/// there is what was written by work that is done; the processes tell each other, over a socket, say.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not that of the structure;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `ptr` is not the start of a live allocation of such a pool, or was itself
/// imported, or the pool was destroyed, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000: more than 65,408
/// pointers of one pool are named at a time; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe.
/// No device need be set. Follows cudaMemPoolExportPointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolExportPointer(
    exportData: *mut portaclMemPoolPtrExportData,
    ptr: *mut c_void,
) -> aclError {
    guard("portaclMemPoolExportPointer", || {
        check_size(exportData)?;
        let data = sharing::export_pointer(address::from_c(ptr))?;
        // SAFETY: `check_size` has looked at it; only the place of the data is made.
        let place = unsafe { &raw mut (*exportData).data };
        Out::new("exportData", place)?.write(data);
        Ok(())
    })
}

/// Gives the allocation that another process has named, at an address of this process's own. Importing it again
/// gives it at another address; each is freed by itself, with aclrtMemPoolFreeAsync or aclrtFree, which tells the
/// other process nothing. Memory hooks are asked when it is here; what they return that refuse it is what the call
/// returns.
///
/// @param ptr receives the address. It is memory of the pool's device, for reading and writing.
/// @param memPool the imported pool.
/// @param exportData what portaclMemPoolExportPointer gave for an allocation of that very pool.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not that of the structure;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is no live pool, or was not imported, the data are damaged, of another
/// pool or of an allocation that was freed, the pool was destroyed there or its process has ended, or called inside a
/// host function; ACL_ERROR_BAD_ALLOC 200000: no room to map it; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode
/// it is larger than a device of this process; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// Thread-safe. No device need be set. Follows cudaMemPoolImportPointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolImportPointer(
    ptr: *mut *mut c_void,
    memPool: aclrtMemPool,
    exportData: *const portaclMemPoolPtrExportData,
) -> aclError {
    guard("portaclMemPoolImportPointer", || {
        let out = Out::new("ptr", ptr)?;
        check_size(exportData)?;
        // SAFETY: as for the export.
        let data = unsafe { (&raw const (*exportData).data).read_unaligned() };
        out.write(address::to_c(sharing::import_pointer(handle::from_c(memPool), &data)?));
        Ok(())
    })
}

/// Whether the structure is there and the one of this version.
fn check_size(data: *const portaclMemPoolPtrExportData) -> Result<()> {
    must_not_be_null("exportData", data)?;
    // SAFETY: not null, and by the contract of the C boundary at least a size is there.
    let size = unsafe { (&raw const (*data).size).read_unaligned() };
    if size == size_of::<portaclMemPoolPtrExportData>() {
        return Ok(());
    }
    Err(Error::invalid_param(format_args!(
        "exportData->size is {size}; set it to sizeof(portaclMemPoolPtrExportData), {}",
        size_of::<portaclMemPoolPtrExportData>()
    )))
}
