//! The program's host memory, registered for devices.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, guard_out};
use crate::core::memory::host_register;
use crate::types::{aclError, aclrtHostRegisterType};

/// Registers the caller's host memory for the kernels of all devices: locks its pages and maps it for devices. Needs
/// no current context.
///
/// The caller keeps ownership of the memory, and calls aclrtHostUnregister before freeing it. The range of a copy must
/// not run past the end of a registration. Copies treat the memory as pageable host memory; aclrtHostRegisterV2 with
/// ACL_HOST_REG_PINNED makes them asynchronous. On the CPU backend, pages beyond the system's limit of locked memory
/// stay unlocked, which is logged once.
///
/// @param ptr first byte, aligned to 4096 bytes; the whole range must be mapped in the process.
/// @param size bytes, at least 1.
/// @param type must be ACL_HOST_REGISTER_MAPPED.
/// @param devPtr receives the address for kernels; do not use it for copies and fills.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `size` is 0, more than all host memory or goes past the end
///     of the address space, an unknown `type`.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a part of the range is memory from this library, in use or freed, or
///     called inside a host function.
/// @retval ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910: a part of the range is already registered.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the other types.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory left.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: not memory of the process.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtHostRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostRegister(
    ptr: *mut c_void,
    size: u64,
    r#type: MaybeUninit<aclrtHostRegisterType>,
    devPtr: *mut *mut c_void,
) -> aclError {
    guard_out("aclrtHostRegister", "devPtr", devPtr, || {
        Ok(address::to_c(host_register::register(address::from_c(ptr), size, enum_value(r#type))?))
    })
}

/// Registers the caller's host memory as aclrtHostRegister, with flags. Needs no current context.
///
/// @param ptr first byte, aligned to 4096 bytes; the whole range must be mapped in the process.
/// @param size bytes, at least 1.
/// @param flag ACL_HOST_REG_MAPPED: the memory has an address for devices, which aclrtHostGetDevicePointer returns;
///     ACL_HOST_REG_PINNED: asynchronous copies treat it as memory from aclrtMallocHost: they return at once, and the
///     memory must not change before they are complete; or both.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, more than all host memory or goes past the end
///     of the address space, no or unknown flags.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_HOST_REG_IOMEMORY or ACL_HOST_REG_READONLY; otherwise the codes
///     of aclrtHostRegister.
/// @note Thread-safe. Follows aclrtHostRegisterV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostRegisterV2(ptr: *mut c_void, size: u64, flag: u32) -> aclError {
    guard("aclrtHostRegisterV2", || host_register::register_with_flags(address::from_c(ptr), size, flag))
}

/// Ends a registration of host memory. New calls no longer see it; pending operations keep the memory locked, and the
/// caller must not free it before they are complete. Does not wait. Any thread may call it.
///
/// This may also unlock memory that the caller locked itself (mlock).
///
/// @param ptr the address that was registered.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911: not registered.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: inside a registration but not its start, memory from this library, or
///     called inside a host function.
/// @note Thread-safe. Follows aclrtHostUnregister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostUnregister(ptr: *mut c_void) -> aclError {
    guard("aclrtHostUnregister", || host_register::unregister(address::from_c(ptr)))
}

/// Returns the address at which kernels of devices access host memory. Needs no current context.
///
/// @param pHost an address anywhere inside memory that was registered with ACL_HOST_REG_MAPPED or
///     ACL_HOST_REGISTER_MAPPED, inside memory from aclrtMallocHost, a pool of host memory or a mapping of host memory,
///     or inside managed memory.
/// @param pDevice receives the address for kernels; do not use it for copies and fills.
/// @param flag must be 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `flag` is not 0.
/// @retval ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911: not registered.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: registered without an address for devices, device memory, or called
///     inside a host function.
/// @note Thread-safe. Follows aclrtHostGetDevicePointer of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostGetDevicePointer(
    pHost: *mut c_void,
    pDevice: *mut *mut c_void,
    flag: u32,
) -> aclError {
    guard_out("aclrtHostGetDevicePointer", "pDevice", pDevice, || {
        Ok(address::to_c(host_register::device_pointer(address::from_c(pHost), flag)?))
    })
}
