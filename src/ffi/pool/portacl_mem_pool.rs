//! Functions of CUDA's memory pools that the Ascend runtime API does not have: the default and the current pools of
//! devices and locations, properties, and the access of devices to a pool's memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{Array, address, enum_value, guard, guard_out, handle, must_not_be_null, read};
use crate::core::base::error::invalid_param;
use crate::core::pool::mem_pool::{self, Props, access, current, located, props};
use crate::core::runtime::device_info;
use crate::memory::virtual_memory::{access_request, location_from_c};
use crate::types::{
    aclError, aclrtMemAccessDesc, aclrtMemAccessFlags, aclrtMemAllocationType, aclrtMemLocation, aclrtMemPool,
    aclrtStream, portaclMemPoolProperty, portaclMemPoolProps, portaclMemPoolSupport,
};

/// Allocates memory from the current pool of the stream's device: aclrtMemPoolMallocAsync from portaclDeviceGetMemPool.
///
/// @param ptr receives the address, aligned to 512 bytes on the CPU and to at least 256 bytes on GPUs.
/// @param size bytes, at least 1.
/// @param stream a stream of the current device; null: the default stream of the current context.
/// @return the codes of aclrtMemPoolMallocAsync, and of portaclDeviceGetDefaultMemPool if that pool has to be created.
/// @note Thread-safe. Equivalent to cudaMallocAsync.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMallocAsync(ptr: *mut *mut c_void, size: usize, stream: aclrtStream) -> aclError {
    guard_out("portaclMallocAsync", "ptr", ptr, || {
        Ok(address::to_c(current::malloc_async(size, handle::from_c(stream))?))
    })
}

/// Frees memory in any pool in stream order: another name of aclrtMemPoolFreeAsync.
///
/// @param ptr the start of pool memory.
/// @param stream a stream of the current device that is ordered after all uses of the memory; null: the default stream
///     of the current context.
/// @return the codes of aclrtMemPoolFreeAsync.
/// @note Thread-safe. Equivalent to cudaFreeAsync.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError {
    guard("portaclFreeAsync", || mem_pool::free_async(address::from_c(ptr), handle::from_c(stream)))
}

/// Returns the default pool of a device. It cannot be destroyed, and is released with the device.
///
/// @param memPool receives the pool.
/// @param deviceId a device that is set.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` is null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support pools.
/// @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_MEMORY_ALLOCATION 207001 and ACL_ERROR_RT_DRV_INTERNAL_ERROR
///     507899: as from aclrtMemPoolCreate: the first call creates the pool.
/// @note Thread-safe. Equivalent to cudaDeviceGetDefaultMemPool; on CUDA it is a pool of the library, not the driver's
///     default pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetDefaultMemPool(memPool: *mut aclrtMemPool, deviceId: i32) -> aclError {
    guard_out("portaclDeviceGetDefaultMemPool", "memPool", memPool, || Ok(handle::to_c(current::default_of(deviceId)?)))
}

/// Returns the current pool of a device, from which portaclMallocAsync allocates: the pool of portaclDeviceSetMemPool,
/// or the default pool.
///
/// @param memPool receives the pool.
/// @param deviceId a device that is set.
/// @return the codes of portaclDeviceGetDefaultMemPool.
/// @note Thread-safe. Equivalent to cudaDeviceGetMemPool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetMemPool(memPool: *mut aclrtMemPool, deviceId: i32) -> aclError {
    guard_out("portaclDeviceGetMemPool", "memPool", memPool, || Ok(handle::to_c(current::current_of(deviceId)?)))
}

/// Sets the current pool of a device, from which portaclMallocAsync allocates, for all threads, until the pool is
/// destroyed or the device is reset: then the default pool is current again.
///
/// @param deviceId a device that is set.
/// @param memPool a pool of that device's own memory, not imported.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` is null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, `memPool` is not a live pool, is imported, or not
///     of that device's own memory, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Equivalent to cudaDeviceSetMemPool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceSetMemPool(deviceId: i32, memPool: aclrtMemPool) -> aclError {
    guard("portaclDeviceSetMemPool", || current::set_current(deviceId, handle::from_c(memPool)))
}

