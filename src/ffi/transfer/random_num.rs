//! Random numbers on a device.

use std::ffi::c_void;

use crate::base::{address, enum_value, guard, handle, must_be_null, read};
use crate::core::transfer::random_num::{self, RandomNumArgs, Value};
use crate::types::{aclError, aclrtRandomNumFuncType, aclrtRandomNumTaskInfo, aclrtRandomParaInfo, aclrtStream};

fn value(info: aclrtRandomParaInfo) -> Value {
    Value { is_address: info.isAddr, bytes: info.valueOrAddr, size: info.size }
}

/// Enqueues the generation of random numbers in device memory, in stream order: bits for dropout, or uniform, normal or
/// truncated normal numbers. The generator is Philox 4x32-10. Seed and counter determine the numbers, which are the
/// same on every backend and device; see docs/random_numbers.md.
///
/// @param taskInfo the task; read during the call. Members: `dataType`: ACL_FLOAT, ACL_FLOAT16 or ACL_BF16, and for
///     uniform numbers also ACL_INT32, ACL_UINT32, ACL_INT64 and ACL_UINT64; for dropout the type of `dropoutRation`.
///     `randomNumFuncParaInfo`: a distribution and its parameters, of that type. Dropout generates bits, starting with
///     the lowest bit of the first byte; a bit is 0 with the probability `dropoutRation` (from 0 to 1), and 1
///     otherwise. Uniform numbers are at least `min` and less than `max`, and `min` if both are equal. Normal numbers
///     have the mean `mean` and the standard deviation `stddev` (at least 0); truncated normal numbers are limited to
///     two standard deviations from the mean. `randomParaAddr`: not used. `randomResultAddr`: the destination, memory
///     of the stream's device or managed memory, aligned to the type; may be null if there are no numbers.
///     `randomCounterAddr`: 16 bytes of such memory, aligned to 8, with the number of the first block of four words in
///     little-endian order; the operation adds the number of blocks that it used, so that the next call continues
///     there; or null to start at 0. `randomSeed`: 4 or 8 bytes. `randomNum`: number of elements, or bits, in 4 or 8
///     bytes; 0 enqueues nothing and succeeds; then only `taskInfo`, `randomNum`, `stream` and `reserve` are checked.
///     In an aclrtRandomParaInfo `size` is the size of the number in bytes. With `isAddr` 1
///     it contains the address of the number instead, in memory of the stream's device or managed memory, aligned to
///     its size, which is read when the stream reaches the operation. Then the count is limited to the rest of the
///     allocation, a ratio is limited to 0 to 1 and is 1 if it is not a number, and a `max` less than `min` counts as
///     `min`. The numbers must not overwrite such parameters.
/// @param stream a stream; null: the default stream of the current context.
/// @param reserve must be null.
/// @retval ACL_SUCCESS 0: the operation is enqueued
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown type or distribution, a size, `isAddr` or
///     parameter out of range, too many numbers, parameters overlap the destination, or `reserve` is not null.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another type of aclDataType, or `randomNum` by address with memory
///     of another library.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, not memory of the
///     stream's device, or past the end of an allocation.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtRandomNumAsync of the Ascend runtime API; the generator, and the meaning of the
///     counter, are portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRandomNumAsync(
    taskInfo: *const aclrtRandomNumTaskInfo,
    stream: aclrtStream,
    reserve: *mut c_void,
) -> aclError {
    guard("aclrtRandomNumAsync", || {
        let info = read("taskInfo", taskInfo)?;
        must_be_null("reserve", reserve)?;
        let function = enum_value(info.randomNumFuncParaInfo.funcType);
        let parameters = info.randomNumFuncParaInfo.paramInfo;
        const DROPOUT: i32 = aclrtRandomNumFuncType::ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK as i32;
        // SAFETY: of the parameters those are read that the distribution has, which C has filled; they are
        // bytes, all of which are good.
        let parameters = unsafe {
            match function {
                DROPOUT => (value(parameters.dropoutBitmaskInfo.dropoutRation), None),
                _ => {
                    let two = parameters.uniformDisInfo;
                    (value(two.min), Some(value(two.max)))
                }
            }
        };
        let request = RandomNumArgs {
            data_type: enum_value(info.dataType),
            function,
            parameters,
            result: address::from_c(info.randomResultAddr),
            counter: address::from_c(info.randomCounterAddr),
            seed: value(info.randomSeed),
            count: value(info.randomNum),
        };
        random_num::random_num_async(request, handle::from_c(stream))
    })
}
