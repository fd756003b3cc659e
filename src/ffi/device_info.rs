//! Facts about devices, and their numbers.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::core::{device, info};
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclrtAtomicOperation, aclrtDevAttr, aclrtDevFeatureType, aclrtHacType,
    aclrtHostMemMapCapability, aclrtUtilizationInfo, aclrtUuid,
};
use crate::ffi::value::Out;

/// Tells one number about a device: cores, memory, caches, place in the machine.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceInfo(
    deviceId: u32,
    attr: MaybeUninit<aclrtDevAttr>,
    value: *mut i64,
) -> aclError {
    guard_unsupported(
        "aclrtGetDeviceInfo",
        "this fact about devices is not available; use aclrtGetDeviceCount and \
             aclrtGetMemInfo for what is known",
    )
}

/// Tells whether a device has a feature: ACL_DEV_FEATURE_SUPPORT or ACL_DEV_FEATURE_NOT_SUPPORT.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCapability(
    deviceId: i32,
    devFeatureType: MaybeUninit<aclrtDevFeatureType>,
    value: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtGetDeviceCapability",
        "this fact about devices is not available; use aclrtGetDeviceCount and \
             aclrtGetMemInfo for what is known",
    )
}

/// Tells how busy a device is, in percent.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceUtilizationRate(
    deviceId: i32,
    utilizationInfo: *mut aclrtUtilizationInfo,
) -> aclError {
    guard_unsupported(
        "aclrtGetDeviceUtilizationRate",
        "how busy a device is is not measured; use the system's tools",
    )
}

/// Tells how two devices are connected, as ACL_RT_DEVS_TOPOLOGY_* bits.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevicesTopo(
    deviceId: u32,
    otherDeviceId: u32,
    value: *mut u64,
) -> aclError {
    guard_unsupported(
        "aclrtGetDevicesTopo",
        "the connection of devices is not examined; assume that all of them are on one host",
    )
}

/// Tells a number that names the device for ever and everywhere.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetUuid(deviceId: i32, uuid: *mut aclrtUuid) -> aclError {
    guard_unsupported(
        "aclrtDeviceGetUuid",
        "devices have no lasting identity here; use their index",
    )
}

/// Writes the device's PCI address as text.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetPCIBusId(
    deviceId: i32,
    pciBusId: *mut c_char,
    len: i32,
) -> aclError {
    guard_unsupported(
        "aclrtDeviceGetPCIBusId",
        "PCI addresses are not kept; use the index of the device",
    )
}

/// Finds the device with a PCI address.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetByPCIBusId(
    pciBusId: *const c_char,
    deviceId: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtDeviceGetByPCIBusId",
        "PCI addresses are not kept; use the index of the device",
    )
}

/// The process id that other processes put on their lists to share memory with this one: the id in this
/// process's own namespace of process ids. Works at any time.
///
/// @param pid receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtDeviceGetBareTgid of
/// the Ascend runtime API, which tells the host's id also inside a container.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetBareTgid(pid: *mut i32) -> aclError {
    guard("aclrtDeviceGetBareTgid", || {
        let out = Out::new("pid", pid)?;
        out.write(info::process_id());
        Ok(())
    })
}

/// The least and the most urgent stream priority of the current device; smaller numbers are more urgent.
///
/// @param leastPriority receives the largest number.
/// @param greatestPriority receives the smallest number, 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context. Thread-safe. Follows aclrtDeviceGetStreamPriorityRange of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetStreamPriorityRange(
    leastPriority: *mut i32,
    greatestPriority: *mut i32,
) -> aclError {
    guard("aclrtDeviceGetStreamPriorityRange", || {
        let least = Out::new("leastPriority", leastPriority)?;
        let greatest = Out::new("greatestPriority", greatestPriority)?;
        let (least_urgent, most_urgent) = device::priority_range()?;
        least.write(least_urgent);
        greatest.write(most_urgent);
        Ok(())
    })
}

/// The logical id of a device from its user id. User ids count the devices of this process, logical ids those of the
/// machine or container, physical ids those of the hardware; all three are the same here. Works at any time.
///
/// @param userDevid 0 to the number of devices less 1.
/// @param logicDevId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device. Thread-safe. Follows aclrtGetLogicDevIdByUserDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLogicDevIdByUserDevId(
    userDevid: i32,
    logicDevId: *mut i32,
) -> aclError {
    guard("aclrtGetLogicDevIdByUserDevId", || {
        let out = Out::new("logicDevId", logicDevId)?;
        out.write(device::same_id("userDevid", userDevid)?);
        Ok(())
    })
}

