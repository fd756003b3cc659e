//! Device memory and pinned host memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{Array, address, enum_value, guard, guard_out, read_optional};
use crate::core::base::error::{Result, invalid_param};
use crate::core::memory;
use crate::core::memory::request::malloc_config::{Attribute, MallocConfig};
use crate::types::{aclError, aclrtMallocConfig, aclrtMemMallocPolicy};

/// Allocates memory on the current device. The contents are undefined. Does not wait for pending work.
///
/// The address is aligned to at least 512 bytes, to 4 KiB from 4 KiB on and, except with NORMAL_ONLY, to 2 MiB from 2
/// MiB on, as far as the free memory allows. Sizes are rounded up to 32 bytes. On CPUs another 32 bytes after the end
/// are readable, except in modes that detect accesses outside of allocations (docs/cpu_devices.md). Policies:
/// HUGE_FIRST uses 2 MiB pages from 1.8 MiB on if possible, NORMAL_ONLY normal pages (for both a GPU's driver chooses);
/// HUGE_ONLY uses 2 MiB pages or fails; HUGE1G_ONLY fails; the P2P variants, the bandwidth flags and the read-only flag
/// have no effect. An unknown policy counts as not given: it means HUGE_FIRST from 2 MiB on, and NORMAL_ONLY below.
/// docs/configuration.md has the rule.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
///     released.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend does not support such pages.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtMalloc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMalloc(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard_out("aclrtMalloc", "devPtr", devPtr, || Ok(address::to_c(memory::malloc(size, enum_value(policy))?)))
}

/// Allocates device memory as aclrtMalloc, rounded up to 32 bytes, without readable bytes after that size.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
///     released.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend does not support such pages.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtMallocAlign32 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocAlign32(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard_out("aclrtMallocAlign32", "devPtr", devPtr, || {
        Ok(address::to_c(memory::malloc_align32(size, enum_value(policy))?))
    })
}

/// Allocates device memory as aclrtMalloc. All device memory here is cached, and the caches are coherent: aclrtMemFlush
/// and aclrtMemInvalidate do nothing.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
///     released.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend does not support such pages.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtMallocCached of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocCached(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard_out("aclrtMallocCached", "devPtr", devPtr, || Ok(address::to_c(memory::malloc(size, enum_value(policy))?)))
}

/// Allocates device memory as aclrtMalloc, with attributes.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
///     released.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the current
///     device, `vaFlag` must be 0: device memory has no host address.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has a null attribute array, an unknown
///     attribute, a repeated attribute, or a `vaFlag` other than 0 and 1.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `cfg` names a device other than the current one, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend does not support such pages.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtMallocWithCfg of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocWithCfg(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard_out("aclrtMallocWithCfg", "devPtr", devPtr, || {
        Ok(address::to_c(memory::malloc_with_config(size, enum_value(policy), &malloc_config(cfg)?)?))
    })
}

/// Reads the attributes behind a pointer from C; none for null.
fn malloc_config(config: *const aclrtMallocConfig) -> Result<MallocConfig> {
    let mut read = MallocConfig::default();
    let Some(aclrtMallocConfig { attrs, numAttrs }) = read_optional(config) else { return Ok(read) };
    ensure!(!attrs.is_null() || numAttrs == 0, invalid_param!("cfg->attrs is null, but cfg->numAttrs is {numAttrs}"));
    // A wrong count ends with the first repetition.
    for given in Array::new(attrs, numAttrs).iter() {
        let attribute = Attribute::from_number(enum_value(given.attr))?;
        // SAFETY: C fills the member that the attribute goes with; any bits are a number.
        let value = unsafe {
            match attribute {
                Attribute::Reserved => 0,
                Attribute::ModuleId => u32::from(given.value.moduleId),
                Attribute::DeviceId => given.value.deviceId,
                Attribute::VaFlag => given.value.vaFlag,
            }
        };
        read.add(attribute, value)?;
    }
    Ok(read)
}

/// Allocates device memory for task schedulers. Any device memory is suitable here, so this is aclrtMallocWithCfg.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
///     released.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the current
///     device, `vaFlag` must be 0: device memory has no host address.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has a null attribute array, an unknown
///     attribute, a repeated attribute, or a `vaFlag` other than 0 and 1.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `cfg` names a device other than the current one, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend does not support such pages.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtMallocForTaskScheduler of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocForTaskScheduler(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard_out("aclrtMallocForTaskScheduler", "devPtr", devPtr, || {
        Ok(address::to_c(memory::malloc_with_config(size, enum_value(policy), &malloc_config(cfg)?)?))
    })
}

