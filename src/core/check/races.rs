//! Finds operations that use the same memory, with nothing that orders them.

mod history;
mod operations;
mod ranges;
mod runs;
mod shadow;

use std::sync::Arc;

use self::history::History;
use self::shadow::{Conflict, Shadow};
use super::operation::{Operation, What};
use super::report::{self, Finding, Kind, Party, Side};
use crate::core::order::accesses::{Access, Accesses, Mode};
use crate::core::order::graph_run::GraphRun;
use crate::core::order::sequence::{self, Point, Sequence};
use crate::core::order::undecided::Pair;

/// Memory begins to be used, at once or in the order of a stream. What used it before was another allocation.
pub fn allocated(sequence: &mut Sequence, operation: Operation, used: &Access) {
    sequence.with_kept(|history, sequence| allocated_in(history, sequence, operation, used));
}

fn allocated_in(history: &mut History, sequence: &Sequence, operation: Operation, used: &Access) {
    history.enter(sequence.era());
    history.note_live(used.end - used.addr, 0);
    match operation.stream {
        None => history.forget(used.addr, used.end),
        Some(stream) if is_ordered(history, sequence, stream.point) => history.log_allocation(operation, used),
        Some(_) => {
            let shadow = history.shadow();
            let by = shadow.begin(operation);
            shadow.begin_memory(used, by);
        }
    }
    history.sweep_if_many(|earlier| is_known(sequence, earlier));
}

/// Checks an operation that uses memory, and keeps it. `graph`: it runs this graph. If one of two operations is behind
/// an open wait, what ends the wait decides about what is found. `None`: nothing conflicts with it.
pub fn check(
    sequence: &mut Sequence,
    operation: Operation,
    used: &Accesses,
    graph: Option<&Arc<GraphRun>>,
) -> Option<Vec<Finding>> {
    sequence.with_kept(|history, sequence| {
        let found = check_in(history, sequence, operation, used, graph)?;
        Some(found.into_iter().filter_map(|finding| decide(history, sequence, finding)).collect())
    })
}

/// Returns what is to be reported now.
fn decide(history: &mut History, sequence: &mut Sequence, finding: Finding) -> Option<Finding> {
    let [earlier, later] = finding.parties.as_slice() else { return Some(finding) };
    let [earlier, later] = [&earlier.operation, &later.operation];
    // No later use of memory is before its allocation, and no earlier one after its release.
    let may_swap = earlier.what != What::Allocates && later.what != What::Frees;
    // The host's operations are complete when they return.
    let (Some(first), Some(second)) = (earlier.stream, later.stream) else { return Some(finding) };
    let (earlier, later) = (first.point, second.point);
    let is_undecided = sequence.waits(later) || may_swap && sequence.waits(earlier);
    if !is_undecided {
        return Some(finding);
    }
    let (memory, report) = (finding.memory, Box::new(move || report::finding(&finding)));
    if !sequence.decide_later(Pair { earlier, later, memory, may_swap, report }) {
        history.is_incomplete = true;
    }
    None
}

fn check_in(
    history: &mut History,
    sequence: &Sequence,
    operation: Operation,
    used: &Accesses,
    graph: Option<&Arc<GraphRun>>,
) -> Option<Vec<Finding>> {
    history.enter(sequence.era());
    let is_free = operation.what == What::Frees;
    if is_free {
        used.0.iter().for_each(|freed| history.note_live(0, freed.end - freed.addr));
    }
    let found = match operation.stream {
        None => {
            let found = check_host(history, sequence, &operation, used);
            // What the host does is complete before anything else begins, so it is not kept.
            if is_free {
                used.0.iter().for_each(|freed| history.forget(freed.addr, freed.end));
            }
            found
        }
        Some(stream) if is_ordered(history, sequence, stream.point) => {
            history.log(operation, used, graph);
            None
        }
        Some(stream) => check_unordered(history.shadow(), sequence, stream.point, operation, used, graph),
    };
    history.sweep_if_many(|earlier| is_known(sequence, earlier));
    found
}

/// Whether an operation at this point, which has been submitted last, comes after all that is pending, and before all
/// that is still to be submitted in its stream.
#[inline(always)]
fn is_ordered(history: &History, sequence: &Sequence, point: Point) -> bool {
    let is_before = |earlier: &Operation| earlier.stream.is_none_or(|stream| sequence.is_before(stream.point, point));
    history.is_ordered(is_before) && !sequence.is_open(point)
}

