//! Finds operations that use the same memory, with nothing that orders them.

mod shadow;

use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use self::shadow::{Conflict, Shadow, Use};
use super::operation::{Operation, What};
use super::report::{Finding, Kind, Party, Side};
use crate::core::order::accesses::Accesses;
use crate::core::order::sequence::Sequence;

static SHADOW: LazyLock<Mutex<Shadow>> = LazyLock::new(Mutex::default);

/// Memory begins to be used.
pub fn allocated(addr: usize, len: usize) {
    let mut shadow = SHADOW.lock();
    shadow.note_live(len, 0);
    // What used the memory before was another allocation.
    shadow.forget(addr, addr.saturating_add(len));
}

/// Memory was freed, by the host or in the order of a stream.
pub fn freed(addr: usize, len: usize, by_host: bool) {
    let mut shadow = SHADOW.lock();
    shadow.note_live(0, len);
    if by_host {
        shadow.forget(addr, addr.saturating_add(len));
    }
}

/// Checks an operation that uses memory, and keeps it.
pub fn check(sequence: &Sequence, operation: &Arc<Operation>, used: &Accesses) -> Vec<Finding> {
    let mut shadow = SHADOW.lock();
    let mut found = Vec::new();
    for access in &used.0 {
        let later = Use { mode: access.mode, operation: Arc::clone(operation) };
        found.extend(shadow.check(access, &later, |earlier| is_before(sequence, earlier, operation)));
        // What the host does is complete before anything else begins.
        if operation.stream.is_some() {
            let is_open = |it: &Operation| it.stream.is_some_and(|stream| sequence.is_open(stream.point));
            shadow.add(access, &later, is_open);
        }
    }
    shadow.sweep_if_many(|earlier| earlier.stream.is_none_or(|stream| sequence.is_known(stream.point)));
    found.iter().map(finding).collect()
}

/// Whether the first is complete before the second begins, or may not be compared with it.
fn is_before(sequence: &Sequence, earlier: &Operation, later: &Operation) -> bool {
    match (earlier.stream, later.stream) {
        // The host frees memory that exists in any case.
        (Some(_), None) if (earlier.what, later.what) == (What::Allocates, What::Frees) => true,
        (None, _) => true,
        (Some(earlier), None) => sequence.is_known(earlier.point),
        // What waits for something that is still to be submitted may come after it.
        (Some(earlier), Some(later)) => {
            sequence.is_before(earlier.point, later.point) || sequence.is_open(earlier.point)
        }
    }
}

fn finding(found: &Conflict) -> Finding {
    let party = |role, Use { mode, operation }: &Use| Party {
        role,
        does: operation.what.verb(*mode),
        detail: None,
        operation: Arc::clone(operation),
    };
    Finding {
        kind: Kind::Race,
        memory: Some((found.addr, found.len)),
        parties: vec![party("earlier", &found.earlier), party("later", &found.later)],
        what: Box::new(what),
        fix: Box::new(fix),
    }
}

fn what(sides: &[Side]) -> String {
    let [earlier, later] = sides else { return String::new() };
    format!(
        "{} {} memory that {} {}, and nothing orders one after the other",
        later.call, later.does, earlier.call, earlier.does
    )
}

/// What the program can do.
fn fix(sides: &[Side]) -> String {
    let [earlier, later] = sides else { return String::new() };
    let (before, after) = (&earlier.call, &later.call);
    let stream = earlier.stream_name.as_deref().unwrap_or_default();
    let Some(other) = &later.stream_name else {
        return format!("to order them: call aclrtSynchronizeStream for {stream} between {before} and {after}");
    };
    format!(
        "to order them: record an event in {stream} after {before} (aclrtRecordEvent) and let {other} wait for it \
         before {after} (aclrtStreamWaitEvent), or call aclrtSynchronizeStream for the first between the two"
    )
}

/// The session has ended, and with it all pending work.
pub fn session_ended() {
    *SHADOW.lock() = Shadow::default();
}

/// Whether uses of memory were forgotten.
pub fn is_incomplete() -> bool {
    SHADOW.try_lock().is_some_and(|shadow| shadow.is_incomplete)
}
