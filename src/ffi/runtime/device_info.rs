//! Facts about devices, and their numbers.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::core::base::error::{Error, Result};
use crate::core::runtime::atomics;
use crate::core::runtime::device;
use crate::core::runtime::device_info;
use crate::core::runtime::info;
use crate::core::runtime::thread;
use crate::core::runtime::visibility;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Array, Out, enum_value, must_be_null, text};
use crate::ffi::types::{
    ACL_DEV_FEATURE_NOT_SUPPORT, ACL_DEV_FEATURE_SUPPORT, aclError, aclrtAtomicOperation,
    aclrtDevAttr, aclrtDevFeatureType, aclrtHacType, aclrtHostMemMapCapability,
    aclrtUtilizationInfo, aclrtUuid,
};

/// Tells one number about a device, which need not be set.
///
/// - Cores: ACL_DEV_ATTR_AICORE_CORE_NUM and ACL_DEV_ATTR_CUBE_CORE_NUM are the GPU's multiprocessors or the CPU
///   cores that serve the device, ACL_DEV_ATTR_VECTOR_CORE_NUM is twice as many; none is ever 0.
///   ACL_DEV_ATTR_AICPU_CORE_NUM is the number of CPU cores, 0 on a GPU.
/// - Threads (202 to 212): the GPU's bounds, those of one core divided between its two vector cores; 0 on the CPU.
/// - Memory: ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE and ACL_DEV_ATTR_L2_CACHE_SIZE in bytes. On the CPU the latter is
///   the level-2 cache of one core, 0 where the system does not tell.
/// - Place: ACL_DEV_ATTR_PHY_CHIP_ID and ACL_DEV_ATTR_SUPER_POD_DEVICE_ID are the device's physical id, the other ids
///   (401, 404, 405, 407) are 0; the device is a card (409) on PCI Express (408).
/// - ACL_DEV_ATTR_CUST_OP_PRIVILEGE and ACL_DEV_ATTR_IS_VIRTUAL are 0. ACL_DEV_ATTR_NPU_ARCH is that of the
///   processor which aclrtGetSocName names, 0 where it is not known.
///
/// @param deviceId 0 to the number of devices less 1.
/// @param attr an aclrtDevAttr.
/// @param value receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevAttr;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
/// host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR
/// 507899: no usable device, or the driver does not answer. Thread-safe. Follows aclrtGetDeviceInfo of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceInfo(
    deviceId: u32,
    attr: MaybeUninit<aclrtDevAttr>,
    value: *mut i64,
) -> aclError {
    guard("aclrtGetDeviceInfo", || {
        let out = Out::new("value", value)?;
        out.write(device_info::number(deviceId, enum_value(attr))?);
        Ok(())
    })
}

/// Tells whether a device has a feature. Neither of those that can be asked for exists here, so the answer is
/// always ACL_DEV_FEATURE_NOT_SUPPORT.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param devFeatureType an aclrtDevFeatureType.
/// @param value receives ACL_DEV_FEATURE_NOT_SUPPORT 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevFeatureType;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtGetDeviceCapability of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCapability(
    deviceId: i32,
    devFeatureType: MaybeUninit<aclrtDevFeatureType>,
    value: *mut i32,
) -> aclError {
    guard("aclrtGetDeviceCapability", || {
        let out = Out::new("value", value)?;
        out.write(match device_info::has_feature(deviceId, enum_value(devFeatureType))? {
            true => ACL_DEV_FEATURE_SUPPORT,
            false => ACL_DEV_FEATURE_NOT_SUPPORT,
        });
        Ok(())
    })
}

