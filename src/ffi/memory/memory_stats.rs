//! Statistics of memory.

use std::mem::MaybeUninit;

use crate::core::base::error::{Error, Result};
use crate::core::memory::memory_hook::MemoryKind;
use crate::core::memory::memory_stats::{self, Amount, Stats};
use crate::core::pool::mem_pool::stats::Row;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, enum_value, handle, must_not_be_null};
use crate::ffi::types::{
    aclError, portaclMemoryKind, portaclMemoryPageStats, portaclMemoryPoolStats, portaclMemoryStats,
};

fn memory_kind(raw: MaybeUninit<portaclMemoryKind>) -> Result<MemoryKind> {
    Ok(match enum_value(raw) {
        0 => MemoryKind::Device,
        1 => MemoryKind::Pinned,
        2 => MemoryKind::Managed,
        3 => MemoryKind::Pool,
        4 => MemoryKind::Imported,
        5 => MemoryKind::Graph,
        other => {
            return Err(Error::invalid_param(format_args!(
                "kind is {other}; allowed: the values of portaclMemoryKind, 0 to 5"
            )));
        }
    })
}

/// Checks the size that the caller has written at the beginning of a structure.
///
/// # Safety
/// `first` is null or points to a T.
unsafe fn check_size<T>(argument: &str, first: *const T) -> Result<()> {
    must_not_be_null(argument, first)?;
    // SAFETY: not null, and all these structures begin with their size. C may hand out packed memory.
    let size = unsafe { first.cast::<usize>().read_unaligned() };
    if size == size_of::<T>() {
        return Ok(());
    }
    Err(Error::invalid_param(format_args!(
        "{argument}->structSize is {size}; it must be {}, the size of the structure",
        size_of::<T>()
    )))
}

/// Writes the rows that there is room for, and how many there are. Without room for any only the number is wanted.
///
/// # Safety
/// `first` is null or has room for `capacity` elements.
unsafe fn write_rows<T: Copy>(
    (argument, first, capacity): (&str, *mut T, usize),
    count: *mut usize,
    rows: impl FnOnce() -> Result<Vec<T>>,
) -> Result<()> {
    let count = Out::new("count", count)?;
    let wanted = !first.is_null() && capacity != 0;
    if wanted {
        // SAFETY: there is room for an element.
        unsafe { check_size(argument, first) }?;
    }
    let rows = rows()?;
    if wanted {
        // SAFETY: there is room for `capacity` elements.
        unsafe { Out::new(argument, first)?.write_all(&rows[..rows.len().min(capacity)]) };
    }
    count.write(rows.len());
    Ok(())
}

fn to_c(stats: &Stats) -> portaclMemoryStats {
    portaclMemoryStats {
        structSize: size_of::<portaclMemoryStats>(),
        currentBytes: stats.current.bytes,
        currentCount: stats.current.count,
        peakBytes: stats.peak.bytes,
        peakCount: stats.peak.count,
        totalBytes: stats.total.bytes,
        totalCount: stats.total.count,
        failures: stats.failures,
        reservedBytes: stats.reserved.current,
        peakReservedBytes: stats.reserved.peak,
        keptBytes: stats.kept,
        hugePageFallbacks: stats.huge_page_fallbacks,
        unlockedBytes: stats.unlocked,
    }
}

/// Tells how much memory of a kind there is, was at most and was ever given out. Registrations of the caller's own
/// memory are no allocations. Without other threads that allocate or free at the same time all numbers are exact and
/// fit together; with them each one is right at some moment of the call. Costs nothing where memory is allocated and
/// freed without it.
///
/// @param deviceId the device; -1: host memory, for PORTACL_MEMORY_PINNED, for PORTACL_MEMORY_POOL the pools there, and
/// for PORTACL_MEMORY_IMPORTED what was imported of it. A device that is not in use has zeros.
/// @param kind which memory; PORTACL_MEMORY_POOL: all pools of the device together that this process has made;
/// PORTACL_MEMORY_IMPORTED: memory of other processes, with that of their pools.
/// @param stats receives the numbers. The caller sets `structSize`.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `stats` is null, `structSize` is another size than that of the
/// structure, or `kind` is unknown; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, -1 for device or managed
/// memory, or another number than -1 for page-locked memory; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; with PORTACL_MEMORY_POOL on CUDA also what the
/// driver says when it is asked about a pool. Thread-safe. In the manner of RMM's statistics and
/// torch.cuda.memory_stats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryGetStats(
    deviceId: i32,
    kind: MaybeUninit<portaclMemoryKind>,
    stats: *mut portaclMemoryStats,
) -> aclError {
    guard("portaclMemoryGetStats", || {
        // SAFETY: null, or as large as the structure, by the contract of the C boundary.
        unsafe { check_size("stats", stats) }?;
        let kind = memory_kind(kind)?;
        let out = Out::new("stats", stats)?;
        out.write(to_c(&memory_stats::get(deviceId, kind)?));
        Ok(())
    })
}

