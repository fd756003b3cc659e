//! Converts the results of the C API to the types of the bridge.

use super::Result;
use super::bridge::{Allocation, PageStats, PoolStats, ProfileNode, Stats};
use super::c_api::{self, portaclMemoryStats, text_in};

pub fn snapshot() -> Result<Vec<Allocation>> {
    let all = c_api::snapshot()?;
    Ok(all
        .iter()
        .map(|one| Allocation {
            address: one.ptr.addr(),
            size: one.size,
            rounded_size: one.roundedSize,
            kind: c_api::kind_of(one),
            device: one.deviceId,
            pool: one.memPool.addr(),
            stream: one.stream.addr(),
            thread: one.thread,
            age: one.age,
            call_site: text_in(&one.callSite),
        })
        .collect())
}

fn from_c(stats: &portaclMemoryStats) -> Stats {
    Stats {
        current_bytes: stats.currentBytes,
        current_count: stats.currentCount,
        peak_bytes: stats.peakBytes,
        peak_count: stats.peakCount,
        total_bytes: stats.totalBytes,
        total_count: stats.totalCount,
        failures: stats.failures,
        reserved_bytes: stats.reservedBytes,
        peak_reserved_bytes: stats.peakReservedBytes,
        kept_bytes: stats.keptBytes,
        huge_page_fallbacks: stats.hugePageFallbacks,
        unlocked_bytes: stats.unlockedBytes,
    }
}

pub fn stats(device: i32, kind: i32) -> Result<Stats> {
    c_api::stats(device, kind).map(|stats| from_c(&stats))
}

pub fn pools(device: i32) -> Result<Vec<PoolStats>> {
    let all = c_api::pools(device)?;
    Ok(all
        .iter()
        .map(|one| PoolStats {
            pool: one.memPool.addr(),
            is_destroyed: one.isDestroyed != 0,
            is_imported: one.isImported != 0,
            stats: from_c(&one.stats),
        })
        .collect())
}

pub fn page_sizes(device: i32, kind: i32) -> Result<Vec<PageStats>> {
    let all = c_api::page_sizes(device, kind)?;
    Ok(all.iter().map(|one| PageStats { page_size: one.pageSize, bytes: one.bytes, count: one.count }).collect())
}

pub fn profile(hook: u64) -> Result<Vec<ProfileNode>> {
    let all = c_api::profile(hook)?;
    Ok(all
        .iter()
        .map(|one| ProfileNode {
            depth: one.depth,
            line: one.line,
            malloc_bytes: one.mallocBytes,
            malloc_count: one.mallocCount,
            alloc_bytes: one.allocBytes,
            alloc_count: one.allocCount,
            file: text_in(&one.file),
            function: text_in(&one.function),
        })
        .collect())
}

pub fn leaks() -> Result<Vec<String>> {
    c_api::leaks()
}
