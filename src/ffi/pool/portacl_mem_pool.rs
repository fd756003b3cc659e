//! What CUDA has for pools of memory and the Ascend runtime API has not: a current pool for each device,
//! and who may use a pool's memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::pool::mem_pool::access::{self, Access, AccessRequest};
use crate::core::pool::mem_pool::{self, current};
use crate::core::runtime::device_info;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Array, Out, address, enum_value, handle, must_not_be_null};
use crate::ffi::types::{
    aclError, aclrtMemAccessDesc, aclrtMemAccessFlags, aclrtMemLocation, aclrtMemPool, aclrtStream,
    portaclMemPoolSupport,
};

/// Takes memory from the current pool of the stream's device: as aclrtMemPoolMallocAsync from
/// portaclDeviceGetMemPool.
///
/// @param ptr receives the address, aligned to 512 bytes on the CPU and to 256 at least on GPUs.
/// @param size bytes, at least 1.
/// @param stream a stream of the current device; null: the default stream of the current context.
/// @return as aclrtMemPoolMallocAsync, and what portaclDeviceGetDefaultMemPool returns where that pool has to be
/// made. Thread-safe. Does what cudaMallocAsync does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMallocAsync(
    ptr: *mut *mut c_void,
    size: usize,
    stream: aclrtStream,
) -> aclError {
    guard("portaclMallocAsync", || {
        let out = Out::new("ptr", ptr)?;
        out.write(address::to_c(current::malloc_async(size, handle::from_c(stream))?));
        Ok(())
    })
}

/// Gives memory back to its pool, whichever that is: another name of aclrtMemPoolFreeAsync.
///
/// @param ptr the start of memory of a pool.
/// @param stream a stream of the current device, any one that comes behind the uses of the memory; null: the
/// default stream of the current context.
/// @return as aclrtMemPoolFreeAsync. Thread-safe. Does what cudaFreeAsync does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError {
    guard("portaclFreeAsync", || mem_pool::free_async(address::from_c(ptr), handle::from_c(stream)))
}

/// Gives the pool that a device has from the beginning. It cannot be destroyed, and goes with the device.
///
/// @param memPool receives the pool.
/// @param deviceId a device that is set.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no
/// such device; ACL_ERROR_RT_PARAM_INVALID 107000: it is not set, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver has no
/// pools; ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_MEMORY_ALLOCATION 207001 and ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899,
/// as from aclrtMemPoolCreate: it is made when it is asked for first. Thread-safe. Does what
/// cudaDeviceGetDefaultMemPool does; on CUDA it is a pool of the library's own, and not the driver's default one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetDefaultMemPool(
    memPool: *mut aclrtMemPool,
    deviceId: i32,
) -> aclError {
    guard("portaclDeviceGetDefaultMemPool", || {
        let out = Out::new("memPool", memPool)?;
        out.write(handle::to_c(current::default_of(deviceId)?));
        Ok(())
    })
}

/// Gives the pool that portaclMallocAsync takes memory from: the one of portaclDeviceSetMemPool, or the default
/// one.
///
/// @param memPool receives the pool.
/// @param deviceId a device that is set.
/// @return as portaclDeviceGetDefaultMemPool. Thread-safe. Does what cudaDeviceGetMemPool does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetMemPool(
    memPool: *mut aclrtMemPool,
    deviceId: i32,
) -> aclError {
    guard("portaclDeviceGetMemPool", || {
        let out = Out::new("memPool", memPool)?;
        out.write(handle::to_c(current::current_of(deviceId)?));
        Ok(())
    })
}

/// Sets the pool that portaclMallocAsync takes memory from, for all threads, until the pool is destroyed or the
/// device reset: then the default one is current again.
///
/// @param deviceId a device that is set.
/// @param memPool a pool on that device, not imported.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no
/// such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, `memPool` is no live pool, imported, or
/// not on that device, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// Thread-safe. Does what cudaDeviceSetMemPool does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceSetMemPool(deviceId: i32, memPool: aclrtMemPool) -> aclError {
    guard("portaclDeviceSetMemPool", || current::set_current(deviceId, handle::from_c(memPool)))
}

/// Tells what the memory pools of a device can be, before one is made: what cudaDeviceGetAttribute answers for
/// cudaDevAttrMemoryPoolsSupported and its relatives. What is 0 aclrtMemPoolCreate refuses; on CUDA a driver that does
/// not know a question answers 0, and may make such a pool all the same.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param what the question.
/// @param value receives the answer.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `what` unknown;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device, or the driver does not answer. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetMemPoolSupport(
    deviceId: i32,
    what: MaybeUninit<portaclMemPoolSupport>,
    value: *mut u64,
) -> aclError {
    guard("portaclDeviceGetMemPoolSupport", || {
        let out = Out::new("value", value)?;
        out.write(device_info::pool_support(deviceId, enum_value(what))?);
        Ok(())
    })
}

/// Sets which devices may use the memory of a pool, that which it has and that which it will have. At first only
/// the device that it is on may, and none that of a pool of host memory, which the host uses. An operation that
/// reads the memory needs read access of its stream's device, an operation that writes it read-write access; else it
/// fails with ACL_ERROR_RT_PARAM_INVALID and a text.
///
/// @param memPool a pool.
/// @param descList for each of some devices what it may do from now on: `location` names the device
/// (ACL_MEM_LOCATION_TYPE_DEVICE), `flags` is ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE. The pool's own
/// device always has both. Not needed afterwards.
/// @param count how many there are, at least 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, a location that is no device, unknown
/// flags, or access taken away from the pool's own device; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
/// ACL_ERROR_RT_PARAM_INVALID 107000: no live pool, or called inside a host function;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a device cannot use the other's memory (aclrtDeviceCanAccessPeer);
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. After an argument's error nothing is changed.
/// Thread-safe. Does what cudaMemPoolSetAccess does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolSetAccess(
    memPool: aclrtMemPool,
    descList: *const aclrtMemAccessDesc,
    count: usize,
) -> aclError {
    guard("portaclMemPoolSetAccess", || {
        must_not_be_null("descList", descList)?;
        let list = Array::new(descList, count);
        access::set(handle::from_c(memPool), count, |index| {
            let desc = list.get(index);
            AccessRequest {
                location_type: enum_value(desc.location.r#type),
                id: desc.location.id,
                flags: enum_value(desc.flags),
            }
        })
    })
}

/// Tells how a device, or the host, may use the memory of a pool.
///
/// @param flags receives ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE.
/// @param memPool a pool.
/// @param location a device (ACL_MEM_LOCATION_TYPE_DEVICE), or the host (ACL_MEM_LOCATION_TYPE_HOST or _HOST_NUMA,
/// with any id).
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another type of location;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: no live pool, or called
/// inside a host function; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Does what
/// cudaMemPoolGetAccess does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolGetAccess(
    flags: *mut aclrtMemAccessFlags,
    memPool: aclrtMemPool,
    location: *const aclrtMemLocation,
) -> aclError {
    guard("portaclMemPoolGetAccess", || {
        let out = Out::new("flags", flags)?;
        must_not_be_null("location", location)?;
        let location = Array::new(location, 1).get(0);
        let kind = enum_value(location.r#type);
        out.write(match access::get(handle::from_c(memPool), kind, location.id)? {
            Access::None => aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_NONE,
            Access::Read => aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_READ,
            Access::ReadWrite => aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
        });
        Ok(())
    })
}