/// Lets the peaks of portaclMemoryGetStats begin again with what is live, and with them those of aclrtGetMemUsageInfo
/// and, of pools, ACL_RT_MEM_POOL_ATTR's highest used and reserved bytes, which are the same numbers.
///
/// @param deviceId as for portaclMemoryGetStats; for a device that is not in use there is nothing to do.
/// @param kind as for portaclMemoryGetStats.
/// @return as portaclMemoryGetStats. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryResetPeak(
    deviceId: i32,
    kind: MaybeUninit<portaclMemoryKind>,
) -> aclError {
    guard("portaclMemoryResetPeak", || memory_stats::reset_peak(deviceId, memory_kind(kind)?))
}

/// Lists the memory pools of a device, or of host memory, with statistics of each: those of
/// portaclMemoryGetStats, where the peak of one pool is exact. A pool that was destroyed is there until its last memory is
/// freed.
///
/// @param deviceId the device; -1: pools in host memory.
/// @param pools receives them; null: only the number is wanted. The caller sets `structSize` of the first element.
/// @param capacity elements at `pools`. Where there are more pools, the oldest handles are told.
/// @param count receives how many there are, also where they are more than `capacity`.
/// @return as portaclMemoryGetStats, without `kind`; ACL_ERROR_INVALID_PARAM 100000 also where `count` is null.
/// Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryListPools(
    deviceId: i32,
    pools: *mut portaclMemoryPoolStats,
    capacity: usize,
    count: *mut usize,
) -> aclError {
    guard("portaclMemoryListPools", || {
        let row = |row: &Row| portaclMemoryPoolStats {
            structSize: size_of::<portaclMemoryPoolStats>(),
            memPool: handle::to_c(row.handle),
            isDestroyed: row.is_destroyed.into(),
            isImported: row.is_imported.into(),
            stats: to_c(&row.stats),
        };
        let rows = || Ok(memory_stats::pools(deviceId)?.iter().map(row).collect());
        // SAFETY: `pools` is null or has room for `capacity` pools.
        unsafe { write_rows(("pools", pools, capacity), count, rows) }
    })
}

/// Lists live allocations of a kind by the size of their pages, the smallest pages first. The system is asked about
/// each allocation, which may take some microseconds for each, and settles 2 MiB pages that were put off until the
/// memory is used.
///
/// @param deviceId as for portaclMemoryGetStats.
/// @param kind as for portaclMemoryGetStats.
/// @param sizes receives them; null: only the number is wanted. The caller sets `structSize` of the first element.
/// @param capacity elements at `sizes`; there are never more than three sizes.
/// @param count receives how many there are, also where they are more than `capacity`.
/// @return as portaclMemoryGetStats; ACL_ERROR_INVALID_PARAM 100000 also where `count` is null. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryListPageSizes(
    deviceId: i32,
    kind: MaybeUninit<portaclMemoryKind>,
    sizes: *mut portaclMemoryPageStats,
    capacity: usize,
    count: *mut usize,
) -> aclError {
    guard("portaclMemoryListPageSizes", || {
        let kind = memory_kind(kind)?;
        let row = |(page_size, amount): &(u64, Amount)| portaclMemoryPageStats {
            structSize: size_of::<portaclMemoryPageStats>(),
            pageSize: *page_size,
            bytes: amount.bytes,
            count: amount.count,
        };
        let rows = || Ok(memory_stats::page_sizes(deviceId, kind)?.iter().map(row).collect());
        // SAFETY: `sizes` is null or has room for `capacity` sizes of pages.
        unsafe { write_rows(("sizes", sizes, capacity), count, rows) }
    })
}
