//! Managed memory: one address for host and devices.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::base::error::{Error, Result};
use crate::core::memory::managed_memory::{self, Move, Place, Question};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Array, Out, address, enum_value, handle};
use crate::ffi::types::{
    aclError, aclrtMemManagedAdviseType, aclrtMemManagedLocation, aclrtMemManagedRangeAttribute,
    aclrtStream,
};

/// Allocates memory that the host and all devices use at one address; its contents are undefined. Does not
/// wait for queued work. It counts as memory of the current device, and goes with it.
///
/// The host uses it directly, in order with no stream: synchronise first. Copies, fills, reductions and
/// address queries take it as device memory of any device, copies also as host memory.
///
/// @param ptr receives the address, aligned to 2 MiB; the caller frees it with aclrtFree.
/// @param size bytes, at least 1; rounded up to 2 MiB.
/// @param flag must be ACL_RT_MEM_ATTACH_GLOBAL.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, or another `flag`;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver has no
/// such memory; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called
/// inside a host function. Thread-safe. Follows aclrtMemAllocManaged of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemAllocManaged(
    ptr: *mut *mut c_void,
    size: u64,
    flag: u32,
) -> aclError {
    guard("aclrtMemAllocManaged", || {
        let out = Out::new("ptr", ptr)?;
        out.write(address::to_c(managed_memory::alloc(size, flag)?));
        Ok(())
    })
}

/// Tells how managed memory will be used. Speed may depend on it, results never. It is remembered until it is
/// taken back or the memory is freed, and aclrtMemManagedGetAttr tells it. The CPU backend does nothing else
/// with it. Needs no current context.
///
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param advise an aclrtMemManagedAdviseType.
/// @param location the place that the advice is about: for a preferred location a device, the host, a NUMA
/// node of the host or the caller's; for "accessed by" a device or the host; the others do not look at it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, a wrong `size`, no such `advise`, or not
/// such a place; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, or called inside a host
/// function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver takes no advice; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: after aclFinalize. Thread-safe. Follows aclrtMemManagedAdvise of the Ascend runtime API.
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

fn place(location: aclrtMemManagedLocation) -> Place {
    Place { kind: enum_value(location.r#type), id: location.id }
}

/// Tells an attribute of a range of managed memory: what aclrtMemManagedAdvise and the prefetches said of it.
/// Needs no current context.
///
/// All answers are 4-byte numbers. READ_MOSTLY: 1 if all of the range is, else 0. PREFERRED_LOCATION and
/// LAST_PREFETCH_LOCATION: a device id, -1 for the host, -2 if there is none or not the same for all of the
/// range; their _TYPE: an aclrtMemManagedLocationType, 0 for none, and _ID: the number that goes with it, 0
/// where there is none. ACCESSED_BY: the ids of the devices (-1: the host) that access all of the range,
/// as many as there is room for, ascending, and -2 behind them.
///
/// @param attribute an aclrtMemManagedRangeAttribute.
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param data receives the answer.
/// @param dataSize room there in bytes: 4, for ACCESSED_BY a multiple of 4.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, no such `attribute`, a wrong `size`
/// or `dataSize`; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory,
/// past the end of an allocation, or called inside a host function. Thread-safe. Follows
/// aclrtMemManagedGetAttr of the Ascend runtime API.
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
        unsafe { out.write_all(&answers[0]) };
        Ok(())
    })
}

/// Tells several attributes of a range of managed memory as aclrtMemManagedGetAttr does. Needs no current
/// context.
///
/// @param attributes which ones: aclrtMemManagedRangeAttribute numbers.
/// @param numAttributes how many, at least 1.
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param data for each attribute where its answer goes; nothing is written when one of them is wrong.
/// @param dataSizes for each attribute the room there in bytes.
/// @return as aclrtMemManagedGetAttr; ACL_ERROR_INVALID_PARAM 100000 also: `numAttributes` is 0;
/// ACL_ERROR_BAD_ALLOC 200000: there is no memory for lists of that length.
/// Thread-safe. Follows aclrtMemManagedGetAttrs of the Ascend runtime API.
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
        let attributes =
            Array::new(attributes.cast::<i32>(), numAttributes).to_vec("attributes")?;
        let data = Array::new(data.cast_const(), numAttributes).to_vec("data")?;
        let sizes = Array::new(dataSizes.cast_const(), numAttributes).to_vec("dataSizes")?;
        if numAttributes == 0 {
            return Err(Error::invalid_param("numAttributes is 0; ask for at least one"));
        }
        let outs = data
            .iter()
            .enumerate()
            .map(|(index, to)| Out::new(&format!("data[{index}]"), to.cast::<i32>()));
        let outs = outs.collect::<Result<Vec<_>>>()?;
        let questions = attributes.iter().zip(&sizes);
        let questions: Vec<_> =
            questions.map(|(&attribute, &room)| Question { attribute, room }).collect();
        let answers = managed_memory::attributes(&questions, address::from_c(ptr), size)?;
        for (out, answer) in outs.into_iter().zip(&answers) {
            // SAFETY: by the contract of the C boundary there is as much room as `dataSizes` says.
            unsafe { out.write_all(answer) };
        }
        Ok(())
    })
}

/// Moves managed memory to a place, in stream order, so that it is there when it is used. Speed may depend on
/// it, results never: in memory of the CPU backend nothing moves.
///
/// @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
/// @param size bytes, a multiple of 2 MiB, not 0.
/// @param location a device, the host, a NUMA node of the host, or the caller's.
/// @param flags must be 0.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, a wrong `size` or place, or `flags` is
/// not 0; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, not a stream,
/// destroyed, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver moves
/// nothing on demand; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT
/// 107003: the stream is on another device than the current context. Thread-safe. Follows
/// aclrtMemManagedPrefetchAsync of the Ascend runtime API.
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

/// Moves ranges of managed memory to their places, as aclrtMemManagedPrefetchAsync does. Everything is checked
/// before anything is queued.
///
/// @param ptrs the first byte of each range.
/// @param sizes the bytes of each range.
/// @param count how many ranges, at least 1.
/// @param prefetchLocs the places.
/// @param prefetchLocIdxs for each place the first range that goes there, up to the first of the next place: it
/// begins with 0, ascends, and stays below `count`.
/// @param numPrefetchLocs how many places, from 1 to `count`.
/// @param flags must be 0.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemManagedPrefetchAsync; ACL_ERROR_INVALID_PARAM 100000 also: a null list, or wrong numbers of
/// places; ACL_ERROR_BAD_ALLOC 200000: there is no memory for lists of that length. Thread-safe. Follows aclrtMemManagedPrefetchBatchAsync of the Ascend runtime API.
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
        let locations =
            Array::new(prefetchLocs.cast_const(), numPrefetchLocs).to_vec("prefetchLocs")?;
        let firsts =
            Array::new(prefetchLocIdxs.cast_const(), numPrefetchLocs).to_vec("prefetchLocIdxs")?;
        let places = managed_memory::places(&firsts, count)?;
        let moves: Vec<_> = (0..count)
            .map(|index| Move {
                addr: address::from_c(ptrs[index]),
                len: sizes[index],
                place: place(locations[places[index]]),
            })
            .collect();
        let names = |index| (format!("ptrs[{index}]"), format!("prefetchLocs[{}]", places[index]));
        managed_memory::prefetch(&moves, flags, handle::from_c(stream), names)
    })
}