/// Tells how busy a device is, in percent.
///
/// Its cores, on the CPU backend: the share of the time in which at least one thread ran operations of the device,
/// since this was asked last for the device, by anybody, or since it was set if that came later; 0 for a device that
/// is not set. Operations that are so short that they run inside the call that queues them (64 KiB) do not count, and
/// host functions neither. On CUDA: the share of the last second, or of a part of it, in which a kernel ran, of any
/// process, as NVML (libnvidia-ml.so.1, which comes with the driver) tells it. All three kinds of cores give the same
/// number, because one kind does the work of all. The memory: the share of its total that is not free (aclrtGetMemInfo),
/// rounded up; 0 for a device that is not set.
///
/// @param deviceId 0 to the number of devices less 1.
/// @param utilizationInfo receives the four numbers, each 0 to 100; its utilizationExtend must be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or utilizationExtend is not;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, where NVML is missing, does not start, or does not tell of this
/// device (a part of one, for example);
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
/// host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR
/// 507899: no usable device, or the driver does not answer. Thread-safe. Follows
/// aclrtGetDeviceUtilizationRate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceUtilizationRate(
    deviceId: i32,
    utilizationInfo: *mut aclrtUtilizationInfo,
) -> aclError {
    guard("aclrtGetDeviceUtilizationRate", || {
        let out = Out::new("utilizationInfo", utilizationInfo)?;
        // SAFETY: not null, and by the contract of the C boundary it points to such a structure; it
        // may be unaligned.
        let extend = unsafe { (&raw const (*utilizationInfo).utilizationExtend).read_unaligned() };
        must_be_null("utilizationInfo->utilizationExtend", extend)?;
        let busy = device_info::utilization(deviceId)?;
        let time = busy.time as i32;
        out.write(aclrtUtilizationInfo {
            cubeUtilization: time,
            vectorUtilization: time,
            aicpuUtilization: time,
            memoryUtilization: busy.memory as i32,
            utilizationExtend: extend,
        });
        Ok(())
    })
}

/// Tells how two devices are connected: always ACL_RT_DEVS_TOPOLOGY_PHB, because all are below one host and nobody
/// looks closer.
///
/// @param deviceId 0 to the number of devices less 1.
/// @param otherDeviceId another device.
/// @param value receives ACL_RT_DEVS_TOPOLOGY_PHB.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or twice the same device;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtGetDevicesTopo of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevicesTopo(
    deviceId: u32,
    otherDeviceId: u32,
    value: *mut u64,
) -> aclError {
    guard("aclrtGetDevicesTopo", || {
        let out = Out::new("value", value)?;
        out.write(device_info::topology(deviceId, otherDeviceId)?);
        Ok(())
    })
}

/// Tells 16 bytes that name the device: they stay the same, also for the next process, and no other device has
/// them. On the CPU they are made from the machine's identity (`/etc/machine-id`, else its name) and the logical id of
/// the device, as a UUID of version 8; a container is a machine of its own as far as it has such an identity.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param uuid receives the bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the
/// driver is too old; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID
/// 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not answer. Thread-safe.
/// Follows aclrtDeviceGetUuid of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetUuid(deviceId: i32, uuid: *mut aclrtUuid) -> aclError {
    guard("aclrtDeviceGetUuid", || {
        let out = Out::new("uuid", uuid)?;
        let bytes = device_info::uuid(deviceId)?.map(|byte| byte as c_char);
        out.write(aclrtUuid { bytes });
        Ok(())
    })
}

/// Writes the device's PCI address, as in `0000:3b:00.0` (hexadecimal, small letters, as the kernel names it). CPU
/// devices are on no bus; they have addresses in the domain ffff, which no machine has, so that programs that tell
/// devices apart by address can do so.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param pciBusId receives the text and a zero.
/// @param len room there in bytes: 13, and 17 where a bridge has domains of more than 16 bits.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not enough room;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not tell; ACL_ERROR_RT_INVALID_DEVICEID 107001:
/// no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device, or the driver does not answer. Thread-safe. Follows aclrtDeviceGetPCIBusId of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetPCIBusId(
    deviceId: i32,
    pciBusId: *mut c_char,
    len: i32,
) -> aclError {
    guard("aclrtDeviceGetPCIBusId", || {
        let size = usize::try_from(len).unwrap_or(0);
        // Whether there is room is told below, with what is needed.
        let room = text::Buffer::new("pciBusId", pciBusId, "len", size.max(1))?;
        let address = device_info::pci_address(deviceId)?.to_string();
        if address.len() >= size {
            return Err(Error::invalid_param(format_args!(
                "len is {len}; the address \"{address}\" and its zero need {} bytes",
                address.len() + 1
            )));
        }
        room.write(&address);
        Ok(())
    })
}

