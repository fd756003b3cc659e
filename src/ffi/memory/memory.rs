//! Device memory and pinned host memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::base::error::{Error, Result};
use crate::core::memory;
use crate::core::memory::Location;
use crate::core::memory::malloc_config::{Attribute, MallocConfig};
use crate::core::memory::mem_info;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, text};
use crate::ffi::types::{
    aclError, aclrtMallocConfig, aclrtMemAttr, aclrtMemLocation, aclrtMemLocationType,
    aclrtMemMallocPolicy, aclrtMemUsageInfo, aclrtPtrAttributes,
};

/// Allocates memory of the current device; its contents are undefined. Does not wait for queued work.
///
/// The address is aligned to at least 512 bytes, to 4 KiB from 4 KiB and, except with NORMAL_ONLY, to 2 MiB
/// from 2 MiB. Sizes are rounded up to 32 bytes; where that costs no large page, 32 bytes more may be read, except
/// where accesses outside of allocations are looked for (docs/configuration.md). Policies: HUGE_FIRST takes 2 MiB pages for more than 1 MiB if it can; HUGE_ONLY takes them or fails; NORMAL_ONLY
/// takes ordinary ones; HUGE1G_ONLY takes 1 GiB pages or fails; the P2P variants, the bandwidth flags and the
/// read-only flag change nothing. A policy that the API does not know is no error: huge first from 2 MiB, else
/// normal.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend has no such pages at all; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// Thread-safe. Follows aclrtMalloc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMalloc(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard("aclrtMalloc", || {
        let out = Out::new("devPtr", devPtr)?;
        out.write(address::to_c(memory::malloc(size, enum_value(policy))?));
        Ok(())
    })
}

/// Allocates device memory as aclrtMalloc does, rounded up to 32 bytes, without bytes past that size that
/// may be read.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend has no such pages at all; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// Thread-safe. Follows aclrtMallocAlign32 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocAlign32(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard("aclrtMallocAlign32", || {
        let out = Out::new("devPtr", devPtr)?;
        out.write(address::to_c(memory::malloc_align32(size, enum_value(policy))?));
        Ok(())
    })
}

/// Allocates device memory as aclrtMalloc does. All memory of the devices here goes through their caches,
/// and these are coherent: aclrtMemFlush and aclrtMemInvalidate have nothing to do.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend has no such pages at all; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// Thread-safe. Follows aclrtMallocCached of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocCached(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard("aclrtMallocCached", || {
        let out = Out::new("devPtr", devPtr)?;
        out.write(address::to_c(memory::malloc(size, enum_value(policy))?));
        Ok(())
    })
}

/// Allocates device memory as aclrtMalloc does, with attributes.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the
/// current device, `vaFlag` must be 0: device memory has no address for the host.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has attributes
/// without a pointer to them, an unknown attribute, one twice, or a `vaFlag` other than 0 and 1;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist; ACL_ERROR_RT_PARAM_INVALID
/// 107000: `cfg` names another device than the current one, or called inside a host function;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend has no such pages at all;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtMallocWithCfg of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocWithCfg(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard("aclrtMallocWithCfg", || {
        let out = Out::new("devPtr", devPtr)?;
        // SAFETY: aclrtMallocWithCfg takes null or a configuration with `numAttrs` attributes.
        let config = unsafe { malloc_config(cfg) }?;
        out.write(address::to_c(memory::malloc_with_config(size, enum_value(policy), &config)?));
        Ok(())
    })
}

