//! Properties and ids of devices.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::base::{Out, enum_value, guard, guard_out, guard_outs, must_be_null, text};
use crate::core::base::error::invalid_param;
use crate::core::runtime::{device, device_info, thread};
use crate::types::{
    ACL_DEV_FEATURE_NOT_SUPPORT, aclError, aclrtDevAttr, aclrtDevFeatureType, aclrtHacType, aclrtHostMemMapCapability,
    aclrtUtilizationInfo, aclrtUuid,
};

/// Returns an attribute of a device. The device need not be set.
///
/// - Cores: ACL_DEV_ATTR_AICORE_CORE_NUM and ACL_DEV_ATTR_CUBE_CORE_NUM are the number of the GPU's multiprocessors, or
///   of the CPU cores that serve the device; ACL_DEV_ATTR_VECTOR_CORE_NUM is twice that number, or the same number for
///   processors with one vector core each (docs/configuration.md). None of them is 0. ACL_DEV_ATTR_AICPU_CORE_NUM is
///   the number of CPU cores, 0 on a GPU.
/// - Threads (202 to 212): the GPU's limits; the limits of one core are divided between its vector cores. 0 on the CPU.
/// - Memory: ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE and ACL_DEV_ATTR_L2_CACHE_SIZE in bytes. On the CPU the latter is the
///   level-2 cache of one core, 0 if the system does not report it.
/// - Location: ACL_DEV_ATTR_PHY_CHIP_ID and ACL_DEV_ATTR_SUPER_POD_DEVICE_ID are the device's physical id; the other
///   ids (401, 404, 405, 407) are 0. The device is a card (409) on PCI Express (408).
/// - ACL_DEV_ATTR_CUST_OP_PRIVILEGE and ACL_DEV_ATTR_IS_VIRTUAL are 0. ACL_DEV_ATTR_NPU_ARCH is the architecture of the
///   processor that aclrtGetSocName returns, 0 if it is unknown.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @param attr an aclrtDevAttr.
/// @param value receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevAttr.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtGetDeviceInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceInfo(
    deviceId: u32,
    attr: MaybeUninit<aclrtDevAttr>,
    value: *mut i64,
) -> aclError {
    guard_out("aclrtGetDeviceInfo", "value", value, || device_info::number(deviceId, enum_value(attr)))
}

/// Returns whether a device has a feature. The features of aclrtDevFeatureType do not exist here, so the result is
/// always ACL_DEV_FEATURE_NOT_SUPPORT.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param devFeatureType an aclrtDevFeatureType.
/// @param value receives ACL_DEV_FEATURE_NOT_SUPPORT 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevFeatureType.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetDeviceCapability of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCapability(
    deviceId: i32,
    devFeatureType: MaybeUninit<aclrtDevFeatureType>,
    value: *mut i32,
) -> aclError {
    guard_out("aclrtGetDeviceCapability", "value", value, || {
        device_info::check_feature(deviceId, enum_value(devFeatureType)).map(|()| ACL_DEV_FEATURE_NOT_SUPPORT)
    })
}

/// Returns the utilization of a device, in percent.
///
/// Cores on the CPU backend: the share of time in which at least one thread ran operations of the device, since the
/// previous call for the device in this process, or since it was set if that was later; 0 for a device that is not set.
/// Operations of at most 64 KiB that run inside the submitting call do not count, and neither do synchronous copies of
/// rows and batches, host functions and tasks. Cores on CUDA: the share of the last second, or of a part of it, in
/// which a kernel of any process ran, as NVML (libnvidia-ml.so.1, part of the driver) reports it. All three kinds of
/// cores have the same number, because one kind does the work of all. Memory: the share of the total that is not free
/// (aclrtGetMemInfo), rounded up; 0 for a device that is not set.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @param utilizationInfo receives the four numbers, each 0 to 100; its utilizationExtend must be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or utilizationExtend is not.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, if NVML is missing, does not start, or has no value for
///     the device (for example a MIG instance).
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtGetDeviceUtilizationRate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceUtilizationRate(
    deviceId: i32,
    utilizationInfo: *mut aclrtUtilizationInfo,
) -> aclError {
    guard_out("aclrtGetDeviceUtilizationRate", "utilizationInfo", utilizationInfo, || {
        // SAFETY: not null, and by the contract of the C boundary it points to such a structure; it
        // may be unaligned.
        let extend = unsafe { (&raw const (*utilizationInfo).utilizationExtend).read_unaligned() };
        must_be_null("utilizationInfo->utilizationExtend", extend)?;
        let (time, memory) = device_info::utilization(deviceId)?;
        let time = time as i32;
        Ok(aclrtUtilizationInfo {
            cubeUtilization: time,
            vectorUtilization: time,
            aicpuUtilization: time,
            memoryUtilization: memory as i32,
            utilizationExtend: extend,
        })
    })
}

/// Returns how two devices are connected: always ACL_RT_DEVS_TOPOLOGY_PHB, because all devices belong to one host;
/// finer topologies are not detected.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @param otherDeviceId another device.
/// @param value receives ACL_RT_DEVS_TOPOLOGY_PHB.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or both devices are the same.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetDevicesTopo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevicesTopo(deviceId: u32, otherDeviceId: u32, value: *mut u64) -> aclError {
    guard_out("aclrtGetDevicesTopo", "value", value, || device_info::topology(deviceId, otherDeviceId))
}

