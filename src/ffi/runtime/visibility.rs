//! The numbers of devices: of the program, of the machine and of their driver.

use crate::base::guard_out;
use crate::core::runtime;
use crate::types::aclError;

/// Returns the logical id of a device from its user id.
///
/// User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
/// logical ids here. Works at any time.
///
/// @param userDevid 0 to the result of aclrtGetDeviceCount minus 1.
/// @param logicDevId receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetLogicDevIdByUserDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLogicDevIdByUserDevId(userDevid: i32, logicDevId: *mut i32) -> aclError {
    guard_out("aclrtGetLogicDevIdByUserDevId", "logicDevId", logicDevId, || {
        runtime::visibility()?.logical_of("userDevid", userDevid)
    })
}

/// Returns the user id of a device from its logical id.
///
/// User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
/// logical ids here. Works at any time.
///
/// @param logicDevId 0 to the number of the machine's devices minus 1.
/// @param userDevid receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or this process does not use it.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetUserDevIdByLogicDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByLogicDevId(logicDevId: i32, userDevid: *mut i32) -> aclError {
    guard_out("aclrtGetUserDevIdByLogicDevId", "userDevid", userDevid, || {
        runtime::visibility()?.user_of("logicDevId", logicDevId)
    })
}

/// Returns the logical id of a device from its physical id.
///
/// User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
/// logical ids here. Works at any time.
///
/// @param phyDevId 0 to the number of the machine's devices minus 1.
/// @param logicDevId receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetLogicDevIdByPhyDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLogicDevIdByPhyDevId(phyDevId: i32, logicDevId: *mut i32) -> aclError {
    guard_out("aclrtGetLogicDevIdByPhyDevId", "logicDevId", logicDevId, || {
        runtime::visibility()?.check_logical("phyDevId", phyDevId)
    })
}

/// Returns the physical id of a device from its logical id.
///
/// User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
/// logical ids here. Works at any time.
///
/// @param logicDevId 0 to the number of the machine's devices minus 1.
/// @param phyDevId receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetPhyDevIdByLogicDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPhyDevIdByLogicDevId(logicDevId: i32, phyDevId: *mut i32) -> aclError {
    guard_out("aclrtGetPhyDevIdByLogicDevId", "phyDevId", phyDevId, || {
        runtime::visibility()?.check_logical("logicDevId", logicDevId)
    })
}

/// Returns the physical id of a device from its user id.
///
/// User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
/// logical ids here. Works at any time.
///
/// @param userDevId 0 to the result of aclrtGetDeviceCount minus 1.
/// @param phyDevId receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetPhyDevIdByUserDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPhyDevIdByUserDevId(userDevId: i32, phyDevId: *mut i32) -> aclError {
    guard_out("aclrtGetPhyDevIdByUserDevId", "phyDevId", phyDevId, || {
        runtime::visibility()?.logical_of("userDevId", userDevId)
    })
}

/// Returns the user id of a device from its physical id.
///
/// User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
/// logical ids here. Works at any time.
///
/// @param phyDevId 0 to the number of the machine's devices minus 1.
/// @param userDevId receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or this process does not use it.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @note Thread-safe. Follows aclrtGetUserDevIdByPhyDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByPhyDevId(phyDevId: i32, userDevId: *mut i32) -> aclError {
    guard_out("aclrtGetUserDevIdByPhyDevId", "userDevId", userDevId, || {
        runtime::visibility()?.user_of("phyDevId", phyDevId)
    })
}