/// Finds the device with a PCI address.
///
/// @param pciBusId zero-terminated `[domain:]bus:device[.function]` in hexadecimal, capital or small; what is left
/// out is 0.
/// @param deviceId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not such a text; ACL_ERROR_RT_INVALID_DEVICEID
/// 107001: none of this process's devices is there; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device, or the driver does not answer. Thread-safe. Follows aclrtDeviceGetByPCIBusId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetByPCIBusId(
    pciBusId: *const c_char,
    deviceId: *mut i32,
) -> aclError {
    guard("aclrtDeviceGetByPCIBusId", || {
        // SAFETY: `pciBusId` is null or a C string with an address.
        let address = unsafe { text::required("pciBusId", pciBusId) }?;
        let out = Out::new("deviceId", deviceId)?;
        out.write(device_info::at_pci_address(&address.to_string_lossy())?);
        Ok(())
    })
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

/// The logical id of a device from its user id.
///
/// User ids count the devices of this process, as most calls take them; logical ids those of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
/// the logical ones here. Works at any time.
///
/// @param userDevid 0 to the number that aclrtGetDeviceCount gives less 1.
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
        out.write(visibility::logical_of_user("userDevid", userDevid)?);
        Ok(())
    })
}

/// The user id of a device from its logical id.
///
/// User ids count the devices of this process, as most calls take them; logical ids those of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
/// the logical ones here. Works at any time.
///
/// @param logicDevId 0 to the number of the machine's devices less 1.
/// @param userDevid receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or one that this process does not use;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows
/// aclrtGetUserDevIdByLogicDevId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByLogicDevId(
    logicDevId: i32,
    userDevid: *mut i32,
) -> aclError {
    guard("aclrtGetUserDevIdByLogicDevId", || {
        let out = Out::new("userDevid", userDevid)?;
        out.write(visibility::user_of_logical("logicDevId", logicDevId)?);
        Ok(())
    })
}

/// The logical id of a device from its physical id.
///
/// User ids count the devices of this process, as most calls take them; logical ids those of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
/// the logical ones here. Works at any time.
///
/// @param phyDevId 0 to the number of the machine's devices less 1.
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
        out.write(visibility::same_id("phyDevId", phyDevId)?);
        Ok(())
    })
}

/// The physical id of a device from its logical id.
///
/// User ids count the devices of this process, as most calls take them; logical ids those of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
/// the logical ones here. Works at any time.
///
/// @param logicDevId 0 to the number of the machine's devices less 1.
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
        out.write(visibility::same_id("logicDevId", logicDevId)?);
        Ok(())
    })
}

/// The physical id of a device from its user id.
///
/// User ids count the devices of this process, as most calls take them; logical ids those of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
/// the logical ones here. Works at any time.
///
/// @param userDevId 0 to the number that aclrtGetDeviceCount gives less 1.
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
        out.write(visibility::logical_of_user("userDevId", userDevId)?);
        Ok(())
    })
}

/// The user id of a device from its physical id.
///
/// User ids count the devices of this process, as most calls take them; logical ids those of the machine or
/// container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
/// the logical ones here. Works at any time.
///
/// @param phyDevId 0 to the number of the machine's devices less 1.
/// @param userDevId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or one that this process does not use;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtGetUserDevIdByPhyDevId
/// of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetUserDevIdByPhyDevId(
    phyDevId: i32,
    userDevId: *mut i32,
) -> aclError {
    guard("aclrtGetUserDevIdByPhyDevId", || {
        let out = Out::new("userDevId", userDevId)?;
        out.write(visibility::user_of_logical("phyDevId", phyDevId)?);
        Ok(())
    })
}

/// Tells the number of the last task that this thread submitted: its place in its stream, 1 for the first
/// one there. Exception callbacks name tasks by the same numbers. Calls that submit nothing, or fail, leave
/// the number as it is.
///
/// @param taskId receives the number; 0 before this thread has submitted anything.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetThreadLastTaskId of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetThreadLastTaskId(taskId: *mut u32) -> aclError {
    guard("aclrtGetThreadLastTaskId", || {
        Out::new("taskId", taskId)?.write(thread::last_task());
        Ok(())
    })
}