/// Returns which memory pools a device supports: what cudaDeviceGetAttribute returns for
/// cudaDevAttrMemoryPoolsSupported and related attributes. The creation of a pool without support returns 207000. A
/// CUDA driver that does not know an attribute counts as 0, even if it can create such a pool.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param what the attribute.
/// @param value receives the value.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `what` is unknown.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetMemPoolSupport(
    deviceId: i32,
    what: MaybeUninit<portaclMemPoolSupport>,
    value: *mut u64,
) -> aclError {
    guard_out("portaclDeviceGetMemPoolSupport", "value", value, || {
        device_info::pool_support(deviceId, enum_value(what))
    })
}

/// Sets which devices may use a pool's memory, present and future. Initially only the device of the pool has
/// access, and no device has access to a pool of host memory, which the host uses. An operation that reads the memory
/// needs read access of its stream's device, an operation that writes it read-write access; otherwise the call returns
/// ACL_ERROR_RT_PARAM_INVALID, but a kernel on a GPU fails when it runs. A pool of managed memory gives all devices
/// read-write access, which cannot change.
///
/// @param memPool a pool.
/// @param descList access of devices: `location` names the device (ACL_MEM_LOCATION_TYPE_DEVICE), `flags` is
///     ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE. The pool's device always has read-write access. Not needed
///     after the call.
/// @param count number of descriptors, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, a location that is not a device, unknown flags, or less
///     than read-write access for the pool's device, or for any device with a pool of managed memory.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a device cannot access the memory on the other device
///     (aclrtDeviceCanAccessPeer).
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. After an invalid argument nothing has changed.
/// @note Thread-safe. Equivalent to cudaMemPoolSetAccess.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolSetAccess(
    memPool: aclrtMemPool,
    descList: *const aclrtMemAccessDesc,
    count: usize,
) -> aclError {
    guard("portaclMemPoolSetAccess", || {
        must_not_be_null("descList", descList)?;
        let list = Array::new(descList, count);
        access::set(handle::from_c(memPool), count, |index| access_request(&list, index))
    })
}

/// Returns the access of a device, or of the host, to a pool's memory.
///
/// @param flags receives ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE.
/// @param memPool a pool.
/// @param location a device (ACL_MEM_LOCATION_TYPE_DEVICE), or the host (ACL_MEM_LOCATION_TYPE_HOST or _HOST_NUMA, with
///     any id).
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown type of location.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, or called inside a host function.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Equivalent to cudaMemPoolGetAccess.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolGetAccess(
    flags: *mut aclrtMemAccessFlags,
    memPool: aclrtMemPool,
    location: *const aclrtMemLocation,
) -> aclError {
    guard_out("portaclMemPoolGetAccess", "flags", flags.cast::<i32>(), || {
        let location = location_from_c(read("location", location)?);
        Ok(access::get(handle::from_c(memPool), location)? as i32)
    })
}

/// Creates a pool, as aclrtMemPoolCreate does, with the properties of that call and a usage.
///
/// @param memPool receives the pool, which lives until aclrtMemPoolDestroy, or until its device is reset (a pool of
///     host memory: until aclFinalize).
/// @param poolProps the properties of the pool; not needed after the call. `size` is sizeof(portaclMemPoolProps).
///     `allocType`, `handleType`, `location` and `maxSize` are those of aclrtMemPoolCreate. `usage`: 0, or
///     PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS for memory that the device's engine for decompression uses; 0 for managed
///     memory.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, another `size`, or invalid or contradictory properties.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: also: the device has no engine for decompression
///     (PORTACL_MEM_POOL_SUPPORT_HW_DECOMPRESS).
/// @return the codes of aclrtMemPoolCreate.
/// @note Thread-safe. Equivalent to cudaMemPoolCreate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolCreate(
    memPool: *mut aclrtMemPool,
    poolProps: *const portaclMemPoolProps,
) -> aclError {
    guard_out("portaclMemPoolCreate", "memPool", memPool, || {
        must_not_be_null("poolProps", poolProps)?;
        // SAFETY: not null, and by the contract of the C boundary at least a size is there.
        let size = unsafe { (&raw const (*poolProps).size).read_unaligned() };
        let wanted = size_of::<portaclMemPoolProps>();
        ensure!(
            size == wanted,
            invalid_param!("poolProps->size is {size}; set it to sizeof(portaclMemPoolProps), {wanted}")
        );
        let props = read("poolProps", poolProps)?;
        let pool = mem_pool::create(Props {
            alloc_type: enum_value(props.allocType),
            handle_type: enum_value(props.handleType),
            location: location_from_c(props.location),
            max_size: props.maxSize,
            usage: props.usage,
        })?;
        Ok(handle::to_c(pool))
    })
}

