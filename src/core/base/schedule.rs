//! Calls of the program as turns of a schedule (`PORTACL_SCHEDULE`).

use std::sync::Arc;

use parking_lot::RwLock;

use crate::backend::cpu::Schedule;
use crate::core::base::gate;

static CURRENT: RwLock<Option<Arc<Schedule>>> = RwLock::new(None);

/// The schedule of the backend that is being opened. Without one calls do not come here.
pub fn set(schedule: Option<&Arc<Schedule>>) {
    *CURRENT.write() = schedule.map(Arc::clone);
    gate::set_scheduled(schedule.is_some());
}

/// A call begins: it waits for its turn.
#[cold]
pub fn pass(call: &'static str) {
    let current = CURRENT.read().as_ref().map(Arc::clone);
    if let Some(schedule) = current {
        schedule.call(call);
    }
}
