//! Statistics of memory.

use std::mem::MaybeUninit;

use crate::base::{Out, check_struct_size, guard, handle, write_rows};
use crate::core::memory::memory_stats::{Amount, Stats};
use crate::core::pool::mem_pool::stats::Row;
use crate::core::process::memory_stats;
use crate::memory::memory_hook::memory_kind;
use crate::types::{aclError, portaclMemoryKind, portaclMemoryPageStats, portaclMemoryPoolStats, portaclMemoryStats};

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

/// Returns current, peak and total amounts of a kind of memory. Registrations of the caller's memory are not
/// allocations. If no other thread allocates or frees at the same time, all numbers are exact and consistent; otherwise
/// each number is exact at some moment of the call. Adds no cost to allocations and frees.
///
/// @param deviceId the device; -1: host memory, with PORTACL_MEMORY_PINNED, with PORTACL_MEMORY_POOL for pools in host
///     memory, with PORTACL_MEMORY_GRAPH for graphs that allocate from them, and with PORTACL_MEMORY_IMPORTED for
///     imported host memory. A device that is not in use has zeros.
/// @param kind the kind of memory; PORTACL_MEMORY_POOL: all pools of the device that this process created;
///     PORTACL_MEMORY_IMPORTED: memory from other processes, including their pools.
/// @param stats receives the numbers. The caller sets `structSize`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `stats` is null, `structSize` is not the size of the structure, or `kind` is
///     unknown.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, -1 for device or managed memory, or a device for
///     page-locked memory.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899, or another code: no usable device, or on CUDA the driver's failure
///     about a pool of the program or of graphs.
/// @note Thread-safe. Similar to RMM's statistics and torch.cuda.memory_stats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryGetStats(
    deviceId: i32,
    kind: MaybeUninit<portaclMemoryKind>,
    stats: *mut portaclMemoryStats,
) -> aclError {
    guard("portaclMemoryGetStats", || {
        // SAFETY: null, or as large as the structure, by the contract of the C boundary.
        unsafe { check_struct_size("stats", stats) }?;
        let kind = memory_kind("kind", kind)?;
        Out::new("stats", stats)?.write(to_c(&memory_stats::get(deviceId, kind)?));
        Ok(())
    })
}

/// Resets the peaks of portaclMemoryGetStats to the current values. Also resets the peaks of aclrtGetMemUsageInfo and,
/// for pools, the used and reserved high watermarks of ACL_RT_MEM_POOL_ATTR, which are the same numbers.
///
/// @param deviceId as in portaclMemoryGetStats; no effect for a device that is not in use.
/// @param kind as in portaclMemoryGetStats.
/// @return the codes of portaclMemoryGetStats.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryResetPeak(deviceId: i32, kind: MaybeUninit<portaclMemoryKind>) -> aclError {
    guard("portaclMemoryResetPeak", || memory_stats::reset_peak(deviceId, memory_kind("kind", kind)?))
}

/// Lists the memory pools of a device, or of host memory, with the statistics of portaclMemoryGetStats for each; the
/// peak of one pool is exact. A destroyed pool is listed until its last memory is freed.
///
/// @param deviceId the device; -1: pools in host memory.
/// @param pools receives the elements; null: only returns their number. The caller sets `structSize` of the first
///     element.
/// @param capacity number of elements at `pools`. If there are more pools, those with the oldest handles are written.
/// @param count receives the number of elements, also if it is larger than `capacity`.
/// @return the codes of portaclMemoryGetStats, without `kind`
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if `count` is null.
/// @note Thread-safe.
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
        let rows = || memory_stats::pools(deviceId);
        // SAFETY: `pools` is null or has room for `capacity` pools, the first of them with its size.
        unsafe { write_rows(("pools", pools, capacity), count, rows, row) }
    })
}

/// Lists live allocations of a kind that have an address by their page size, smallest pages first. Queries the system
/// for each allocation, which may take some microseconds each, and makes the system decide on 2 MiB pages that it had
/// deferred until the memory is used.
///
/// @param deviceId as in portaclMemoryGetStats.
/// @param kind as in portaclMemoryGetStats.
/// @param sizes receives the elements; null: only returns their number. The caller sets `structSize` of the first
///     element.
/// @param capacity number of elements at `sizes`; there are at most three sizes.
/// @param count receives the number of elements, also if it is larger than `capacity`.
/// @return the codes of portaclMemoryGetStats
/// @retval ACL_ERROR_INVALID_PARAM 100000: also if `count` is null.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryListPageSizes(
    deviceId: i32,
    kind: MaybeUninit<portaclMemoryKind>,
    sizes: *mut portaclMemoryPageStats,
    capacity: usize,
    count: *mut usize,
) -> aclError {
    guard("portaclMemoryListPageSizes", || {
        let kind = memory_kind("kind", kind)?;
        let row = |(page_size, amount): &(u64, Amount)| portaclMemoryPageStats {
            structSize: size_of::<portaclMemoryPageStats>(),
            pageSize: *page_size,
            bytes: amount.bytes,
            count: amount.count,
        };
        let rows = || memory_stats::page_sizes(deviceId, kind);
        // SAFETY: `sizes` is null or has room for `capacity` sizes of pages, the first of them with its size.
        unsafe { write_rows(("sizes", sizes, capacity), count, rows, row) }
    })
}