/// Returns the 16-byte UUID of a device. It is the same in every process, and unique to the device. On the CPU it is
/// derived from the machine's identity (`/etc/machine-id`, or else its name) and the logical id of the device, as a
/// UUID of version 8. A container counts as a separate machine if it has its own identity.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param uuid receives the bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver is too old.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtDeviceGetUuid of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetUuid(deviceId: i32, uuid: *mut aclrtUuid) -> aclError {
    guard_out("aclrtDeviceGetUuid", "uuid", uuid, || {
        let bytes = device_info::uuid(deviceId)?.map(|byte| byte as c_char);
        Ok(aclrtUuid { bytes })
    })
}

/// Returns the device's PCI address, as in `0000:3b:00.0` (hexadecimal, lower case, as the kernel writes it). CPU
/// devices are not on a bus; they have addresses in the domain ffff, which no machine uses, so programs can
/// distinguish devices by address.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param pciBusId receives the text and a terminating zero.
/// @param len size of `pciBusId` in bytes: 13 are enough, or 17 if a bridge has domains of more than 16 bits.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or `len` is too small.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not report it.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtDeviceGetPCIBusId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetPCIBusId(deviceId: i32, pciBusId: *mut c_char, len: i32) -> aclError {
    guard("aclrtDeviceGetPCIBusId", || {
        let size = usize::try_from(len).unwrap_or(0);
        // The size of the buffer is checked below, together with the required size.
        let room = text::Buffer::new("pciBusId", pciBusId, "len", size.max(1))?;
        let address = device_info::pci_address(deviceId)?.to_string();
        ensure!(
            address.len() < size,
            invalid_param!(
                "len is {len}; the address \"{address}\" and its terminating zero need {} bytes",
                address.len() + 1
            )
        );
        room.write(&address);
        Ok(())
    })
}

/// Returns the device with a PCI address.
///
/// @param pciBusId zero-terminated `[domain:]bus:device[.function]` in hexadecimal, upper or lower case; omitted parts
///     are 0.
/// @param deviceId receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or not an address in this form.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no device of this process has this address.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtDeviceGetByPCIBusId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetByPCIBusId(pciBusId: *const c_char, deviceId: *mut i32) -> aclError {
    guard("aclrtDeviceGetByPCIBusId", || {
        // SAFETY: `pciBusId` is null or a C string with an address.
        let address = unsafe { text::required("pciBusId", pciBusId) }?;
        Out::new("deviceId", deviceId)?.write(device_info::at_pci_address(&address.to_string_lossy())?);
        Ok(())
    })
}

/// Returns the process id that other processes pass to share memory with this one: the id in this process's pid
/// namespace. Works at any time.
///
/// @param pid receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtDeviceGetBareTgid of the Ascend runtime API, which returns the host's id also inside
///     a container.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetBareTgid(pid: *mut i32) -> aclError {
    guard_out("aclrtDeviceGetBareTgid", "pid", pid, || Ok(std::process::id() as i32))
}

/// Returns the lowest and the highest stream priority of the current device; smaller numbers are higher priorities.
///
/// @param leastPriority receives the largest number.
/// @param greatestPriority receives the smallest number, 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtDeviceGetStreamPriorityRange of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetStreamPriorityRange(
    leastPriority: *mut i32,
    greatestPriority: *mut i32,
) -> aclError {
    guard_outs(
        "aclrtDeviceGetStreamPriorityRange",
        ("leastPriority", leastPriority),
        ("greatestPriority", greatestPriority),
        device::priority_range,
    )
}

/// Returns the number of the last task that this thread submitted: its position in its stream, from 1 on. Exception
/// callbacks identify tasks by the same numbers. Calls that submit nothing, or fail, do not change the number, except
/// that a wait or a prefetch with nothing to do may count as the latest task of its stream.
///
/// @param taskId receives the number; 0 if this thread has not submitted anything.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtGetThreadLastTaskId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetThreadLastTaskId(taskId: *mut u32) -> aclError {
    guard_out("aclrtGetThreadLastTaskId", "taskId", taskId, || Ok(thread::last_task()))
}

/// Returns whether an engine of a device can use mapped host memory (aclrtHostRegister, aclrtMallocHost). Kernels
/// (ACL_RT_HAC_TYPE_AIC and _AIV) and copies (_PCIEDMA and _SDMA) can; the other engines do not exist here.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param hacType an aclrtHacType.
/// @param capabilities receives ACL_RT_HOST_MEM_MAP_SUPPORTED or ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown engine.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtHostMemMapCapabilities of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostMemMapCapabilities(
    deviceId: u32,
    hacType: MaybeUninit<aclrtHacType>,
    capabilities: *mut aclrtHostMemMapCapability,
) -> aclError {
    guard_out("aclrtHostMemMapCapabilities", "capabilities", capabilities, || {
        Ok(match device_info::maps_host_memory(deviceId, enum_value(hacType))? {
            true => aclrtHostMemMapCapability::ACL_RT_HOST_MEM_MAP_SUPPORTED,
            false => aclrtHostMemMapCapability::ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED,
        })
    })
}
