//! Properties of devices, and their utilization, as the API's numbers.

use crate::backend::{DeviceInfo, PciAddress, PoolSupport};
use crate::base::error::{Code, Result, arguments, error_with, invalid_param, unsupported};
use crate::runtime::{self, device, info, thread};

/// Returns the properties of a device, whether it is set or not.
fn describe(id: impl Into<i64>) -> Result<DeviceInfo> {
    let session = thread::session_outside_host_functions()?;
    Ok(device::slot(&session, "deviceId", id)?.info(&*session.driver)?.clone())
}

/// Implements portaclDeviceGetMemPoolSupport.
pub fn pool_support(id: i32, number: i32) -> Result<u64> {
    let answers: [fn(PoolSupport) -> u64; 9] = [
        |pools| pools.device.into(),
        // The bits are ACL_MEM_HANDLE_TYPE_POSIX (2) and PORTACL_MEM_HANDLE_TYPE_FABRIC (8).
        |pools| u64::from(pools.descriptor) * 2 + u64::from(pools.fabric) * 8,
        |pools| pools.host.into(),
        |pools| pools.host_node.into(),
        |pools| pools.rdma.into(),
        |pools| pools.rdma_flush.into(),
        |pools| pools.rdma_ordering.into(),
        |pools| pools.managed.into(),
        |pools| pools.decompression.into(),
    ];
    let answer = arguments::numbered("what", number, &answers, "the values of portaclMemPoolSupport, 0 to 8")?;
    Ok(answer(describe(id)?.pools))
}

/// Implements aclrtGetDeviceInfo.
pub fn number(id: u32, attribute: i32) -> Result<i64> {
    if !matches!(attribute, 1 | 101 | 102 | 201..=212 | 301 | 302 | 401..=409 | 501 | 601) {
        return Err(invalid_param!(
            "attr is {attribute}; allowed: the values of aclrtDevAttr (1, 101, 102, 201 to 212, 301, 302, \
             401 to 409, 501, 601)"
        ));
    }
    let device = describe(id)?;
    let (cores, profile) = (i64::from(device.cores), info::profile());
    let vector_cores = i64::from(profile.vector_cores_per_core);
    let threads = device.threads;
    let limit = |of: &dyn Fn(crate::backend::ThreadLimits) -> i64| threads.map_or(0, of);
    let bytes = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    Ok(match attribute {
        1 => i64::from(device.host_cores),
        101 | 102 => cores,
        201 => cores * vector_cores,
        202 => limit(&|of| of.warp.into()),
        203 => limit(&|of| i64::from(of.per_core) / vector_cores),
        204 => limit(&|of| bytes(of.shared_memory_per_core) / vector_cores),
        205..=207 => limit(&|of| of.grid[attribute as usize - 205].into()),
        208 => limit(&|of| of.grid.iter().fold(1, |all: i64, n| all.saturating_mul((*n).into()))),
        209 => limit(&|of| of.per_block.into()),
        210..=212 => limit(&|of| of.block[attribute as usize - 210].into()),
        301 => bytes(device.total_memory),
        302 => bytes(device.l2_cache),
        // There is one system, one server and one pod.
        401 | 404 | 405 => 0,
        402 | 403 => runtime::visibility()?.logical_of("deviceId", id as i32)?.into(),
        // There are no operators for the device's CPUs; the board is unknown; the connection is PCI Express.
        406..=408 => 0,
        // The device is a card.
        409 => 3,
        // No device is a part of another one.
        501 => 0,
        _ => profile.npu_arch.into(),
    })
}

/// Implements aclGetDeviceCapability: three of the same attributes under other numbers.
pub fn capability(id: u32, info: i32) -> Result<i64> {
    let allowed = "ACL_DEVICE_INFO_AI_CORE_NUM 0, ACL_DEVICE_INFO_VECTOR_CORE_NUM 1 and ACL_DEVICE_INFO_L2_SIZE 2";
    number(id, arguments::numbered("deviceInfo", info, &[101, 201, 302], allowed)?)
}

