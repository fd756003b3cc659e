//! Managed memory: one address for host and devices.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{Array, Out, address, enum_value, guard, guard_out, handle};
use crate::core::base::error::invalid_param;
use crate::core::base::host_memory;
use crate::core::memory::managed_memory::{self, ManagedLocation, Move, Question};
use crate::types::{
    aclError, aclrtMemManagedAdviseType, aclrtMemManagedLocation, aclrtMemManagedRangeAttribute, aclrtStream,
};

/// Allocates managed memory: the host and all devices use it at one address. Its contents are undefined. Does not wait
/// for pending work. It counts as memory on the current device, and is freed when that device is released.
///
/// Host accesses are not ordered with any stream: synchronize first. Copies, fills and reductions treat it as device
/// memory on any device; copies also accept it as host memory. Its location is ACL_MEM_LOCATION_TYPE_MANAGED.
///
/// @param ptr receives the address, aligned to 2 MiB; the caller frees it with aclrtFree.
/// @param size bytes, from 1 to the device's memory; rounded up to 2 MiB.
/// @param flag must be ACL_RT_MEM_ATTACH_GLOBAL.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, or an unknown `flag`.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support managed memory.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtMemAllocManaged of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemAllocManaged(ptr: *mut *mut c_void, size: u64, flag: u32) -> aclError {
    guard_out("aclrtMemAllocManaged", "ptr", ptr, || Ok(address::to_c(managed_memory::alloc(size, flag)?)))
}

/// Gives advice about the use of managed memory. It can affect speed, never results. It is stored until it is unset or
/// the memory is freed, and aclrtMemManagedGetAttr returns it. The CPU backend does nothing else with it. Needs no
/// current context.
///
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param advise an aclrtMemManagedAdviseType.
/// @param location the location of the advice: for a preferred location a device, the host, a NUMA node of the host or
///     the caller's; for "accessed by" a device or the host; ignored for other advice.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, an invalid `size`, an unknown `advise`, or an invalid
///     location.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support advice.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtMemManagedAdvise of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedAdvise(
    ptr: *const c_void,
    size: u64,
    advise: MaybeUninit<aclrtMemManagedAdviseType>,
    location: aclrtMemManagedLocation,
) -> aclError {
    guard("aclrtMemManagedAdvise", || {
        managed_memory::advise(address::from_c(ptr), size, enum_value(advise), place(location))
    })
}

fn place(location: aclrtMemManagedLocation) -> ManagedLocation {
    ManagedLocation { kind: enum_value(location.r#type), id: location.id }
}

/// Returns an attribute of a range of managed memory, as aclrtMemManagedAdvise and prefetches have set it. Needs no
/// current context.
///
/// All values are 4-byte numbers. READ_MOSTLY: 1 if it is set for the whole range, else 0. PREFERRED_LOCATION and
/// LAST_PREFETCH_LOCATION: a device id, -1 for the host, -2 if there is none or it differs within the range; their
/// _TYPE: an aclrtMemManagedLocationType, 0 for none, and _ID: the corresponding number, 0 if there is none.
/// ACCESSED_BY: the ids of the devices (-1: the host) that access the whole range, in ascending order, as many as fit,
/// followed by -2.
///
/// @param attribute an aclrtMemManagedRangeAttribute.
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param data receives the value.
/// @param dataSize size of `data` in bytes: 4, for ACCESSED_BY a multiple of 4.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown `attribute`, an invalid `size` or `dataSize`.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, or called inside a
///     host function.
/// @note Thread-safe. Follows aclrtMemManagedGetAttr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedGetAttr(
    attribute: MaybeUninit<aclrtMemManagedRangeAttribute>,
    ptr: *const c_void,
    size: usize,
    data: *mut c_void,
    dataSize: usize,
) -> aclError {
    guard("aclrtMemManagedGetAttr", || {
        let out = Out::new("data", data.cast::<i32>())?;
        let question = Question { attribute: enum_value(attribute), room: dataSize };
        let answers = managed_memory::attributes(&[question], address::from_c(ptr), size)?;
        // SAFETY: by the contract of the C boundary there is room for `dataSize` bytes.
        unsafe { out.write_all(answers[0].iter().copied()) };
        Ok(())
    })
}

/// Returns several attributes of a range of managed memory, as aclrtMemManagedGetAttr. Needs no current context.
///
/// @param attributes the attributes: aclrtMemManagedRangeAttribute numbers.
/// @param numAttributes number of attributes, at least 1.
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param data for each attribute the address for its value; if one of them is invalid, nothing is written.
/// @param dataSizes for each attribute the size of its buffer in bytes.
/// @return the codes of aclrtMemManagedGetAttr
/// @retval ACL_ERROR_INVALID_PARAM 100000: also: `numAttributes` is 0.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no memory for lists of that length.
/// @note Thread-safe. Follows aclrtMemManagedGetAttrs of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedGetAttrs(
    attributes: *mut aclrtMemManagedRangeAttribute,
    numAttributes: usize,
    ptr: *const c_void,
    size: usize,
    data: *mut *mut c_void,
    dataSizes: *mut usize,
) -> aclError {
    guard("aclrtMemManagedGetAttrs", || {
        // The numbers need not be enumerators.
        let attributes = Array::new(attributes.cast::<i32>(), numAttributes).to_vec("attributes")?;
        let data = Array::new(data.cast_const(), numAttributes).to_vec("data")?;
        let sizes = Array::new(dataSizes.cast_const(), numAttributes).to_vec("dataSizes")?;
        ensure!(numAttributes != 0, invalid_param!("numAttributes is 0; query at least one attribute"));
        let about = format_args!("attributes (numAttributes is {numAttributes})");
        let mut outs = host_memory::list(about, numAttributes)?;
        let mut questions = host_memory::list(about, numAttributes)?;
        for (index, to) in data.into_iter().enumerate() {
            outs.push(Out::new(&format!("data[{index}]"), to.cast::<i32>())?);
            questions.push(Question { attribute: attributes[index], room: sizes[index] });
        }
        let answers = managed_memory::attributes(&questions, address::from_c(ptr), size)?;
        for (out, answer) in outs.into_iter().zip(&answers) {
            // SAFETY: by the contract of the C boundary there is as much room as `dataSizes` says.
            unsafe { out.write_all(answer.iter().copied()) };
        }
        Ok(())
    })
}

