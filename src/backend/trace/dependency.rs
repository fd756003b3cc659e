//! Which record of an event a wait is for, so that an arrow can be drawn.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::backend::Event;

/// Records in the order in which they were made, from 1 on.
pub(super) type RecordId = u64;

/// The latest record of each event, by the event's address, which is unique while it is here.
static LATEST: Mutex<Latest> = Mutex::new(Latest::NONE);

/// At this number of events, dropped ones are removed.
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
pub(super) fn recorded(event: &Arc<dyn Event>) -> RecordId {
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

/// The latest record of an event, if there was one since the trace began.
pub(super) fn latest(event: &Arc<dyn Event>) -> Option<RecordId> {
    LATEST.lock().records.get(&key(event)).map(|(_, id)| *id)
}

/// The event was recorded without a note.
pub(super) fn forget(event: &Arc<dyn Event>) {
    LATEST.lock().records.remove(&key(event));
}

/// Removes all of them.
pub(super) fn forget_all() {
    *LATEST.lock() = Latest::NONE;
}
