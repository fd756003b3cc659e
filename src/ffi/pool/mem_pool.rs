//! Pools: memory that is taken and given back in stream order.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::pool::mem_pool::{self, Props};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Array, Out, address, enum_value, handle, must_not_be_null};
use crate::ffi::types::{aclError, aclrtMemPool, aclrtMemPoolAttr, aclrtMemPoolProps, aclrtStream};

/// Makes a pool. It has no memory at first; what it gets from its device, in pieces of 32 MiB and more,
/// it keeps as its attributes say. How such pools behave is told in docs/mem_pool.md.
///
/// @param memPool receives the pool, which lives until aclrtMemPoolDestroy, or until its device is reset
/// (a pool of host memory: until aclFinalize).
/// @param poolProps how it is to be; not needed afterwards. `allocType`: ACL_MEM_ALLOCATION_TYPE_PINNED.
/// `location`: ACL_MEM_LOCATION_TYPE_DEVICE with the id of a device that is set; ACL_MEM_LOCATION_TYPE_HOST for
/// host memory, with any id; ACL_MEM_LOCATION_TYPE_HOST_NUMA with the number of a NUMA node. `handleType`:
/// ACL_MEM_HANDLE_TYPE_NONE; ACL_MEM_HANDLE_TYPE_POSIX for a pool that portaclMemPoolExportToShareableHandle can
/// export, or PORTACL_MEM_HANDLE_TYPE_FABRIC where the driver has that: both not with
/// ACL_MEM_LOCATION_TYPE_HOST. `maxSize`: most bytes that it has, on the CPU rounded up to a multiple of 2 MiB; 0:
/// as many as there are. `reserved` is not looked at.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or properties that contradict each other or that
/// do not exist; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the
/// device is not set, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: memory cannot be shared like that here, or the driver has no such pools;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: the driver has no memory for it; ACL_ERROR_BAD_ALLOC 200000: no more pools,
/// or no descriptor is left for one that is shared; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// Thread-safe. Follows aclrtMemPoolCreate of the Ascend runtime API, and cudaMemPoolCreate where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolCreate(
    memPool: *mut aclrtMemPool,
    poolProps: *const aclrtMemPoolProps,
) -> aclError {
    guard("aclrtMemPoolCreate", || {
        let out = Out::new("memPool", memPool)?;
        must_not_be_null("poolProps", poolProps)?;
        let props = Array::new(poolProps, 1).get(0);
        let pool = mem_pool::create(Props {
            alloc_type: enum_value(props.allocType),
            handle_type: enum_value(props.handleType),
            location_type: enum_value(props.location.r#type),
            location_id: props.location.id,
            max_size: props.maxSize,
        })?;
        out.write(handle::to_c(pool));
        Ok(())
    })
}

/// Ends a pool. Returns at once: the handle is invalid, memory that programs have stays valid until they free
/// it, and the pool's memory goes back to the device with the last of that. If it was the current pool of its
/// device, the default one is current from now on.
///
/// @param memPool a pool of aclrtMemPoolCreate, or an imported one.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no
/// live pool, the default pool of a device, or called inside a host function; ACL_ERROR_RT_DRV_INTERNAL_ERROR
/// 507899: its memory could not be given back, the pool is gone all the same. Thread-safe. Follows
/// aclrtMemPoolDestroy of the Ascend runtime API, and cudaMemPoolDestroy where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolDestroy(memPool: aclrtMemPool) -> aclError {
    guard("aclrtMemPoolDestroy", || mem_pool::destroy(handle::from_c(memPool)))
}

/// Takes memory from a pool. The address is valid when this returns, for work that is queued in the stream from
/// now on, and for work elsewhere that comes behind that. The contents are undefined. What was freed in the same
/// stream is used again at once; what was freed in others as the attributes of the pool allow.
///
/// @param ptr receives the address, aligned to 512 bytes on the CPU and to 256 at least on GPUs.
/// @param size bytes, at least 1; the pool rounds up to a multiple of 512 on the CPU, as it likes on GPUs.
/// @param memPool a pool. It may be on another device than the stream: the memory is then on the pool's device,
/// and operations of the stream's device need access to it (portaclMemPoolSetAccess).
/// @param stream a stream of the current device; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` or `memPool` is null, or `size` is 0;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: the pool is at its maxSize, or no device memory is left, in both cases after
/// the call has waited for the frees that happen whatever the program does, and after pieces that are free were given
/// back (docs/mem_pool.md); ACL_ERROR_BAD_ALLOC 200000: no host memory is left; ACL_ERROR_RT_PARAM_INVALID 107000: `memPool`
/// is no live pool or an imported one, `stream` no live stream, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
/// stream is on another device than the current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no event is left for a
/// wait that the memory needs; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the stream's capture has failed;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. A device that has failed says how
/// (ACL_ERROR_RT_AICORE_EXCEPTION 507015, say). Thread-safe. Follows aclrtMemPoolMallocAsync of the Ascend runtime
/// API, and cudaMallocFromPoolAsync where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolMallocAsync(
    ptr: *mut *mut c_void,
    size: usize,
    memPool: aclrtMemPool,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemPoolMallocAsync", || {
        let out = Out::new("ptr", ptr)?;
        let (pool, stream) = (handle::from_c(memPool), handle::from_c(stream));
        out.write(address::to_c(mem_pool::malloc_async(size, pool, stream)?));
        Ok(())
    })
}