/// The user id of a device from its logical id. User ids count the devices of this process, logical ids those of the
/// machine or container, physical ids those of the hardware; all three are the same here. Works at any time.
///
/// @param logicDevId 0 to the number of devices less 1.
/// @param userDevid receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device. Thread-safe. Follows aclrtGetUserDevIdByLogicDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByLogicDevId(
    logicDevId: i32,
    userDevid: *mut i32,
) -> aclError {
    guard("aclrtGetUserDevIdByLogicDevId", || {
        let out = Out::new("userDevid", userDevid)?;
        out.write(device::same_id("logicDevId", logicDevId)?);
        Ok(())
    })
}

/// The logical id of a device from its physical id. User ids count the devices of this process, logical ids those of the
/// machine or container, physical ids those of the hardware; all three are the same here. Works at any time.
///
/// @param phyDevId 0 to the number of devices less 1.
/// @param logicDevId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device. Thread-safe. Follows aclrtGetLogicDevIdByPhyDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLogicDevIdByPhyDevId(
    phyDevId: i32,
    logicDevId: *mut i32,
) -> aclError {
    guard("aclrtGetLogicDevIdByPhyDevId", || {
        let out = Out::new("logicDevId", logicDevId)?;
        out.write(device::same_id("phyDevId", phyDevId)?);
        Ok(())
    })
}

/// The physical id of a device from its logical id. User ids count the devices of this process, logical ids those of the
/// machine or container, physical ids those of the hardware; all three are the same here. Works at any time.
///
/// @param logicDevId 0 to the number of devices less 1.
/// @param phyDevId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device. Thread-safe. Follows aclrtGetPhyDevIdByLogicDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPhyDevIdByLogicDevId(
    logicDevId: i32,
    phyDevId: *mut i32,
) -> aclError {
    guard("aclrtGetPhyDevIdByLogicDevId", || {
        let out = Out::new("phyDevId", phyDevId)?;
        out.write(device::same_id("logicDevId", logicDevId)?);
        Ok(())
    })
}

/// The physical id of a device from its user id. User ids count the devices of this process, logical ids those of the
/// machine or container, physical ids those of the hardware; all three are the same here. Works at any time.
///
/// @param userDevId 0 to the number of devices less 1.
/// @param phyDevId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device. Thread-safe. Follows aclrtGetPhyDevIdByUserDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPhyDevIdByUserDevId(
    userDevId: i32,
    phyDevId: *mut i32,
) -> aclError {
    guard("aclrtGetPhyDevIdByUserDevId", || {
        let out = Out::new("phyDevId", phyDevId)?;
        out.write(device::same_id("userDevId", userDevId)?);
        Ok(())
    })
}

/// The user id of a device from its physical id. User ids count the devices of this process, logical ids those of the
/// machine or container, physical ids those of the hardware; all three are the same here. Works at any time.
///
/// @param phyDevId 0 to the number of devices less 1.
/// @param userDevId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device. Thread-safe. Follows aclrtGetUserDevIdByPhyDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByPhyDevId(
    phyDevId: i32,
    userDevId: *mut i32,
) -> aclError {
    guard("aclrtGetUserDevIdByPhyDevId", || {
        let out = Out::new("userDevId", userDevId)?;
        out.write(device::same_id("phyDevId", phyDevId)?);
        Ok(())
    })
}

/// Tells the number of the last task that this thread submitted.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetThreadLastTaskId(taskId: *mut u32) -> aclError {
    guard_unsupported(
        "aclrtGetThreadLastTaskId",
        "tasks are not numbered; record an event to find a place in a stream",
    )
}

/// Tells which atomic operations a device can do on host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetHostAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const aclrtAtomicOperation,
    count: u32,
    deviceId: i32,
) -> aclError {
    guard_unsupported(
        "aclrtDeviceGetHostAtomicCapabilities",
        "atomic capabilities are not kept; assume that there are none",
    )
}

/// Tells which atomic operations a device can do on another device's memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetP2PAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const aclrtAtomicOperation,
    count: u32,
    srcDeviceId: i32,
    dstDeviceId: i32,
) -> aclError {
    guard_unsupported(
        "aclrtDeviceGetP2PAtomicCapabilities",
        "atomic capabilities are not kept; assume that there are none",
    )
}

/// Tells whether an engine of a device can use mapped host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostMemMapCapabilities(
    deviceId: u32,
    hacType: MaybeUninit<aclrtHacType>,
    capabilities: *mut aclrtHostMemMapCapability,
) -> aclError {
    guard_unsupported(
        "aclrtHostMemMapCapabilities",
        "host memory cannot be mapped for devices; copy it with aclrtMemcpyAsync",
    )
}
