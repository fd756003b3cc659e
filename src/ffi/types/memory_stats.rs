//! Types of memory statistics.

use super::soma::aclrtMemPool;

/// Statistics of one kind of memory. Those of a device and of its pools start when the device is first set and end when
/// it is reset. Those of host memory start with aclInit, or the first use, and end with aclFinalize.
#[repr(C)]
pub struct portaclMemoryStats {
    /// sizeof(portaclMemoryStats), set by the caller.
    pub structSize: usize,
    /// Bytes of live allocations, including rounding.
    pub currentBytes: u64,
    /// Number of live allocations.
    pub currentCount: u64,
    /// The peak of `currentBytes`. It includes small freed blocks of device memory that are cached (`keptBytes`). For
    /// several pools: the sum of their peaks, which need not have occurred at the same time.
    pub peakBytes: u64,
    /// The peak of `currentCount`, in the same way.
    pub peakCount: u64,
    /// Bytes of all allocations ever made.
    pub totalBytes: u64,
    /// Number of all allocations ever made. Minus `currentCount`, it is the number of frees.
    pub totalCount: u64,
    /// Number of requests that failed for lack of memory, or because the device or its driver failed. Invalid arguments
    /// and refusals of memory hooks do not count.
    pub failures: u64,
    /// Bytes taken from the device or the system: live allocations, freed memory that pending work still uses, and
    /// cached or free memory of pools. For device memory, without `keptBytes`, it is the value of aclrtGetMemUsageInfo;
    /// on the CPU it therefore includes the segments of pools. For page-locked memory and imported pools it is
    /// `currentBytes`.
    pub reservedBytes: u64,
    /// The peak of `reservedBytes`; for device and managed memory the peak of aclrtGetMemUsageInfo.
    pub peakReservedBytes: u64,
    /// Bytes of `reservedBytes` that can serve the next request without the device: cached device memory, and free
    /// memory of pools.
    pub keptBytes: u64,
    /// Pages of 2 MiB that were requested and not available, so that smaller ones are used; for device memory. 0 on
    /// CUDA, where the driver selects pages and does not report them.
    pub hugePageFallbacks: u64,
    /// Bytes that could not be locked and are pageable, including registrations; for page-locked host memory. Never
    /// decreases.
    pub unlockedBytes: u64,
}

/// Statistics of one memory pool.
#[repr(C)]
pub struct portaclMemoryPoolStats {
    /// sizeof(portaclMemoryPoolStats), set by the caller in the first element.
    pub structSize: usize,
    /// The pool. After its destruction, as long as some of its memory is live, its former handle.
    pub memPool: aclrtMemPool,
    /// 1 if it was destroyed, else 0.
    pub isDestroyed: i32,
    /// 1 if another process created it, else 0.
    pub isImported: i32,
    /// Statistics of its memory.
    pub stats: portaclMemoryStats,
}

/// Live allocations with pages of one size.
#[repr(C)]
pub struct portaclMemoryPageStats {
    /// sizeof(portaclMemoryPageStats), set by the caller in the first element.
    pub structSize: usize,
    /// Page size in bytes, as aclrtPointerGetAttributes returns it for these allocations.
    pub pageSize: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their number.
    pub count: u64,
}