/// Tells which atomic operations kernels of a device can do on host memory that is mapped for it: what the
/// driver says of a GPU, and on CPUs what processors do or a loop around a compare-and-swap. Operations of copy
/// engines (_DMA_) and of vector units (_SIMD_) are not there.
///
/// @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it cannot be
/// done.
/// @param operations which ones, of aclrtAtomicOperation.
/// @param count how many there are, at least 1.
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, another operation;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver
/// does not tell (before CUDA 13); ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does
/// not answer. Thread-safe. Follows aclrtDeviceGetHostAtomicCapabilities of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetHostAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const aclrtAtomicOperation,
    count: u32,
    deviceId: i32,
) -> aclError {
    guard("aclrtDeviceGetHostAtomicCapabilities", || {
        let out = Out::new("capabilities", capabilities)?;
        let asked = asked(operations, count)?;
        let answers = atomics::on_host(&asked, deviceId)?;
        // SAFETY: aclrtDeviceGetHostAtomicCapabilities asks for room for `count` results, as many
        // as `answers` has.
        unsafe { out.write_all(&answers) };
        Ok(())
    })
}

/// Tells which atomic operations kernels of a device can do on memory of another device: what the driver says
/// of a GPU, and on CPUs what processors do or a loop around a compare-and-swap. Operations of copy engines
/// (_DMA_) and of vector units (_SIMD_) are not there.
///
/// @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it cannot be
/// done.
/// @param operations which ones, of aclrtAtomicOperation.
/// @param count how many there are, at least 1.
/// @param srcDeviceId the device that the kernel runs on, 0 to the number of devices less 1; it need not be
/// set.
/// @param dstDeviceId the device whose memory it is, another one.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, another operation, or twice the
/// same device; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000:
/// the driver does not tell (before CUDA 13); ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does
/// not answer. Thread-safe. Follows aclrtDeviceGetP2PAtomicCapabilities of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetP2PAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const aclrtAtomicOperation,
    count: u32,
    srcDeviceId: i32,
    dstDeviceId: i32,
) -> aclError {
    guard("aclrtDeviceGetP2PAtomicCapabilities", || {
        let out = Out::new("capabilities", capabilities)?;
        let asked = asked(operations, count)?;
        let answers = atomics::on_peer(&asked, srcDeviceId, dstDeviceId)?;
        // SAFETY: aclrtDeviceGetP2PAtomicCapabilities asks for room for `count` results, as many as
        // `answers` has.
        unsafe { out.write_all(&answers) };
        Ok(())
    })
}

/// Tells whether an engine of a device uses host memory that is mapped for it (aclrtHostRegister, aclrtMallocHost).
/// Kernels (ACL_RT_HAC_TYPE_AIC and _AIV) and copies (_PCIEDMA and _SDMA) do; the other engines do not exist here.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param hacType an aclrtHacType.
/// @param capabilities receives ACL_RT_HOST_MEM_MAP_SUPPORTED or ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another engine; ACL_ERROR_RT_INVALID_DEVICEID
/// 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows
/// aclrtHostMemMapCapabilities of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostMemMapCapabilities(
    deviceId: u32,
    hacType: MaybeUninit<aclrtHacType>,
    capabilities: *mut aclrtHostMemMapCapability,
) -> aclError {
    guard("aclrtHostMemMapCapabilities", || {
        let out = Out::new("capabilities", capabilities)?;
        out.write(if device_info::maps_host_memory(deviceId, enum_value(hacType))? {
            aclrtHostMemMapCapability::ACL_RT_HOST_MEM_MAP_SUPPORTED
        } else {
            aclrtHostMemMapCapability::ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED
        });
        Ok(())
    })
}

/// The operations of an array from C, whatever they are.
fn asked(operations: *const aclrtAtomicOperation, count: u32) -> Result<Vec<i32>> {
    if count == 0 {
        return Err(Error::invalid_param("count is 0; ask about one operation at least"));
    }
    Array::new(operations.cast::<i32>(), count as usize).to_vec("operations")
}
