//! How much memory a device has, and how much is free.

use std::mem::MaybeUninit;

use crate::base::{Out, enum_value, guard, guard_outs, text};
use crate::core::base::error::invalid_param;
use crate::core::memory::{self, mem_info};
use crate::types::{aclError, aclrtMemAttr, aclrtMemUsageInfo};

/// Returns the free and total memory on the current device.
///
/// @param attr an aclrtMemAttr. The ACL_HBM_* and ACL_MEM_* attributes refer to the device's memory; ACL_DDR_* and 1
///     GiB pages, which these devices do not have, return 0 and 0.
/// @param free receives the bytes that are available to this device, at most `total`; cached memory counts as free. CPU
///     devices share the machine's memory, so that memory which one device uses is missing on all of them, unless
///     `PORTACL_CPU_MEMORY` sets the memory on each device (docs/cpu_devices.md).
/// @param total receives the maximum number of bytes of the device.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_INVALID_MEMORY_TYPE 107016: an unknown attribute.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtGetMemInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemInfo(
    attr: MaybeUninit<aclrtMemAttr>,
    free: *mut usize,
    total: *mut usize,
) -> aclError {
    guard_outs("aclrtGetMemInfo", ("free", free), ("total", total), || mem_info::memory_info(enum_value(attr)))
}

/// Returns how much device memory this process uses, in one row for each kind: `device` (aclrtMalloc and its variants,
/// physical memory, and on CPUs pools) and `managed` (aclrtMemAllocManaged), including rounding. Freed memory counts
/// until the last pending
/// operation that uses it is complete. On the CPU backend the rows of all devices that share the machine's memory (or
/// of one device, with `PORTACL_CPU_MEMORY`) add up to what aclrtGetMemInfo counts as used; on CUDA that also includes
/// memory from the driver and from other processes. Needs no current context.
///
/// @param deviceId the device; a device that is not in use has zeros.
/// @param memUsageInfo receives the rows; the peak is the maximum since the device was opened, or since
///     portaclMemoryResetPeak, including cached memory.
/// @param inputNum capacity in rows, at least 1; there are 2 rows.
/// @param outputNum receives the number of rows written.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `inputNum` is 0.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtGetMemUsageInfo of the Ascend runtime API.
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
        ensure!(inputNum != 0, invalid_param!("inputNum is 0; pass room for at least one row"));
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
        unsafe { rows_out.write_all(rows) };
        Ok(())
    })
}