/// The attributes behind a pointer from C; none for null.
///
/// # Safety
/// `config` is null or points to a configuration with as many attributes as it says.
unsafe fn malloc_config(config: *const aclrtMallocConfig) -> Result<MallocConfig> {
    let mut read = MallocConfig::default();
    if config.is_null() {
        return Ok(read);
    }
    // SAFETY: `config` is not null, so by the contract it is a configuration, aligned or not.
    let aclrtMallocConfig { attrs, numAttrs } = unsafe { config.read_unaligned() };
    if attrs.is_null() && numAttrs > 0 {
        return Err(Error::invalid_param(format_args!(
            "cfg: attrs is null, numAttrs is {numAttrs}"
        )));
    }
    for index in 0..numAttrs {
        // SAFETY: by this function's contract. A wrong count ends with the first repetition.
        let given = unsafe { attrs.wrapping_add(index).read_unaligned() };
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

/// Allocates device memory that a task scheduler may use. Here that is any device memory: as
/// aclrtMallocWithCfg.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the
/// current device, `vaFlag` must be 0: device memory has no address for the host.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has attributes
/// without a pointer to them, an unknown attribute, one twice, or a `vaFlag` other than 0 and 1;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist; ACL_ERROR_RT_PARAM_INVALID
/// 107000: `cfg` names another device than the current one, or called inside a host function;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend has no such pages at all;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtMallocForTaskScheduler of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocForTaskScheduler(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard("aclrtMallocForTaskScheduler", || {
        let out = Out::new("devPtr", devPtr)?;
        // SAFETY: aclrtMallocForTaskScheduler takes null or a configuration with `numAttrs`
        // attributes.
        let config = unsafe { malloc_config(cfg) }?;
        out.write(address::to_c(memory::malloc_with_config(size, enum_value(policy), &config)?));
        Ok(())
    })
}

/// Frees device memory. The address is invalid at once; operations queued before still have the memory,
/// which is used again only after the last of them. Does not wait. Any thread may free, whatever its
/// current device. Small memory may wait for the next request of its size; it counts as free, and no request
/// fails because of it.
///
/// @param devPtr the start of an allocation from aclrtMalloc.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
/// of a live device allocation (inside one, host memory, freed before, gone with its device, unknown), or
/// called inside a host function; ACL_ERROR_RT_AICORE_EXCEPTION 507015: in guard mode on CPUs, bytes beside the
/// allocation were overwritten; it is freed. Thread-safe. Follows aclrtFree of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFree(devPtr: *mut c_void) -> aclError {
    guard("aclrtFree", || memory::free(address::from_c(devPtr)))
}

/// Waits for everything queued so far on the memory's own device, then frees as aclrtFree. Any thread may
/// call it, whatever its current device.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param devPtr the start of an allocation from aclrtMalloc and its relatives. After a failure the memory is
/// still allocated.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
/// of a live device allocation (then it does not wait), or called inside a host function; the failure of
/// queued work that nobody was told of yet, as aclrtSynchronizeDevice tells it. Thread-safe. Follows
/// aclrtFreeWithDevSync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeWithDevSync(devPtr: *mut c_void) -> aclError {
    guard("aclrtFreeWithDevSync", || memory::free_with_sync(address::from_c(devPtr)))
}

/// Allocates page-locked host memory for all devices; copies between it and a device are truly
/// asynchronous. Needs no current context. Alignment as aclrtMalloc.
///
/// Beyond the system's limit on locked memory the memory is not locked, which is logged once.
///
/// @param hostPtr receives the address; the caller frees it with aclrtFreeHost.
/// @param size bytes, at least 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `hostPtr` is null or `size` is 0;
/// ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtMallocHost of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHost(hostPtr: *mut *mut c_void, size: usize) -> aclError {
    guard("aclrtMallocHost", || {
        let out = Out::new("hostPtr", hostPtr)?;
        out.write(address::to_c(memory::malloc_host(size)?));
        Ok(())
    })
}

/// Allocates page-locked host memory as aclrtMallocHost does, with attributes. Needs no current context.
///
/// @param ptr receives the address; the caller frees it with aclrtFreeHost.
/// @param size bytes, at least 1.
/// @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` may be any
/// device and `vaFlag` 0 or 1: the memory is usable with every device, at one address.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, `cfg` has attributes
/// without a pointer to them, an unknown attribute, one twice, or a `vaFlag` other than 0 and 1;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist;
/// ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtMallocHostWithCfg of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHostWithCfg(
    ptr: *mut *mut c_void,
    size: u64,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard("aclrtMallocHostWithCfg", || {
        let out = Out::new("ptr", ptr)?;
        // SAFETY: aclrtMallocHostWithCfg takes null or a configuration with `numAttrs` attributes.
        let config = unsafe { malloc_config(cfg) }?;
        out.write(address::to_c(memory::malloc_host_with_config(size as usize, &config)?));
        Ok(())
    })
}

