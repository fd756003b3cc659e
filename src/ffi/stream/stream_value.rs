//! Values of 64 bits in memory that streams write, and wait for.

use std::ffi::c_void;

use crate::core::stream::stream_value;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, handle};
use crate::ffi::types::{aclError, aclrtStream};

/// Queues the write of a value: when `stream` comes to it the eight bytes change at once, after all that was
/// queued before, and who sees the value sees the results of that. Does not block the caller.
///
/// @param devAddr eight bytes, at a multiple of 8: memory of the stream's device, managed memory, or host memory
/// of aclrtMallocHost or aclrtHostRegisterV2. Memory that is freed meanwhile stays until the write is over.
/// @param value what to write.
/// @param flag must be 0.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devAddr` is null, or another flag;
/// ACL_ERROR_RT_ADDR_UNALIGNED 107008: `devAddr` is no multiple of 8; ACL_ERROR_RT_PARAM_INVALID 107000: memory
/// of another device, ordinary or freed memory, past the end of an allocation, not a stream, destroyed, or
/// called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a GPU, or its driver, that cannot do it. Thread-safe. Follows
/// aclrtValueWrite of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtValueWrite(
    devAddr: *mut c_void,
    value: u64,
    flag: u32,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtValueWrite", || {
        stream_value::write(address::from_c(devAddr), value, flag, handle::from_c(stream))
    })
}

/// Makes `stream` wait: what is queued after this runs when the eight bytes at `devAddr`, `word`, have the
/// value. It does not matter who writes it: another stream or device, the host, where it can, another process
/// that shares the memory. A word that has the value only for a moment may be missed. Waiting takes no thread;
/// what this process writes through the library on CPU devices ends a wait at once, and anything else within a
/// millisecond.
///
/// The wait has no time limit. aclrtStreamAbort, aclrtDeviceTaskAbort and aclrtDestroyStreamForce end it on CPU
/// devices; what a CUDA driver holds lasts until the value is written. A reset of the device, or aclFinalize,
/// gives it a second: then the wait has failed with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the reset tells, and
/// on a GPU the library writes the value itself.
///
/// @param devAddr eight bytes, as for aclrtValueWrite.
/// @param value what to compare with; for ACL_STREAM_WAIT_VALUE_AND not 0, for ACL_STREAM_WAIT_VALUE_NOR not all
/// ones, for which no word would do.
/// @param flag ACL_STREAM_WAIT_VALUE_GEQ 0: `word - value`, as a signed number, is not negative, so that counters
/// may wrap; ACL_STREAM_WAIT_VALUE_EQ 1: `word` is `value`; ACL_STREAM_WAIT_VALUE_AND 2: `word & value` is not
/// 0; ACL_STREAM_WAIT_VALUE_NOR 3: `~(word | value)` is not 0.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtValueWrite; ACL_ERROR_INVALID_PARAM 100000 also for a value that nothing satisfies;
/// ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread can be had that watches memory. Thread-safe. Follows
/// aclrtValueWait of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtValueWait(
    devAddr: *mut c_void,
    value: u64,
    flag: u32,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtValueWait", || {
        stream_value::wait(address::from_c(devAddr), value, flag, handle::from_c(stream))
    })
}
