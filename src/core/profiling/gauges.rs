//! How large everything is that a trace shows over time.

use crate::backend::trace::Gauge;
use crate::core::pool::mem_pool;
use crate::core::runtime;

/// Tells each size: what programs have of each device, and of each pool. Waits for nobody.
pub fn tell(each: &mut dyn FnMut(Gauge)) {
    let Some(session) = runtime::glance() else { return };
    for slot in &session.devices {
        if let Some(device) = slot.glance() {
            let tally =
                |name: &str, bytes| Gauge { device: Some(device.id), name: name.to_owned(), bytes };
            let kept = device.reuse.bytes();
            let bytes = device.tallies.device.read().current.bytes.saturating_sub(kept);
            each(tally("memory in use", bytes));
            let managed = device.tallies.managed.read().current.bytes;
            if managed > 0 {
                each(tally("managed memory in use", managed));
            }
        }
    }
    let pinned = session.tallies.pinned.read().current.bytes;
    if pinned > 0 {
        each(Gauge { device: None, name: "page-locked memory in use".to_owned(), bytes: pinned });
    }
    drop(session);
    for (device, handle, bytes) in mem_pool::stats::in_use() {
        each(Gauge { device, name: format!("pool {handle:#x} in use"), bytes });
    }
}
