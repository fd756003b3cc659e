//! Atomic operations between devices and the host.

use crate::base::{Array, Out, guard};
use crate::core::base::error::{Result, invalid_param};
use crate::core::runtime::atomics;
use crate::types::{aclError, aclrtAtomicOperation};

/// Returns which atomic operations kernels of a device can do on mapped host memory. For a GPU the driver reports them;
/// on CPUs they are the processor's operations or loops around a compare-and-swap. Operations of copy engines (_DMA_)
/// and of vector units (_SIMD_) are not available.
///
/// @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it is not available.
/// @param operations the operations, values of aclrtAtomicOperation.
/// @param count number of operations, at least 1.
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, or an unknown operation.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not report them (before CUDA 13).
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtDeviceGetHostAtomicCapabilities of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetHostAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const aclrtAtomicOperation,
    count: u32,
    deviceId: i32,
) -> aclError {
    guard("aclrtDeviceGetHostAtomicCapabilities", || query(capabilities, operations, count, deviceId, None))
}

/// Returns which atomic operations kernels of a device can do on memory on another device. For a GPU the driver reports
/// them; on CPUs they are the processor's operations or loops around a compare-and-swap. Operations of copy engines
/// (_DMA_) and of vector units (_SIMD_) are not available.
///
/// @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it is not available.
/// @param operations the operations, values of aclrtAtomicOperation.
/// @param count number of operations, at least 1.
/// @param srcDeviceId the device that runs the kernel, 0 to the number of devices minus 1; it need not be set.
/// @param dstDeviceId the device that has the memory, different from `srcDeviceId`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, an unknown operation, or both devices are the same.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not report them (before CUDA 13).
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtDeviceGetP2PAtomicCapabilities of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetP2PAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const aclrtAtomicOperation,
    count: u32,
    srcDeviceId: i32,
    dstDeviceId: i32,
) -> aclError {
    guard("aclrtDeviceGetP2PAtomicCapabilities", || {
        query(capabilities, operations, count, srcDeviceId, Some(dstDeviceId))
    })
}

/// The common part of both: they differ in the peer.
fn query(
    capabilities: *mut u32,
    operations: *const aclrtAtomicOperation,
    count: u32,
    device: i32,
    peer: Option<i32>,
) -> Result<()> {
    let out = Out::new("capabilities", capabilities)?;
    ensure!(count != 0, invalid_param!("count is 0; pass at least one operation"));
    let asked = Array::new(operations.cast::<i32>(), count as usize).to_vec("operations")?;
    let answers = atomics::query(&asked, device, peer)?;
    // SAFETY: both functions ask for room for `count` results, as many as `answers` has.
    unsafe { out.write_all(answers) };
    Ok(())
}