/// Frees device memory. The address is invalid at once. Pending operations keep the memory; it is reused only after the
/// last of them. Does not wait. Any thread may free it, whatever its current device is. Small blocks may be cached for
/// the next request of their size; cached memory counts as free, and no request fails because of it.
///
/// @param devPtr the start of an allocation of aclrtMalloc or one of its variants, of aclrtMemAllocManaged or of a
///     pool.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live device allocation (inside an allocation, host
///     memory, already freed, released with its device, unknown), or called inside a host function.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015: in guard mode on CPUs, bytes next to the allocation were overwritten;
///     the memory is freed.
/// @note Thread-safe. Follows aclrtFree of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFree(devPtr: *mut c_void) -> aclError {
    guard("aclrtFree", || memory::free(address::from_c(devPtr)))
}

/// Waits for all pending work on the memory's device, then frees the memory as aclrtFree. Any thread may call it,
/// whatever its current device is. Returns 107000 inside a callback of the program if it could wait forever:
/// docs/callbacks.md.
///
/// @param devPtr the start of an allocation, as for aclrtFree. If the wait returns a failure, the memory is still
///     allocated.
/// @return the codes of aclrtFree
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live device allocation, or called inside a host
///     function; or the first unreported failure of enqueued work, as aclrtSynchronizeDevice returns it.
/// @note Thread-safe. Follows aclrtFreeWithDevSync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeWithDevSync(devPtr: *mut c_void) -> aclError {
    guard("aclrtFreeWithDevSync", || memory::free_with_sync(address::from_c(devPtr)))
}

/// Allocates page-locked host memory for all devices. Asynchronous copies between it and a device return at once. Needs
/// no current context. Alignment as in aclrtMalloc.
///
/// On the CPU backend, memory beyond the system's limit of locked memory is not locked, which is logged once.
///
/// @param hostPtr receives the address; the caller frees it with aclrtFreeHost.
/// @param size bytes, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `hostPtr` is null or `size` is 0.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtMallocHost of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHost(hostPtr: *mut *mut c_void, size: usize) -> aclError {
    guard_out("aclrtMallocHost", "hostPtr", hostPtr, || Ok(address::to_c(memory::malloc_host(size)?)))
}

/// Allocates page-locked host memory as aclrtMallocHost, with attributes. Needs no current context.
///
/// @param ptr receives the address; the caller frees it with aclrtFreeHost.
/// @param size bytes, at least 1.
/// @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` may be any device and
///     `vaFlag` 0 or 1: the memory can be used with every device, at one address.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, `cfg` has a null attribute array, an unknown
///     attribute, a repeated attribute, or a `vaFlag` other than 0 and 1.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtMallocHostWithCfg of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHostWithCfg(
    ptr: *mut *mut c_void,
    size: u64,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard_out("aclrtMallocHostWithCfg", "ptr", ptr, || {
        Ok(address::to_c(memory::malloc_host_with_config(size as usize, &malloc_config(cfg)?)?))
    })
}

/// Frees page-locked host memory. The address is invalid at once; pending operations keep the memory. Does not wait.
/// Any thread may free it. Large blocks may stay locked for the next request until aclFinalize, up to the limit in
/// docs/choices_memory.md.
///
/// @param hostPtr the start of an allocation of aclrtMallocHost or aclrtMallocHostWithCfg.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live host allocation, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015: as for aclrtFree.
/// @note Thread-safe. Follows aclrtFreeHost of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHost(hostPtr: *mut c_void) -> aclError {
    guard("aclrtFreeHost", || memory::free_host(address::from_c(hostPtr)))
}

/// Waits for all pending work on all open devices, since each of them may use the memory, then frees the memory as
/// aclrtFreeHost. Needs no current context. Returns 107000 inside a callback of the program if it could wait forever:
/// docs/callbacks.md.
///
/// @param hostPtr the start of an allocation, as for aclrtFreeHost. If the wait returns a failure, the memory is still
///     allocated.
/// @return the codes of aclrtFreeHost
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live host allocation (then it does not wait), or
///     called inside a host function; or the first unreported failure of enqueued work, as aclrtSynchronizeDevice
///     returns it.
/// @note Thread-safe. Follows aclrtFreeHostWithDevSync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHostWithDevSync(hostPtr: *mut c_void) -> aclError {
    guard("aclrtFreeHostWithDevSync", || memory::free_host_with_sync(address::from_c(hostPtr)))
}