/// Implements aclrtGetDeviceCapability: no feature of the enumeration is supported.
pub fn check_feature(id: i32, feature: i32) -> Result<()> {
    ensure!(
        matches!(feature, 1 | 21),
        invalid_param!("devFeatureType is {feature}; allowed: the values of aclrtDevFeatureType, 1 and 21")
    );
    device::slot(&*runtime::session()?, "deviceId", id).map(drop)
}

/// Implements aclGetCannAttribute: floating point has infinities and NaNs, whatever the processor is called; nothing is
/// compiled at run time.
pub fn attribute(attribute: i32) -> Result<bool> {
    let answers = [true, info::profile().bfloat16, false];
    arguments::numbered("cannAttr", attribute, &answers, "the values of aclCannAttr, 0 to 2")
}

/// Implements aclrtGetDevicesTopo: all devices are reported below one host bridge.
pub fn topology(id: u32, other: u32) -> Result<u64> {
    /// The value of ACL_RT_DEVS_TOPOLOGY_PHB.
    const HOST_BRIDGE: u64 = 0x08;
    let session = runtime::session()?;
    device::slot(&session, "deviceId", id)?;
    device::slot(&session, "otherDeviceId", other)?;
    ensure!(id != other, invalid_param!("deviceId and otherDeviceId are both {id}; they must be different devices"));
    Ok(HOST_BRIDGE)
}

/// Implements aclrtDeviceGetUuid.
pub fn uuid(id: i32) -> Result<[u8; 16]> {
    describe(id)?.uuid.ok_or_else(|| {
        unsupported!("the driver reports no UUID for device {id}; use a newer driver, or aclrtDeviceGetPCIBusId")
    })
}

/// Implements aclrtDeviceGetPCIBusId.
pub fn pci_address(id: i32) -> Result<PciAddress> {
    describe(id)?.pci.ok_or_else(|| {
        unsupported!("the driver does not report the PCI address of device {id}; use aclrtDeviceGetUuid")
    })
}

/// Implements aclrtDeviceGetByPCIBusId.
pub fn at_pci_address(text: &str) -> Result<i32> {
    let wanted = PciAddress::parse(text).ok_or_else(|| {
        invalid_param!(
            "pciBusId is \"{text}\"; allowed: domain:bus:device.function in hexadecimal, as in \
             \"0000:3b:00.0\" (domain and function may be left out)"
        )
    })?;
    let count = runtime::session()?.devices.len() as i32;
    for id in 0..count {
        if describe(id)?.pci == Some(wanted) {
            return Ok(id);
        }
    }
    Err(error_with!(
        Code::InvalidDeviceId,
        "pciBusId is \"{text}\"; no device here is at {wanted}; pass an address from aclrtDeviceGetPCIBusId"
    ))
}

/// Implements aclrtHostMemMapCapabilities: returns whether an engine can use mapped host memory. Kernels and copies
/// within this machine can; the other engines do not exist here.
pub fn maps_host_memory(id: u32, engine: i32) -> Result<bool> {
    arguments::enumerated("hacType", engine, 0..=9, "aclrtHacType")?;
    device::slot(&*runtime::session()?, "deviceId", id)?;
    // These are matrix cores, vector cores, copies over PCI Express, and copies within the system.
    Ok(matches!(engine, 2 | 3 | 4 | 6))
}

/// Implements aclrtGetDeviceUtilizationRate: returns the share of time in which the device worked, and the share of its
/// memory in use, in percent.
pub fn utilization(id: i32) -> Result<(u32, u32)> {
    let session = thread::session_outside_host_functions()?;
    let slot = device::slot(&session, "deviceId", id)?;
    let time = session.driver.utilization(id as u32)?;
    let memory = match slot.device() {
        None => 0,
        Some(device) => {
            let total = device.native.info().total_memory.max(1);
            let used = total - device.native.free_memory()?.min(total);
            (used as f64 / total as f64 * 100.0).ceil() as u32
        }
    };
    Ok((time, memory))
}

/// Returns the backend's name of a device.
pub fn name(id: i32) -> Result<String> {
    Ok(describe(id)?.name)
}
