//! Which record of an event a wait is for, so that an arrow can be drawn.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::backend::Event;

/// Records in the order in which they were made, from 1 on.
pub(super) type RecordId = u64;

/// The latest record of each event, by the event's address, which is unique while it is here.
static LATEST: Mutex<Latest> = Mutex::new(Latest { records: None, sweep_at: SWEEP });

/// At this number of events, dropped ones are removed.
const SWEEP: usize = 1024;

type Records = HashMap<usize, (Weak<dyn Event>, RecordId)>;

struct Latest {
    records: Option<Records>,
    sweep_at: usize,
}

fn key(event: &Arc<dyn Event>) -> usize {
    Arc::as_ptr(event).cast::<()>().addr()
}

/// Notes a record of the event. Returns its number.
pub(super) fn recorded(event: &Arc<dyn Event>) -> RecordId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let latest = &mut *LATEST.lock();
    let records = latest.records.get_or_insert_default();
    if records.len() >= latest.sweep_at {
        records.retain(|_, (event, _)| event.strong_count() > 0);
        latest.sweep_at = SWEEP.max(records.len() * 2);
    }
    records.insert(key(event), (Arc::downgrade(event), id));
    id
}

/// The latest record of an event, if there was one since the trace began.
pub(super) fn latest(event: &Arc<dyn Event>) -> Option<RecordId> {
    LATEST.lock().records.as_ref()?.get(&key(event)).map(|(_, id)| *id)
}

/// The event was recorded without a note.
pub(super) fn forget(event: &Arc<dyn Event>) {
    if let Some(records) = &mut LATEST.lock().records {
        records.remove(&key(event));
    }
}

/// Removes all of them.
pub(super) fn forget_all() {
    *LATEST.lock() = Latest { records: None, sweep_at: SWEEP };
}