/// Checks and keeps an operation that is not ordered after all that is pending.
fn check_unordered(
    shadow: &mut Shadow,
    sequence: &Sequence,
    point: Point,
    operation: Operation,
    used: &Accesses,
    graph: Option<&Arc<GraphRun>>,
) -> Option<Vec<Finding>> {
    let is_open = |earlier: &Operation| is_open(sequence, earlier);
    let is_before = |earlier: &Operation| {
        let is_ordered = |earlier| sequence.is_before(earlier, point) || sequence.is_dropped(earlier);
        earlier.stream.is_none_or(|stream| is_ordered(stream.point))
    };
    let by = shadow.begin(operation);
    if graph.is_none() && used.0.iter().all(|access| shadow.add_known(access, by, is_before, is_open)) {
        return None;
    }
    let mut found = Vec::new();
    if let Some(graph) = graph {
        if !shadow.are_all(is_before) {
            let check = |access: &Access| (shadow.check(access, is_before, is_open), access.mode);
            let all = used.0.iter().map(check);
            found.extend(all.flat_map(|(found, mode)| found.into_iter().map(move |conflict| (conflict, mode))));
        }
        shadow.add_run(graph, by, is_open);
    }
    for access in used.0.iter().filter(|_| graph.is_none()) {
        if !shadow.add_known(access, by, is_before, is_open) {
            found.extend(shadow.check(access, is_before, is_open).into_iter().map(|conflict| (conflict, access.mode)));
            shadow.add(access, by, is_open);
        }
    }
    findings(found, || shadow.operation(by).clone())
}

/// As [`check_unordered`], for the host.
fn check_host(
    history: &mut History,
    sequence: &Sequence,
    operation: &Operation,
    used: &Accesses,
) -> Option<Vec<Finding>> {
    if history.is_ordered(|earlier| is_known(sequence, earlier)) {
        return None;
    }
    let is_before = |earlier: &Operation| {
        is_known(sequence, earlier)
            || match operation.what {
                // The host frees memory that exists in any case, and nothing may use it later.
                What::Frees => earlier.what == What::Allocates,
                _ => is_open(sequence, earlier),
            }
    };
    let shadow = history.checked();
    let check = |access: &Access| {
        let mode = access.mode;
        let found = shadow.check(access, is_before, |earlier| is_open(sequence, earlier));
        found.into_iter().map(move |conflict| (conflict, mode))
    };
    findings(used.0.iter().flat_map(check).collect(), || operation.clone())
}

/// Whether it waits for something that is still to be submitted: then it may come after all that was submitted so far,
/// and after what the host does now.
fn is_open(sequence: &Sequence, operation: &Operation) -> bool {
    operation.stream.is_some_and(|stream| sequence.is_open(stream.point))
}

/// Whether the host has waited for it.
fn is_known(sequence: &Sequence, operation: &Operation) -> bool {
    operation.stream.is_none_or(|stream| sequence.is_known(stream.point))
}

fn findings(found: Vec<(Conflict, Mode)>, later: impl FnOnce() -> Operation) -> Option<Vec<Finding>> {
    if found.is_empty() {
        return None;
    }
    let later = Arc::new(later());
    Some(found.into_iter().map(|(conflict, mode)| finding(conflict, mode, &later)).collect())
}

fn finding(found: Conflict, mode: Mode, later: &Arc<Operation>) -> Finding {
    let party = |role, mode, operation: Arc<Operation>| {
        let does = operation.what.verb(mode);
        Party { role, does, detail: None, operation }
    };
    let Conflict { earlier, mode: earlier_mode, addr, len } = found;
    Finding {
        kind: Kind::Race,
        memory: Some((addr, len)),
        parties: vec![party("earlier", earlier_mode, Arc::new(earlier)), party("later", mode, Arc::clone(later))],
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

/// An operation was refused. The host knows that it is complete, and may not know that of what it counts as ordered
/// after.
pub fn refused(sequence: &mut Sequence) {
    sequence.with_kept(|history: &mut History, _| _ = history.shadow());
}

/// The session has ended, and with it all pending work.
pub fn session_ended() {
    sequence::lock().with_kept(|history: &mut History, _| history.forget_all());
}

/// Whether uses of memory were forgotten.
pub fn is_incomplete() -> bool {
    sequence::try_lock().is_some_and(|mut order| order.with_kept(|history: &mut History, _| history.is_incomplete()))
}

#[cfg(test)]
#[path = "races_tests.rs"]
mod tests;
