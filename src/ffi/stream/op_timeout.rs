//! Timeouts of operators and of waits in streams.

use std::time::Duration;

use crate::base::{guard, guard_out};
use crate::core::stream::op_timeout;
use crate::types::aclError;

/// Sets how many seconds an operator may take. The value is stored for aclrtGetOpExecuteTimeout and has no effect: the
/// library ends no operation because it is slow (aclrtSynchronizeStreamWithTimeout limits a wait for one). The setting
/// belongs to the process: the latest call of these three functions, on any thread, wins. aclInit, aclFinalize and
/// device resets do not change it, and it may be set before aclInit.
///
/// @param timeout seconds; 0 clears the setting.
/// @retval ACL_SUCCESS 0
/// @note Thread-safe. Follows aclrtSetOpExecuteTimeOut of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOut(timeout: u32) -> aclError {
    guard("aclrtSetOpExecuteTimeOut", || {
        op_timeout::set_execute(Duration::from_secs(timeout.into()));
        Ok(())
    })
}

/// Sets the timeout of operators as aclrtSetOpExecuteTimeOut, in milliseconds.
///
/// @param timeout milliseconds; 0 clears the setting.
/// @retval ACL_SUCCESS 0
/// @note Thread-safe. Follows aclrtSetOpExecuteTimeOutWithMs of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> aclError {
    guard("aclrtSetOpExecuteTimeOutWithMs", || {
        op_timeout::set_execute(Duration::from_millis(timeout.into()));
        Ok(())
    })
}

/// Sets the timeout of operators as aclrtSetOpExecuteTimeOut, in microseconds, rounded up to a multiple of
/// aclrtGetOpTimeOutInterval, from 1 to 254 times the interval. Longer timeouts are set to 254 times the interval.
///
/// @param timeout microseconds.
/// @param actualTimeout receives the microseconds that were set.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null; nothing is set.
/// @note Thread-safe. Follows aclrtSetOpExecuteTimeOutV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOutV2(timeout: u64, actualTimeout: *mut u64) -> aclError {
    guard_out("aclrtSetOpExecuteTimeOutV2", "actualTimeout", actualTimeout, || Ok(op_timeout::set_execute_us(timeout)))
}

/// Returns the timeout of operators in milliseconds, as it was set last.
///
/// @param timeoutMs receives milliseconds: 0 if it is not set, 4294967295 if it is that large or larger.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtGetOpExecuteTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOpExecuteTimeout(timeoutMs: *mut u32) -> aclError {
    guard_out("aclrtGetOpExecuteTimeout", "timeoutMs", timeoutMs, || Ok(op_timeout::execute_ms()))
}

/// Returns the unit to which aclrtSetOpExecuteTimeOutV2 rounds.
///
/// @param interval receives microseconds: 10,000,000.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtGetOpTimeOutInterval of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOpTimeOutInterval(interval: *mut u64) -> aclError {
    guard_out("aclrtGetOpTimeOutInterval", "interval", interval, || Ok(op_timeout::INTERVAL_US))
}

/// Sets the timeout in seconds for waits of aclrtStreamWaitEvent; aclrtStreamWaitEventWithTimeout describes what
/// happens after it. Waits that are already enqueued keep their timeout. The setting belongs to the process: the latest
/// call, on any thread, wins. aclInit, aclFinalize and device resets do not change it, and it may be set before
/// aclInit.
///
/// @param timeout seconds; 0, the initial value, means no timeout. With a CUDA driver that cannot do it, there is no
///     timeout either.
/// @retval ACL_SUCCESS 0
/// @note Thread-safe. Follows aclrtSetOpWaitTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpWaitTimeout(timeout: u32) -> aclError {
    guard("aclrtSetOpWaitTimeout", || {
        op_timeout::set_wait_seconds(timeout);
        Ok(())
    })
}
