//! Facts about devices, and their numbers.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtAtomicOperation, aclrtDevAttr, aclrtDevFeatureType, aclrtHacType,
    aclrtHostMemMapCapability, aclrtUtilizationInfo, aclrtUuid,
};

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

/// Tells the process id that other processes put on their lists to share memory with this one.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetBareTgid(pid: *mut i32) -> aclError {
    guard_unsupported(
        "aclrtDeviceGetBareTgid",
        "memory cannot be shared between processes, so there are no lists; getpid gives the id",
    )
}

/// Tells the least and the most urgent stream priority of the current device; smaller numbers are
/// more urgent.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetStreamPriorityRange(
    leastPriority: *mut i32,
    greatestPriority: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtDeviceGetStreamPriorityRange",
        "the range of stream priorities cannot be asked for; 0 is the most urgent one of \
             every device",
    )
}

/// Converts a device number of this process to one of the machine.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLogicDevIdByUserDevId(
    userDevid: i32,
    logicDevId: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtGetLogicDevIdByUserDevId",
        "device numbers are not converted; user, logical and physical numbers are the same \
             here",
    )
}

/// Converts a device number of the machine to one of this process.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByLogicDevId(
    logicDevId: i32,
    userDevid: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtGetUserDevIdByLogicDevId",
        "device numbers are not converted; user, logical and physical numbers are the same \
             here",
    )
}

/// Converts a physical device number to one of the machine.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLogicDevIdByPhyDevId(
    phyDevId: i32,
    logicDevId: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtGetLogicDevIdByPhyDevId",
        "device numbers are not converted; user, logical and physical numbers are the same \
             here",
    )
}

/// Converts a device number to a physical one.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPhyDevIdByLogicDevId(
    logicDevId: i32,
    phyDevId: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtGetPhyDevIdByLogicDevId",
        "device numbers are not converted; user, logical and physical numbers are the same \
             here",
    )
}

/// Converts a device number of this process to a physical one.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPhyDevIdByUserDevId(
    userDevId: i32,
    phyDevId: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtGetPhyDevIdByUserDevId",
        "device numbers are not converted; user, logical and physical numbers are the same \
             here",
    )
}

/// Converts a physical device number to one of this process.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByPhyDevId(
    phyDevId: i32,
    userDevId: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtGetUserDevIdByPhyDevId",
        "device numbers are not converted; user, logical and physical numbers are the same \
             here",
    )
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