/// Returns a property that a pool was created with, also of a default or an imported pool.
///
/// @param memPool a pool.
/// @param what the property.
/// @param value receives the value.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or `what` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, or called inside a host function.
/// @note Thread-safe. Equivalent to cudaMemPoolGetAttribute with cudaMemPoolAttrAllocationType,
///     cudaMemPoolAttrExportHandleTypes, cudaMemPoolAttrLocationType, cudaMemPoolAttrLocationId,
///     cudaMemPoolAttrMaxPoolSize and cudaMemPoolAttrHwDecompressEnabled, with the numbers of this API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolGetProperty(
    memPool: aclrtMemPool,
    what: MaybeUninit<portaclMemPoolProperty>,
    value: *mut u64,
) -> aclError {
    guard_out("portaclMemPoolGetProperty", "value", value, || {
        props::property(handle::from_c(memPool), enum_value(what))
    })
}

/// Returns the default pool of a location and an allocation type. It cannot be destroyed. That of host memory is
/// released by aclFinalize, that of managed memory with its device.
///
/// @param memPool receives the pool. For a device and ACL_MEM_ALLOCATION_TYPE_PINNED it is that of
///     portaclDeviceGetDefaultMemPool.
/// @param location a location of aclrtMemPoolCreate for this allocation type; not needed after the call. Managed memory
///     that prefers no device has a default pool on each device: the call returns that of the current one.
/// @param allocType ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, an unknown `allocType`, or a location that such memory cannot have.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize, or for managed memory that prefers no device without a
///     current context.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support such pools.
/// @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_MEMORY_ALLOCATION 207001 and ACL_ERROR_RT_DRV_INTERNAL_ERROR
///     507899: as from aclrtMemPoolCreate: the first call creates the pool.
/// @note Thread-safe. Equivalent to cudaMemGetDefaultMemPool; on CUDA it is a pool of the library, not the driver's
///     default pool, so it needs no driver of CUDA 13, except for managed memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemGetDefaultMemPool(
    memPool: *mut aclrtMemPool,
    location: *const aclrtMemLocation,
    allocType: MaybeUninit<aclrtMemAllocationType>,
) -> aclError {
    guard_out("portaclMemGetDefaultMemPool", "memPool", memPool, || {
        let location = location_from_c(read("location", location)?);
        Ok(handle::to_c(located::default_of(location, enum_value(allocType))?))
    })
}

/// Returns the current pool of a location and an allocation type: the pool of portaclMemSetMemPool, or the default
/// pool.
///
/// @param memPool receives the pool. For a device and ACL_MEM_ALLOCATION_TYPE_PINNED it is that of
///     portaclDeviceGetMemPool, from which portaclMallocAsync allocates.
/// @param location a location, as for portaclMemGetDefaultMemPool; not needed after the call.
/// @param allocType ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
/// @return the codes of portaclMemGetDefaultMemPool.
/// @note Thread-safe. Equivalent to cudaMemGetMemPool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemGetMemPool(
    memPool: *mut aclrtMemPool,
    location: *const aclrtMemLocation,
    allocType: MaybeUninit<aclrtMemAllocationType>,
) -> aclError {
    guard_out("portaclMemGetMemPool", "memPool", memPool, || {
        let location = location_from_c(read("location", location)?);
        Ok(handle::to_c(located::current_of(location, enum_value(allocType))?))
    })
}

/// Sets the current pool of a location and an allocation type, for all threads, until the pool is destroyed or the
/// device is reset: then the default pool is current again. The other libraries in the process keep their current
/// pools.
///
/// @param location the location that the pool was created with; not needed after the call.
/// @param allocType the allocation type that it was created with.
/// @param memPool a pool, not imported.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, an unknown `allocType`, or a location that such memory cannot have.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, `memPool` is not a live pool, is imported, or was
///     created with another location or allocation type, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize, or for managed memory that prefers no device without a
///     current context.
/// @note Thread-safe. Equivalent to cudaMemSetMemPool. For a device and ACL_MEM_ALLOCATION_TYPE_PINNED it is
///     portaclDeviceSetMemPool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemSetMemPool(
    location: *const aclrtMemLocation,
    allocType: MaybeUninit<aclrtMemAllocationType>,
    memPool: aclrtMemPool,
) -> aclError {
    guard("portaclMemSetMemPool", || {
        let location = location_from_c(read("location", location)?);
        located::set_current(location, enum_value(allocType), handle::from_c(memPool))
    })
}