/// Prefetches managed memory to a location, in stream order. It can affect speed, never results: on the CPU backend
/// nothing moves.
///
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param location a device, the host, a NUMA node of the host, or the caller's.
/// @param flags must be 0.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, an invalid `size` or location, or `flags` is not 0.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, not a stream,
///     destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support prefetching.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtMemManagedPrefetchAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedPrefetchAsync(
    ptr: *const c_void,
    size: usize,
    location: aclrtMemManagedLocation,
    flags: u32,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemManagedPrefetchAsync", || {
        let one = Move { addr: address::from_c(ptr), len: size, place: place(location) };
        let names = |_| ("ptr".to_owned(), "location".to_owned());
        managed_memory::prefetch(&[one], flags.into(), handle::from_c(stream), names)
    })
}

/// Prefetches ranges of managed memory to locations, as aclrtMemManagedPrefetchAsync. All arguments are checked before
/// anything is enqueued.
///
/// @param ptrs the first byte of each range.
/// @param sizes the size of each range in bytes.
/// @param count number of ranges, at least 1.
/// @param prefetchLocs the locations.
/// @param prefetchLocIdxs for each location the index of its first range; its ranges extend to the first range of the
///     next location. The indexes start at 0, are ascending, and are less than `count`.
/// @param numPrefetchLocs number of locations, from 1 to `count`.
/// @param flags must be 0.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemManagedPrefetchAsync
/// @retval ACL_ERROR_INVALID_PARAM 100000: also: a null list, or invalid location indexes.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no memory for lists of that length.
/// @note Thread-safe. Follows aclrtMemManagedPrefetchBatchAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedPrefetchBatchAsync(
    ptrs: *mut *const c_void,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut aclrtMemManagedLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemManagedPrefetchBatchAsync", || {
        managed_memory::check_counts(count, numPrefetchLocs)?;
        let ptrs = Array::new(ptrs.cast_const(), count).to_vec("ptrs")?;
        let sizes = Array::new(sizes.cast_const(), count).to_vec("sizes")?;
        let locations = Array::new(prefetchLocs.cast_const(), numPrefetchLocs).to_vec("prefetchLocs")?;
        let firsts = Array::new(prefetchLocIdxs.cast_const(), numPrefetchLocs).to_vec("prefetchLocIdxs")?;
        let places = managed_memory::places(&firsts, count)?;
        let mut moves = host_memory::list(format_args!("ranges (count is {count})"), count)?;
        moves.extend((0..count).map(|index| Move {
            addr: address::from_c(ptrs[index]),
            len: sizes[index],
            place: place(locations[places[index]]),
        }));
        let names = |index| (format!("ptrs[{index}]"), format!("prefetchLocs[{}]", places[index]));
        managed_memory::prefetch(&moves, flags, handle::from_c(stream), names)
    })
}