/// Frees page-locked host memory. The address is invalid at once; operations queued before still have the
/// memory. Does not wait. Any thread may free. Large memory may stay locked for the next request, within a
/// bound that docs/compatibility.md names, until aclFinalize.
///
/// @param hostPtr the start of an allocation from aclrtMallocHost.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
/// of a live host allocation, or called inside a host function. Thread-safe. Follows aclrtFreeHost of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHost(hostPtr: *mut c_void) -> aclError {
    guard("aclrtFreeHost", || memory::free_host(address::from_c(hostPtr)))
}

/// Waits for everything queued so far on all open devices, each of which may use the memory, then frees as
/// aclrtFreeHost. Needs no current context.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param hostPtr the start of an allocation from aclrtMallocHost and its relatives. After a failure the
/// memory is still allocated.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
/// of a live host allocation (then it does not wait), or called inside a host function; the failure of queued
/// work that nobody was told of yet, as aclrtSynchronizeDevice tells it. Thread-safe. Follows
/// aclrtFreeHostWithDevSync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHostWithDevSync(hostPtr: *mut c_void) -> aclError {
    guard("aclrtFreeHostWithDevSync", || memory::free_host_with_sync(address::from_c(hostPtr)))
}

/// Free and total memory of the current device.
///
/// @param attr an aclrtMemAttr. The ACL_HBM_* and ACL_MEM_* attributes tell the device's memory; ACL_DDR_*
/// and 1 GiB pages, which these devices do not have, give 0 and 0.
/// @param free receives the bytes that are left for this device, at most `total`; freed memory that waits for its
/// next use is free. CPU devices share the machine's memory unless `PORTACL_CPU_MEMORY` gives each its own
/// (docs/configuration.md): what one takes is missing in all.
/// @param total receives the most bytes that the device can have.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_INVALID_MEMORY_TYPE
/// 107016: no such attribute; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclrtGetMemInfo of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemInfo(
    attr: MaybeUninit<aclrtMemAttr>,
    free: *mut usize,
    total: *mut usize,
) -> aclError {
    guard("aclrtGetMemInfo", || {
        let free_out = Out::new("free", free)?;
        let total_out = Out::new("total", total)?;
        let (free_bytes, total_bytes) = mem_info::memory_info(enum_value(attr))?;
        free_out.write(free_bytes);
        total_out.write(total_bytes);
        Ok(())
    })
}

/// Tells how much memory of a device this process uses, a row for each kind: `device` (aclrtMalloc and its
/// relatives) and `managed` (aclrtMemAllocManaged), with all rounding. Freed memory counts until the last queued
/// operation that uses it is done. On the CPU backend the rows of all devices that share the machine's memory add
/// up to what aclrtGetMemInfo counts as used, and those of one device where `PORTACL_CPU_MEMORY` is set; on CUDA
/// that includes what the driver and other processes take. Needs no current context.
///
/// @param deviceId the device; one that is not in use has zeros.
/// @param memUsageInfo receives the rows; the peak is the highest since the device was opened, where freed
/// memory that waited for its next use counts as well.
/// @param inputNum how many rows there is room for, at least 1; 2 are all.
/// @param outputNum receives how many were written.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `inputNum` is 0;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclrtGetMemUsageInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemUsageInfo(
    deviceId: i32,
    memUsageInfo: *mut aclrtMemUsageInfo,
    inputNum: usize,
    outputNum: *mut usize,
) -> aclError {
    guard("aclrtGetMemUsageInfo", || {
        let rows_out = Out::new("memUsageInfo", memUsageInfo)?;
        let count_out = Out::new("outputNum", outputNum)?;
        if inputNum == 0 {
            return Err(Error::invalid_param("inputNum is 0; make room for at least one row"));
        }
        let rows: Vec<_> = memory::usage(deviceId)?
            .into_iter()
            .take(inputNum)
            .map(|(name, usage)| aclrtMemUsageInfo {
                name: text::array(name),
                curMemSize: usage.current,
                memPeakSize: usage.peak,
                reserved: [0; 8],
            })
            .collect();
        count_out.write(rows.len());
        // SAFETY: by the contract of the C boundary there is room for `inputNum` rows.
        unsafe { rows_out.write_all(&rows) };
        Ok(())
    })
}

