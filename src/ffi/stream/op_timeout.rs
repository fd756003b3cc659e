//! How long an operator, or a wait on a stream, may take.

use crate::core::stream::op_timeout;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::Out;
use crate::ffi::types::aclError;

/// Sets how many seconds an operator may take. The number is kept, for aclrtGetOpExecuteTimeout, and has no
/// effect: no operation is ended here because it takes long (aclrtSynchronizeStreamWithTimeout bounds the wait
/// for one). It belongs to the process: the last call of these three functions, on any thread, wins; aclInit,
/// aclFinalize and resets of devices leave it alone, and it may be set before aclInit.
///
/// @param timeout seconds; 0: as if it had never been set.
/// @return ACL_SUCCESS. Thread-safe. Follows aclrtSetOpExecuteTimeOut of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOut(timeout: u32) -> aclError {
    guard("aclrtSetOpExecuteTimeOut", || {
        op_timeout::set_execute_seconds(timeout);
        Ok(())
    })
}

/// As aclrtSetOpExecuteTimeOut, in milliseconds.
///
/// @param timeout milliseconds; 0: as if it had never been set.
/// @return ACL_SUCCESS. Thread-safe. Follows aclrtSetOpExecuteTimeOutWithMs of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> aclError {
    guard("aclrtSetOpExecuteTimeOutWithMs", || {
        op_timeout::set_execute_ms(timeout);
        Ok(())
    })
}

/// As aclrtSetOpExecuteTimeOut, in microseconds, and rounded up to 1 to 254 times what
/// aclrtGetOpTimeOutInterval tells. More than 254 times is 254 times.
///
/// @param timeout microseconds.
/// @param actualTimeout receives the microseconds that were set.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, and nothing is set. Thread-safe. Follows
/// aclrtSetOpExecuteTimeOutV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOutV2(
    timeout: u64,
    actualTimeout: *mut u64,
) -> aclError {
    guard("aclrtSetOpExecuteTimeOutV2", || {
        let out = Out::new("actualTimeout", actualTimeout)?;
        out.write(op_timeout::set_execute_us(timeout));
        Ok(())
    })
}

/// How many milliseconds an operator may take, as it was set last.
///
/// @param timeoutMs receives milliseconds: 0 if it was never set, 4294967295 if it is that many or more.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetOpExecuteTimeout of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOpExecuteTimeout(timeoutMs: *mut u32) -> aclError {
    guard("aclrtGetOpExecuteTimeout", || {
        let out = Out::new("timeoutMs", timeoutMs)?;
        out.write(op_timeout::execute_ms());
        Ok(())
    })
}

/// The unit to which aclrtSetOpExecuteTimeOutV2 rounds.
///
/// @param interval receives microseconds: 10,000,000.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetOpTimeOutInterval of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOpTimeOutInterval(interval: *mut u64) -> aclError {
    guard("aclrtGetOpTimeOutInterval", || {
        let out = Out::new("interval", interval)?;
        out.write(op_timeout::INTERVAL_US);
        Ok(())
    })
}

/// Sets how many seconds a stream may wait for an event in aclrtStreamWaitEvent; see
/// aclrtStreamWaitEventWithTimeout for what happens then. Waits that were queued before keep their limit. It
/// belongs to the process: the last call, on any thread, wins; aclInit, aclFinalize and resets of devices leave
/// it alone, and it may be set before aclInit.
///
/// @param timeout seconds; 0, as it is at first: waits may take for ever. Where a CUDA driver cannot do it,
/// they may too.
/// @return ACL_SUCCESS. Thread-safe. Follows aclrtSetOpWaitTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpWaitTimeout(timeout: u32) -> aclError {
    guard("aclrtSetOpWaitTimeout", || {
        op_timeout::set_wait_seconds(timeout);
        Ok(())
    })
}
