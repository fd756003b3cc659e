//! Finds waits that nothing can end, waits for nothing, and accesses of the program before it waits.

mod chain;
pub(crate) mod early;
mod pending;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;

use self::pending::Pending;
pub(crate) use self::pending::{SyncStep, Why};
use super::operation::{Operation, What};
use super::report::{self, Finding, FindingKind, Party, Side};
use crate::algo::map::slot_table::Handle;
use crate::backend::Op;
use crate::core::base::call_site::Stack;
use crate::core::base::handles::Object;
use crate::core::order::checker::Awaited;
use crate::core::order::sequence;
use crate::core::stream::Stream;

static PENDING: LazyLock<Mutex<Pending>> = LazyLock::new(Mutex::default);
/// The number of waits of the host, by call.
static WAITS: LazyLock<Mutex<HashMap<Option<Stack>, Count>>> = LazyLock::new(Mutex::default);

/// The waits of one call of the program.
struct Count {
    waits: usize,
    /// The number of waits without pending work that the host had not waited for before.
    redundant: usize,
    first: Arc<Operation>,
}

/// Called when a stream was given an operation that may stop streams or let them continue.
pub(crate) fn submitted(handle: u64, step: SyncStep, operation: &Arc<Operation>) {
    let Some(point) = operation.point() else { return };
    let Some(stream) = Handle::from_raw(handle).and_then(|handle| Stream::table().get(handle)) else { return };
    let marker = || {
        let event = stream.device.native.create_event(false).ok()?;
        stream.queue_quietly(Op::Record(&event)).is_ok().then_some(event)
    };
    // A recorded event itself shows the progress of its stream.
    let wants_marker = !matches!(step, SyncStep::Records(..)) && PENDING.lock().has_room(handle);
    let passed = wants_marker.then(marker).flatten();
    PENDING.lock().add((handle, point.number), step, Arc::clone(operation), passed);
}

/// Called when the host begins a wait.
pub(crate) fn host_waits(is_redundant: bool) {
    let stack = report::stack();
    let first = || Arc::new(Operation::new(What::Waits, None, stack.clone(), &[]));
    let mut waits = WAITS.lock();
    let count = waits.entry(stack.clone()).or_insert_with(|| Count { waits: 0, redundant: 0, first: first() });
    count.waits += 1;
    count.redundant += usize::from(is_redundant);
}

/// Called when the host has waited for this long. Reports why, if nothing ends the wait.
pub(crate) fn host_waits_long(awaited: &Awaited<'_>, waited: Duration) {
    let found = {
        let sequence = sequence::lock();
        let pending = PENDING.lock();
        let at = match awaited {
            Awaited::Stream(stream) => Some((*stream, u64::MAX)),
            Awaited::Event(event) => pending.record_of(event),
        };
        at.and_then(|at| chain::of(&pending, at, |wait| sequence.is_open_wait(wait)))
    };
    let Some((links, end)) = found else { return };
    let wait = Arc::new(Operation::new(What::Waits, None, report::stack(), &[]));
    let mut parties = vec![Party { role: "host", does: "waits", detail: None, operation: wait }];
    parties.extend(links);
    let what = move |sides: &[Side]| {
        let call = sides.first().map_or("a wait", |side| &side.call);
        format!("{call} has waited for {waited:?}, and nothing that was submitted in this process ends the wait")
    };
    report::finding(&Finding::new(FindingKind::EndlessWait, None, parties, what, move |_| end.fix().to_owned()));
}

/// Reports the calls that waited for nothing in at least half of their runs, the worst first.
pub(crate) fn report_redundant() {
    /// Maximum number of reports.
    const MOST: usize = 10;
    let Some(waits) = WAITS.try_lock() else { return };
    let mut found: Vec<&Count> = waits.values().filter(|count| count.redundant * 2 >= count.waits).collect();
    found.retain(|count| count.redundant > 0);
    found.sort_by_key(|count| std::cmp::Reverse(count.redundant));
    for count in found.into_iter().take(MOST) {
        let (redundant, waits) = (count.redundant, count.waits);
        let operation = Arc::clone(&count.first);
        let host = Party { role: "host", does: "waits", detail: None, operation };
        let what = move |sides: &[Side]| {
            let call = sides.first().map_or("a wait", |side| &side.call);
            let times = if waits == 1 { "time" } else { "times" };
            format!("{call} had nothing to wait for, {redundant} of {waits} {times}")
        };
        let fix = |_: &[Side]| "to mend it: remove the call where the awaited work is complete already".to_owned();
        report::finding(&Finding::new(FindingKind::RedundantWait, None, vec![host], what, fix));
    }
}

/// Drops what the streams have passed.
pub(crate) fn forget_complete() {
    early::forget_all();
    PENDING.lock().forget_complete();
}

/// Called when the session has ended: nothing is pending.
pub(crate) fn session_ended() {
    *PENDING.lock() = Pending::default();
}
