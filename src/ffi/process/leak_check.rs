//! Live allocations.

use std::ffi::c_void;
use std::time::Instant;

use crate::algo::host::notice::notice;
use crate::base::{
    Callback, Out, address, enum_from, function, guard, guard_optional, guard_value_anywhere, handle, text, write_rows,
};
use crate::core::base::call_site::Names;
use crate::core::base::callback;
use crate::core::memory::allocation::Allocation;
use crate::core::process::leak_check::{self, Live};
use crate::types::{aclError, portaclLineWriter, portaclMemoryAllocation};

/// Starts recording the thread, time and call stack of each allocation, until the process ends, for
/// portaclMemorySnapshot and portaclMemoryReportLeaks. Each allocation then costs a stack walk. PORTACL_LEAK_CHECK
/// records from the start. A second call has no effect.
///
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a memory hook of the name "portacl's recorder" was registered.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryRecord() -> aclError {
    guard("portaclMemoryRecord", leak_check::record)
}

/// For libraries that are built on this one, as libopapi is: what the calling thread makes from now on belongs to the
/// library and not to the program, until portaclLeakCheckResume. Leak reports name neither such memory nor such
/// objects, and PORTACL_LEAK_CHECK=abort does not end the process for them; lists and statistics of memory contain
/// them. Reserved ranges of addresses and registrations of host memory are reported nevertheless, because they have no
/// handles. A program has no use for this: a leak that is not reported is a leak. Pauses may be nested. Works at any
/// time.
///
/// @retval ACL_SUCCESS 0
/// @note Thread-safe; for the calling thread only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclLeakCheckPause() -> aclError {
    guard_value_anywhere("portaclLeakCheckPause", 0, || {
        leak_check::pause();
        Ok(0)
    })
}

/// Ends the latest portaclLeakCheckPause of the calling thread. Without one it does nothing. Works at any time.
///
/// @retval ACL_SUCCESS 0
/// @note Thread-safe; for the calling thread only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclLeakCheckResume() -> aclError {
    guard_value_anywhere("portaclLeakCheckResume", 0, || {
        leak_check::resume();
        Ok(0)
    })
}

/// Lists all live allocations of device, managed, page-locked host, pool, graph and imported memory by address;
/// physical memory, which has none, comes first. Other threads continue without waiting: memory that is live during the
/// whole call is listed exactly once. Memory that they allocate or free during the call may or may not be listed, so
/// two ranges may overlap.
///
/// @param allocations receives the elements; null: only returns their number. The caller sets `structSize` of the first
///     element.
/// @param capacity number of elements at `allocations`. If there are more, those with the lowest addresses are written.
/// @param count receives the number of elements, also if it is larger than `capacity`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `count` is null, or `structSize` is not the size of the structure. Works at
///     any time.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory for the list.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemorySnapshot(
    allocations: *mut portaclMemoryAllocation,
    capacity: usize,
    count: *mut usize,
) -> aclError {
    guard("portaclMemorySnapshot", || {
        if allocations.is_null() || capacity == 0 {
            Out::new("count", count)?.write(leak_check::count());
            return Ok(());
        }
        let mut memory = None;
        let (mut names, now) = (Names::default(), Instant::now());
        let rows = || {
            // The claim lasts until all rows are written.
            memory = Some(Allocation::claim_lists()?);
            Ok(leak_check::snapshot())
        };
        let row = |live: &Live| to_c(live, &mut names, now);
        // SAFETY: `allocations` is null or has room for `capacity` allocations, the first of them with its size.
        unsafe { write_rows(("allocations", allocations, capacity), count, rows, row) }
    })
}

fn to_c(live: &Live, names: &mut Names, now: Instant) -> portaclMemoryAllocation {
    let record = live.record.as_ref();
    let site = record.and_then(|record| names.frames(&record.stack).first());
    portaclMemoryAllocation {
        structSize: size_of::<portaclMemoryAllocation>(),
        ptr: address::to_c(live.addr),
        size: record.map_or(0, |record| record.size),
        roundedSize: live.len,
        kind: enum_from(live.kind as i32),
        deviceId: live.device,
        memPool: handle::to_c(live.pool),
        stream: handle::to_c(record.map_or(0, |record| record.stream)),
        thread: record.map_or(0, |record| record.thread.into()),
        age: record.map_or(0, |record| {
            // Allocations made during the call have a small age.
            now.saturating_duration_since(record.made).as_nanos().max(1) as u64
        }),
        callSite: text::array(&site.map_or_else(String::new, |frame| frame.to_string())),
    }
}

/// Writes the live allocations to standard error, with thread, age and allocating functions if they were recorded, and
/// the releases that failed in destructors since the previous report. Writes nothing if there is nothing to report.
/// PORTACL_LEAK_CHECK=1 reports more: see docs/leaks.md. Works at any time.
///
/// @param count receives the number of live allocations; may be null.
/// @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the list.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryReportLeaks(count: *mut usize) -> aclError {
    guard_optional("portaclMemoryReportLeaks", count, || leak_check::report(&mut |text| notice(text)))
}

/// Reports leaks as portaclMemoryReportLeaks, but calls a function of the program for each line.
///
/// @param write receives a line; it may call this library.
/// @param userData its first argument.
/// @param count receives the number of live allocations; may be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `write` is null.
/// @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the list.
/// @note Works at any time. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryReportLeaksTo(
    write: portaclLineWriter,
    userData: *mut c_void,
    count: *mut usize,
) -> aclError {
    guard_optional("portaclMemoryReportLeaksTo", count, || {
        let write = function("write", write, "it must be a function")?;
        leak_check::report(&mut |text| {
            for line in text.lines() {
                // A name that contains a zero is truncated there.
                let line: Vec<u8> = line.bytes().take_while(|byte| *byte != 0).chain([0]).collect();
                callback::run("line writer", || {
                    // SAFETY: the caller's own function, with a text that lives as long as the call.
                    unsafe { write.may_unwind()(userData, line.as_ptr().cast()) };
                });
            }
        })
    })
}
