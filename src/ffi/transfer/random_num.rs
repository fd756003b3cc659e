//! Random numbers on a device.

use std::ffi::c_void;

use crate::core::transfer::random_num::{self, Request, Value};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, enum_value, handle, must_be_null, must_not_be_null};
use crate::ffi::types::{
    aclError, aclrtRandomNumFuncType, aclrtRandomNumTaskInfo, aclrtRandomParaInfo, aclrtStream,
};

fn value(info: aclrtRandomParaInfo) -> Value {
    Value { is_address: info.isAddr, bytes: info.valueOrAddr, size: info.size }
}

/// Queues the making of random numbers in device memory, when the stream comes to it: bits for dropout, or
/// uniform, normal or truncated normal numbers. They come from Philox 4x32-10, seed and counter decide them, and
/// they are the same on every backend and device; docs/random_numbers.md says which they are.
///
/// @param taskInfo what to make; read during the call. In it:
/// `dataType`: ACL_FLOAT, ACL_FLOAT16 or ACL_BF16, and for uniform numbers ACL_INT32, ACL_UINT32, ACL_INT64 and
/// ACL_UINT64, too; for dropout the type of `dropoutRation`.
/// `randomNumFuncParaInfo`: a distribution and its parameters, of that type. Dropout makes bits, the first of
/// them in the lowest bit of the first byte, which are 0 with the probability `dropoutRation` (from 0 to 1), and
/// 1 otherwise. Uniform numbers are at least `min` and below `max`, and `min` where both are the same. Normal
/// numbers have the mean `mean` and the standard deviation `stddev` (0 or more); truncated ones are at most two
/// standard deviations from the mean, and distributed there as the others are.
/// `randomParaAddr`: not used.
/// `randomResultAddr`: where they go, memory of the stream's device or managed memory, aligned to the type; null
/// only with no numbers.
/// `randomCounterAddr`: 16 bytes of such memory, aligned to 8, with the number of the first block of four
/// words, lowest byte first, to which the blocks that were used are added, so that the next call goes on where
/// this one ends; or null to begin at 0.
/// `randomSeed`: 4 or 8 bytes. `randomNum`: how many elements, or bits, 4 or 8 bytes; 0 queues nothing.
/// In an aclrtRandomParaInfo `size` says how many bytes the number has; with `isAddr` 1 there is its address in
/// place of the number, in memory of the stream's device or managed memory, aligned to its size, which is read
/// when the stream comes to it. Then there are never more numbers than have room in the rest of the allocation,
/// a ratio above 1 or no number is taken for 1, and a `max` below `min` for `min`. What is read must not lie
/// where the numbers go.
/// @param stream a stream; null: the default stream of the current context.
/// @param reserve must be null.
/// @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown type or
/// distribution, a size, `isAddr` or parameter out of range, too many numbers, what is read lies where the
/// numbers go, or `reserve` is not null; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_FEATURE_NOT_SUPPORT
/// 207000: another type of aclDataType, or `randomNum` by address with memory of another
/// library; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, not
/// memory of the stream's device, or past the end of an allocation; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current
/// context. Thread-safe. Follows aclrtRandomNumAsync of the Ascend runtime API; which generator, and what the
/// counter does, is this library's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRandomNumAsync(
    taskInfo: *const aclrtRandomNumTaskInfo,
    stream: aclrtStream,
    reserve: *mut c_void,
) -> aclError {
    guard("aclrtRandomNumAsync", || {
        must_not_be_null("taskInfo", taskInfo)?;
        must_be_null("reserve", reserve)?;
        // SAFETY: not null, and by the contract of the C boundary it points to one. C may hand out packed
        // memory, so alignment is not assumed.
        let info = unsafe { taskInfo.read_unaligned() };
        let function = enum_value(info.randomNumFuncParaInfo.funcType);
        let parameters = info.randomNumFuncParaInfo.paramInfo;
        const DROPOUT: i32 =
            aclrtRandomNumFuncType::ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK as i32;
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
        let request = Request {
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