/// Gives memory back to its pool, in the order of a stream: work queued there before still uses it, as does work
/// elsewhere that the program has ordered before. The address is invalid for calls from now on. No memory goes
/// back to the device: that happens at the next synchronize, by the release threshold. aclrtFree takes a pool's
/// memory as well: at once, on the caller's word that nothing uses it any more. On CUDA the driver may hear of it
/// with the next call for the stream or the pool (docs/mem_pool.md); what it refuses then, aclrtResetDevice says.
///
/// @param ptr the start of memory of a pool; the pool may have been destroyed meanwhile.
/// @param stream a stream of the current device, any one that comes behind the uses of the memory; null: the
/// default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no live
/// memory of a pool begins there, `stream` is no live stream, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
/// stream is on another device than the current context; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the stream's
/// capture has failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
/// aclrtMemPoolFreeAsync of the Ascend runtime API, and cudaFreeAsync where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError {
    guard("aclrtMemPoolFreeAsync", || {
        mem_pool::free_async(address::from_c(ptr), handle::from_c(stream))
    })
}

/// Sets an attribute of a pool.
///
/// @param memPool a pool.
/// @param attr which. ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
/// ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC and ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES: whether
/// memory freed in one stream is used in another that comes behind the free by events; whose free has happened;
/// that is made to wait for it. All three are 1 at first.
/// ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD: bytes that the pool keeps when a stream, an event or a device is
/// synchronized; 0 at first. ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH and ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH can be
/// set to 0, which makes them the present value.
/// @param value points to an `int`, 0 or 1, for the first three, and to a `uint64_t` for the others. Only read.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, an unknown attribute or one that can only be read,
/// or a value that it cannot have; ACL_ERROR_RT_PARAM_INVALID 107000: no live pool, an imported one, or called
/// inside a host function; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
/// aclrtMemPoolSetAttr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolSetAttr(
    memPool: aclrtMemPool,
    attr: MaybeUninit<aclrtMemPoolAttr>,
    value: *mut c_void,
) -> aclError {
    guard("aclrtMemPoolSetAttr", || {
        must_not_be_null("value", value)?;
        let attr = enum_value(attr);
        let value = match mem_pool::is_short(attr) {
            true => Array::new(value.cast::<u32>().cast_const(), 1).get(0).into(),
            // Of an attribute that does not exist nothing is known about the value, either.
            false if mem_pool::is_attribute(attr) => {
                Array::new(value.cast::<u64>().cast_const(), 1).get(0)
            }
            false => 0,
        };
        mem_pool::set_attribute(handle::from_c(memPool), attr, value)
    })
}

/// Tells an attribute of a pool.
///
/// @param memPool a pool.
/// @param attr which: those of aclrtMemPoolSetAttr, and in bytes ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, what
/// the pool has from its device, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, what programs have of that (no longer from
/// the free on, whenever the stream comes to it), and the most of both so far,
/// ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH and ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH.
/// @param value receives an `int` for the three switches, a `uint64_t` for the others.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an unknown attribute; ACL_ERROR_RT_PARAM_INVALID
/// 107000: no live pool, an imported one, or called inside a host function; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899:
/// the driver refuses. A device that has failed says how (ACL_ERROR_RT_AICORE_EXCEPTION 507015, say). Thread-safe.
/// Follows aclrtMemPoolGetAttr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolGetAttr(
    memPool: aclrtMemPool,
    attr: MaybeUninit<aclrtMemPoolAttr>,
    value: *mut c_void,
) -> aclError {
    guard("aclrtMemPoolGetAttr", || {
        let attr = enum_value(attr);
        let out = Out::new("value", value.cast::<u64>())?;
        let told = mem_pool::get_attribute(handle::from_c(memPool), attr)?;
        if mem_pool::is_short(attr) {
            Out::new("value", value.cast::<u32>())?.write(told as u32);
        } else {
            out.write(told);
        }
        Ok(())
    })
}

/// Gives memory of a pool that is not in use back to its device, at once. Memory counts as in use until the host
/// has seen its free happen, by synchronizing the stream, or something that comes behind it.
///
/// @param memPool a pool.
/// @param minBytesToKeep bytes that it keeps at least, if it has so many; it also keeps all that is in use, and
/// what is in the same piece.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no
/// live pool, or called inside a host function; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// Thread-safe. Follows aclrtMemPoolTrimTo of the Ascend runtime API, and cudaMemPoolTrimTo where that says
/// nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolTrimTo(
    memPool: aclrtMemPool,
    minBytesToKeep: usize,
) -> aclError {
    guard("aclrtMemPoolTrimTo", || mem_pool::trim_to(handle::from_c(memPool), minBytesToKeep))
}