/// Where an address lives: anywhere inside an allocation of this library, on CUDA also of another library that has
/// it from the driver, or (ACL_MEM_LOCATION_TYPE_UNREGISTERED) in memory that nobody here knows, which is no error.
/// Needs no current context.
///
/// @param ptr the address; it is not read.
/// @param attributes receives location type and device id, and the page size in bytes that the system
/// confirms (0 for memory of others).
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtPointerGetAttributes of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPointerGetAttributes(
    ptr: *const c_void,
    attributes: *mut aclrtPtrAttributes,
) -> aclError {
    guard("aclrtPointerGetAttributes", || {
        let out = Out::new("attributes", attributes)?;
        if ptr.is_null() {
            return Err(Error::invalid_param("ptr is null; pass the address to ask about"));
        }
        let told = memory::pointer_attributes(address::from_c(ptr))?;
        let (r#type, id) = match told.location {
            Location::Device(id) => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE, id),
            Location::Managed(id) => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_MANAGED, id),
            Location::Host => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST, 0),
            Location::HostNode(node) => {
                (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST_NUMA, node)
            }
            Location::Unregistered => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0),
        };
        let location = aclrtMemLocation { id, r#type: MaybeUninit::new(r#type) };
        out.write(aclrtPtrAttributes { location, pageSize: told.page_size, rsv: [0; 4] });
        Ok(())
    })
}

/// Start and length of the allocation that an address lies in. Needs no current context.
///
/// @param ptr an address anywhere inside an allocation of device or page-locked host memory; it is not read. On
/// CUDA also inside one that another library of the process has from the driver.
/// @param pbase receives the start, as the call that allocated gave it.
/// @param psize receives the bytes that may be used from there: the size asked for rounded up to 32 bytes,
/// and the readable bytes after it if the allocation has them. Of another library's, what the driver says.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: in
/// no live allocation, or called inside a host function. Thread-safe. Follows
/// aclrtMemGetAddressRange of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAddressRange(
    ptr: *mut c_void,
    pbase: *mut *mut c_void,
    psize: *mut usize,
) -> aclError {
    guard("aclrtMemGetAddressRange", || {
        let base_out = Out::new("pbase", pbase)?;
        let size_out = Out::new("psize", psize)?;
        if ptr.is_null() {
            return Err(Error::invalid_param("ptr is null; pass the address to ask about"));
        }
        let (base, size) = memory::address_range(address::from_c(ptr))?;
        base_out.write(address::to_c(base));
        size_out.write(size);
        Ok(())
    })
}

/// Tells whether all addresses of a list are memory of one of some types. Needs no current context.
///
/// @param addrList the addresses, which may point anywhere and are not read.
/// @param size how many there are, at least 1.
/// @param memType one or more ACL_RT_MEM_TYPE_* bits. Device memory is ACL_RT_MEM_TYPE_DEV; memory of the
/// other types does not exist here.
/// @param checkResult receives 1 if every address lies in memory of one of these types, else 0.
/// @param reserve must be 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `size` is 0, no or unknown bits in
/// `memType`, or `reserve` is not 0; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// Thread-safe. Follows aclrtCheckMemType of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCheckMemType(
    addrList: *mut *mut c_void,
    size: u32,
    memType: u32,
    checkResult: *mut u32,
    reserve: u32,
) -> aclError {
    guard("aclrtCheckMemType", || {
        let out = Out::new("checkResult", checkResult)?;
        if addrList.is_null() {
            return Err(Error::invalid_param(format_args!("addrList is null, size is {size}")));
        }
        if size == 0 {
            return Err(Error::invalid_param("size is 0; pass at least one address"));
        }
        if reserve != 0 {
            return Err(Error::invalid_param(format_args!("reserve is {reserve}; it must be 0")));
        }
        let addrs = (0..size as usize).map(|index| {
            // SAFETY: by the contract of the C boundary the list is `size` addresses long.
            address::from_c(unsafe { addrList.wrapping_add(index).read_unaligned() })
        });
        out.write(u32::from(memory::all_are_of_type(addrs, memType)?));
        Ok(())
    })
}
