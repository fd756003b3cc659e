//! Remembers which record of an event a wait is for, so that viewers can draw an arrow.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::Event;

/// The number of a record. Records count from 1, in their order.
pub type RecordId = u64;

/// The latest record of each event, by the event's address, which is unique while it is here.
static LATEST: Mutex<Latest> = Mutex::new(Latest::NONE);

/// The number of events at which dropped ones are removed.
const SWEEP: usize = 1024;

struct Latest {
    records: BTreeMap<usize, (Weak<dyn Event>, RecordId)>,
    sweep_at: usize,
}

impl Latest {
    const NONE: Self = Self { records: BTreeMap::new(), sweep_at: SWEEP };
}

fn key(event: &Arc<dyn Event>) -> usize {
    Arc::as_ptr(event).cast::<()>().addr()
}

/// Notes a record of the event. Returns its number.
pub fn recorded(event: &Arc<dyn Event>) -> RecordId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let Latest { records, sweep_at } = &mut *LATEST.lock();
    if records.len() >= *sweep_at {
        records.retain(|_, (event, _)| event.strong_count() > 0);
        *sweep_at = SWEEP.max(records.len() * 2);
    }
    records.insert(key(event), (Arc::downgrade(event), id));
    id
}

/// Returns the latest record of an event, if there was one since the trace began.
pub fn latest(event: &Arc<dyn Event>) -> Option<RecordId> {
    LATEST.lock().records.get(&key(event)).map(|(_, id)| *id)
}

/// Removes an event that was recorded without a note.
pub fn forget(event: &Arc<dyn Event>) {
    LATEST.lock().records.remove(&key(event));
}

/// Removes all events.
pub fn forget_all() {
    *LATEST.lock() = Latest::NONE;
}
