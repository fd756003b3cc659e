//! 64-bit values in memory that streams write and wait for.

use std::ffi::c_void;

use crate::base::{address, guard, handle};
use crate::core::transfer::stream_value;
use crate::types::{aclError, aclrtStream};

/// Enqueues the write of a value: when `stream` reaches it, the eight bytes change atomically, after all earlier
/// operations. Code that sees the value also sees the results of these operations. Does not block the caller.
///
/// @param devAddr eight bytes at a multiple of 8: memory of the stream's device, managed memory, or page-locked host
///     memory (aclrtMallocHost, ACL_HOST_REG_PINNED). Memory that is freed before the write stays valid until the write
///     is complete.
/// @param value the value to write.
/// @param flag must be 0.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devAddr` is null, or an unknown flag.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: `devAddr` is not a multiple of 8.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: memory on another device (unless it is managed, or in a pool or mapping
///     with access), pageable or freed memory, past the end of an allocation, not a stream, destroyed, or called inside
///     a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the GPU or its driver cannot do it.
/// @note Thread-safe. Follows aclrtValueWrite of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtValueWrite(devAddr: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError {
    guard("aclrtValueWrite", || stream_value::write(address::from_c(devAddr), value, flag, handle::from_c(stream)))
}

/// Makes `stream` wait: later operations run when the eight bytes at `devAddr`, `word`, have the value. Any writer can
/// provide the value: another stream or device, the host if it can access the memory, or another process that shares
/// it. The wait may miss a value that the word has only briefly. One thread of the library watches all waits but those
/// of the CUDA driver. On CPU devices, writes of this process through the library end a wait at once; other writes end
/// it within about a millisecond.
///
/// The wait has no timeout. On CPU devices aclrtStreamAbort, aclrtDeviceTaskAbort and aclrtDestroyStreamForce end it; a
/// wait of the CUDA driver lasts until the value is written. A device reset, or aclFinalize, lets the wait continue for
/// at most a second. Then the wait fails with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the reset returns; on a GPU the
/// library writes the value itself.
///
/// @param devAddr eight bytes, as for aclrtValueWrite.
/// @param value the value to compare with; not 0 for ACL_STREAM_WAIT_VALUE_AND and not all ones for
///     ACL_STREAM_WAIT_VALUE_NOR, because no word would match.
/// @param flag ACL_STREAM_WAIT_VALUE_GEQ 0: `word - value`, as a signed number, is not negative, so counters may wrap;
///     ACL_STREAM_WAIT_VALUE_EQ 1: `word` equals `value`; ACL_STREAM_WAIT_VALUE_AND 2: `word & value` is not 0;
///     ACL_STREAM_WAIT_VALUE_NOR 3: `~(word | value)` is not 0.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtValueWrite
/// @retval ACL_ERROR_INVALID_PARAM 100000: also for a value that no word can match.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread to watch memory can be started.
/// @note Thread-safe. Follows aclrtValueWait of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtValueWait(devAddr: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError {
    guard("aclrtValueWait", || stream_value::wait(address::from_c(devAddr), value, flag, handle::from_c(stream)))
}
