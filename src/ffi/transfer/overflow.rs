//! Floating-point overflow: switches, modes and states.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, guard_out, handle};
use crate::core::stream::stream_attribute;
use crate::core::transfer::overflow;
use crate::types::{aclError, aclrtFloatOverflowMode, aclrtStream};

/// Sets the overflow mode of later work on the current device. The mode is stored until the device is reset and has no
/// effect: kernels and reductions produce infinities and NaNs as their code does.
///
/// @param mode ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown mode.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtSetDeviceSatMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceSatMode(mode: MaybeUninit<aclrtFloatOverflowMode>) -> aclError {
    guard("aclrtSetDeviceSatMode", || overflow::set_mode(enum_value(mode)))
}

/// Returns the overflow mode of the current device: the value of aclrtSetDeviceSatMode since the device was opened,
/// initially ACL_RT_OVERFLOW_MODE_INFNAN.
///
/// @param mode receives the mode.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtGetDeviceSatMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceSatMode(mode: *mut aclrtFloatOverflowMode) -> aclError {
    guard_out("aclrtGetDeviceSatMode", "mode", mode, || {
        Ok(match overflow::saturates()? {
            true => aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_SATURATION,
            false => aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_INFNAN,
        })
    })
}

/// Turns overflow detection of a stream on or off. The switch is stored as the attribute
/// ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK of the stream and has no effect: overflows are not detected.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param flag 0: off, the initial value; 1: on.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown flag.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtSetStreamOverflowSwitch of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamOverflowSwitch(stream: aclrtStream, flag: u32) -> aclError {
    guard("aclrtSetStreamOverflowSwitch", || stream_attribute::set_overflow_switch(handle::from_c(stream), flag))
}

/// Returns the switch of aclrtSetStreamOverflowSwitch.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param flag receives 0 or 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `flag` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000, ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003:
///     as aclrtSetStreamOverflowSwitch.
/// @note Thread-safe. Follows aclrtGetStreamOverflowSwitch of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamOverflowSwitch(stream: aclrtStream, flag: *mut u32) -> aclError {
    guard_out("aclrtGetStreamOverflowSwitch", "flag", flag, || {
        stream_attribute::overflow_switch(handle::from_c(stream))
    })
}

/// Enqueues a read of the overflow state: sets all of `outputAddr` to 0, which means no overflow. Overflows are not
/// detected; to find them, check the results for infinities and NaNs.
///
/// @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
/// @param outputSize bytes to write, at least 1.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: the operation is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or `outputAddr`
///     is no such memory or is too short.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtGetOverflowStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOverflowStatus(
    outputAddr: *mut c_void,
    outputSize: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtGetOverflowStatus", || {
        overflow::write_status(address::from_c(outputAddr), outputSize as u64, handle::from_c(stream))
    })
}

/// Clears the overflow state. Overflows are not detected, so the call only checks the stream.
///
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtResetOverflowStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetOverflowStatus(stream: aclrtStream) -> aclError {
    guard("aclrtResetOverflowStatus", || overflow::reset_status(handle::from_c(stream)))
}

/// Enqueues a read of the overflow state of floating-point numbers: sets all of `outputAddr` to 0, which means no
/// overflow. Overflows are not detected; to find them, check the results for infinities and NaNs.
///
/// @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
/// @param outputSize bytes to write, at least 1.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: the operation is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or `outputAddr`
///     is no such memory or is too short.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtGetFloatOverflowStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFloatOverflowStatus(
    outputAddr: *mut c_void,
    outputSize: u64,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtGetFloatOverflowStatus", || {
        overflow::write_status(address::from_c(outputAddr), outputSize, handle::from_c(stream))
    })
}

/// Clears the overflow state of floating-point numbers. Overflows are not detected, so the call only checks the stream.
///
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtResetFloatOverflowStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetFloatOverflowStatus(stream: aclrtStream) -> aclError {
    guard("aclrtResetFloatOverflowStatus", || overflow::reset_status(handle::from_c(stream)))
}

/// Enqueues a read of the overflow state in a check mode: sets all of `outputAddr` to 0, which means no overflow.
/// Overflows are not detected; to find them, check the results for infinities and NaNs.
///
/// @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
/// @param outputSize bytes to write, at least 1.
/// @param checkMode any number; it has no effect.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: the operation is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or `outputAddr`
///     is no such memory or is too short.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtNpuGetFloatOverFlowStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNpuGetFloatOverFlowStatus(
    outputAddr: *mut c_void,
    outputSize: u64,
    checkMode: u32,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtNpuGetFloatOverFlowStatus", || {
        overflow::write_status(address::from_c(outputAddr), outputSize, handle::from_c(stream))
    })
}

/// Clears the overflow state in a check mode. Overflows are not detected, so the call only checks the stream.
///
/// @param checkMode any number; it has no effect.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtNpuClearFloatOverFlowStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNpuClearFloatOverFlowStatus(checkMode: u32, stream: aclrtStream) -> aclError {
    guard("aclrtNpuClearFloatOverFlowStatus", || overflow::reset_status(handle::from_c(stream)))
}

/// Returns the address of the overflow state of the current context: 512 bytes of device memory, initially 0. The
/// library never writes to them, because it does not detect overflows. All contexts of a device share them; they are
/// released with the device, and aclrtFree rejects them. Operations of streams may read and write them.
///
/// @param overflowAddr receives the address.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no device memory left, at the first call.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtCtxGetFloatOverflowAddr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetFloatOverflowAddr(overflowAddr: *mut *mut c_void) -> aclError {
    guard_out("aclrtCtxGetFloatOverflowAddr", "overflowAddr", overflowAddr, || Ok(address::to_c(overflow::area()?)))
}
