//! Floating-point overflow: switches, modes and states.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::stream::overflow;
use crate::core::stream::stream_attribute;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, handle};
use crate::ffi::types::{aclError, aclrtFloatOverflowMode, aclrtStream};

/// Sets what overflows of later work on the current device shall give. The mode is kept, until the device is
/// reset, and has no effect: kernels and reductions give infinities and NaNs, as their code says.
///
/// @param mode ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another mode; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclrtSetDeviceSatMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceSatMode(
    mode: MaybeUninit<aclrtFloatOverflowMode>,
) -> aclError {
    guard("aclrtSetDeviceSatMode", || overflow::set_mode(enum_value(mode)))
}

/// The mode of the current device: what aclrtSetDeviceSatMode has set since the device was opened, else
/// ACL_RT_OVERFLOW_MODE_INFNAN.
///
/// @param mode receives it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclrtGetDeviceSatMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceSatMode(mode: *mut aclrtFloatOverflowMode) -> aclError {
    guard("aclrtGetDeviceSatMode", || {
        let out = Out::new("mode", mode)?;
        out.write(if overflow::saturates()? {
            aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_SATURATION
        } else {
            aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_INFNAN
        });
        Ok(())
    })
}

/// Says whether overflows of a stream's work are to be watched. The switch is kept, as the attribute
/// ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK of the stream, and has no effect: no overflow is noted here.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param flag 0: off, as at first; 1: on.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another flag; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtSetStreamOverflowSwitch of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamOverflowSwitch(stream: aclrtStream, flag: u32) -> aclError {
    guard("aclrtSetStreamOverflowSwitch", || {
        stream_attribute::set_overflow_switch(handle::from_c(stream), flag)
    })
}

/// The switch of aclrtSetStreamOverflowSwitch.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param flag receives 0 or 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `flag` is null; ACL_ERROR_RT_PARAM_INVALID 107000,
/// ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003 as aclrtSetStreamOverflowSwitch.
/// Thread-safe. Follows aclrtGetStreamOverflowSwitch of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamOverflowSwitch(
    stream: aclrtStream,
    flag: *mut u32,
) -> aclError {
    guard("aclrtGetStreamOverflowSwitch", || {
        let out = Out::new("flag", flag)?;
        out.write(stream_attribute::overflow_switch(handle::from_c(stream))?);
        Ok(())
    })
}

/// Queues the state of overflows: sets all of `outputAddr` to 0, which means that there was none. Nothing is
/// noted here; who has to know looks for infinities and NaNs in the results.
///
/// @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
/// @param outputSize bytes to write there, at least 1.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is
/// 0; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or
/// `outputAddr` is not such memory or ends before that; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtGetOverflowStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOverflowStatus(
    outputAddr: *mut c_void,
    outputSize: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtGetOverflowStatus", || {
        overflow::write_status(
            address::from_c(outputAddr),
            outputSize as u64,
            handle::from_c(stream),
        )
    })
}

/// Forgets the overflows so far, of which none is noted here: only the stream is checked.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
/// stream is on another device than the current context. Thread-safe. Follows aclrtResetOverflowStatus of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetOverflowStatus(stream: aclrtStream) -> aclError {
    guard("aclrtResetOverflowStatus", || overflow::reset_status(handle::from_c(stream)))
}

/// As aclrtGetOverflowStatus.
///
/// @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
/// @param outputSize bytes to write there, at least 1.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is
/// 0; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or
/// `outputAddr` is not such memory or ends before that; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtGetFloatOverflowStatus of the Ascend runtime API.
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

/// As aclrtResetOverflowStatus.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
/// stream is on another device than the current context. Thread-safe. Follows aclrtResetFloatOverflowStatus of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetFloatOverflowStatus(stream: aclrtStream) -> aclError {
    guard("aclrtResetFloatOverflowStatus", || overflow::reset_status(handle::from_c(stream)))
}

/// As aclrtGetOverflowStatus, for a check mode.
///
/// @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
/// @param outputSize bytes to write there, at least 1.
/// @param checkMode any number; it has no meaning here.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is
/// 0; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or
/// `outputAddr` is not such memory or ends before that; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtNpuGetFloatOverFlowStatus of the Ascend runtime API.
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

/// As aclrtResetOverflowStatus, for a check mode.
///
/// @param checkMode any number; it has no meaning here.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
/// stream is on another device than the current context. Thread-safe. Follows aclrtNpuClearFloatOverFlowStatus
/// of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNpuClearFloatOverFlowStatus(
    checkMode: u32,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtNpuClearFloatOverFlowStatus", || overflow::reset_status(handle::from_c(stream)))
}
