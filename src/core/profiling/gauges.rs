//! The sizes that a trace shows over time.

use crate::backend::trace;
use crate::memory::allocation::Reuse;
use crate::memory::memory_stats::{DeviceTallies, HostTallies};
use crate::pool::mem_pool;
use crate::runtime;

/// Reports each size: the bytes that programs have of each device, and of each pool. Does not wait.
pub(super) fn report(each: trace::Report<'_>) {
    let Some(session) = runtime::glance() else { return };
    for slot in &session.devices {
        if let Some(device) = slot.glance() {
            let kept = Reuse::of(&device).cache.bytes() as u64;
            let bytes = DeviceTallies::of(&device).device.read().current.bytes.saturating_sub(kept);
            each(Some(device.id), "memory in use", bytes);
            let managed = DeviceTallies::of(&device).managed.read().current.bytes;
            if managed > 0 {
                each(Some(device.id), "managed memory in use", managed);
            }
        }
    }
    let pinned = HostTallies::of(&session).pinned.read().current.bytes;
    if pinned > 0 {
        each(None, "page-locked memory in use", pinned);
    }
    drop(session);
    for (device, handle, bytes) in mem_pool::stats::in_use() {
        each(device, &format!("pool {handle:#x} in use"), bytes);
    }
}
