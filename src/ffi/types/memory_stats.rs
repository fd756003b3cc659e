//! Types of memory statistics.

use super::soma::aclrtMemPool;

/// Statistics of memory of one kind. Those of a device and of its pools begin when the device is set first and end when
/// it is reset, those of host memory with aclInit, or its first use, and aclFinalize.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryStats {
    /// sizeof(portaclMemoryStats), set by the caller.
    pub structSize: usize,
    /// Bytes of live allocations, with what rounding has added.
    pub currentBytes: u64,
    /// How many live allocations there are.
    pub currentCount: u64,
    /// The most that `currentBytes` was. Freed device memory of small blocks that was kept for the next request of
    /// its size counts in it (`keptBytes`). Of several pools together: the sum of their peaks, which they need not
    /// have had at the same time.
    pub peakBytes: u64,
    /// The most that `currentCount` was, in the same way.
    pub peakCount: u64,
    /// Bytes of all allocations that were made.
    pub totalBytes: u64,
    /// How many allocations were made. Those that were freed are this less `currentCount`.
    pub totalCount: u64,
    /// How many requests could not be served: for want of memory, or because the device or its driver failed. Neither
    /// wrong arguments nor what a memory hook refused.
    pub failures: u64,
    /// Bytes that all this takes from the device or the system: live allocations, freed memory that queued work still
    /// uses, and what is kept or free in pools. Of device memory, without `keptBytes`, it is what aclrtGetMemUsageInfo
    /// tells, so on the CPU what pools take from the device is in it as well. Of page-locked memory, and of pools
    /// that were imported, it is `currentBytes`.
    pub reservedBytes: u64,
    /// The most that `reservedBytes` was; of device and managed memory the peak of aclrtGetMemUsageInfo.
    pub peakReservedBytes: u64,
    /// Bytes of `reservedBytes` that the next request may have without the device: freed device memory that waits for
    /// a request of its size, and what pools have and nobody uses.
    pub keptBytes: u64,
    /// Pages of 2 MiB that were wanted and could not be had, so that smaller ones serve instead; of device memory. 0 on
    /// CUDA, where the driver chooses pages and does not tell.
    pub hugePageFallbacks: u64,
    /// Bytes that were to be locked and could not be, so that they are pageable, registrations included; of
    /// page-locked host memory. Never goes down.
    pub unlockedBytes: u64,
}

/// Statistics of one memory pool.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryPoolStats {
    /// sizeof(portaclMemoryPoolStats), set by the caller in the first element.
    pub structSize: usize,
    /// The pool. After its destruction, as long as some of its memory is live, the handle that it had.
    pub memPool: aclrtMemPool,
    /// 1 if it was destroyed, else 0.
    pub isDestroyed: i32,
    /// 1 if another process has made it, else 0.
    pub isImported: i32,
    /// What it has, had and gave.
    pub stats: portaclMemoryStats,
}

/// Live allocations with pages of one size.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryPageStats {
    /// sizeof(portaclMemoryPageStats), set by the caller in the first element.
    pub structSize: usize,
    /// Bytes of a page, as aclrtPointerGetAttributes tells of these allocations.
    pub pageSize: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many they are.
    pub count: u64,
}
