//! Finds operations that use the same memory and that nothing orders. Memory is compared by its place
//! (`core/order/places.rs`).

mod history;
mod operations;
mod ranges;
mod shadow;

use std::sync::Arc;

use self::history::History;
use self::shadow::{Conflict, Shadow};
use super::operation::{Operation, Short, What};
use super::report::{self, Finding, FindingKind, Party, Side};
use crate::core::order::accesses::{Access, GraphRun};
use crate::core::order::places;
use crate::core::order::sequence::{self, Point, Sequence};
use crate::core::order::undecided::Pair;

/// The findings of a check, if there are any.
type Found = Option<Vec<Finding>>;

/// Checks an operation that uses memory, and keeps it. `graph`: the graph that it runs. Adds findings to `found`. If
/// one of two operations is behind an open wait, their finding is decided when the wait ends.
pub(crate) fn check(
    sequence: &mut Sequence,
    operation: Operation,
    used: &[Access],
    graph: Option<&Arc<GraphRun>>,
    found: &mut Found,
) {
    if let Some(short) = operation.short().filter(|_| graph.is_none()) {
        return check_short(sequence, &short, used, found);
    }
    let mut history = enter(sequence, operation.what, used);
    check_unlogged(&mut history, sequence, operation, used, graph, found);
    leave(sequence, history);
}

/// Checks an operation in short form, as most are, and keeps it. Adds findings to `found`.
#[inline(always)]
pub(crate) fn check_short(sequence: &mut Sequence, short: &Short, used: &[Access], found: &mut Found) {
    let mut history = enter(sequence, short.what, used);
    // Most operations are ordered after all that is pending, so that nothing conflicts with them.
    match is_ordered(&history, sequence, short.stream.point) {
        true => history.log(short, used),
        false => check_unlogged(&mut history, sequence, (*short).into(), used, None, found),
    }
    leave(sequence, history);
}

/// Takes the history from the sequence, before an operation on memory.
#[inline(always)]
fn enter(sequence: &mut Sequence, what: What, used: &[Access]) -> Box<History> {
    let mut history: Box<History> = sequence.take_kept();
    history.enter(sequence.era());
    match (what, used) {
        (What::Allocates, [memory]) => history.shadow.note_live(memory.end - memory.addr, 0),
        (What::Frees, [memory]) => history.shadow.note_live(0, memory.end - memory.addr),
        (What::Allocates | What::Frees | What::Accesses(_) | What::Closes, _)
        | (What::Waits | What::Calls | What::Touches, _) => {}
    }
    history
}

#[inline(always)]
fn leave(sequence: &mut Sequence, mut history: Box<History>) {
    history.sweep_if_many(|earlier| sequence.is_known(earlier));
    sequence.keep(history);
}

/// Returns the finding if it is to be reported now. Otherwise adds it to the undecided pairs.
fn decide(history: &mut History, sequence: &mut Sequence, finding: Finding) -> Option<Finding> {
    let [earlier, later] = finding.parties.as_slice() else { return Some(finding) };
    let [earlier, later] = [&earlier.operation, &later.operation];
    // A later use of memory is never ordered before its allocation, and an earlier use never after its release.
    let may_swap = earlier.what != What::Allocates && !matches!(later.what, What::Frees | What::Closes);
    // The host's operations are complete when they return.
    let (Some(earlier), Some(later)) = (earlier.point(), later.point()) else { return Some(finding) };
    let is_undecided = sequence.waits(later) || may_swap && sequence.waits(earlier);
    if !is_undecided {
        return Some(finding);
    }
    let (memory, report) = (finding.memory, Box::new(move || report::finding(&finding)));
    if !sequence.decide_later(Pair { earlier, later, memory, may_swap, report }) {
        // There is no room for the pair, so a report may be missing.
        history.shadow.is_incomplete = true;
    }
    None
}

fn check_unlogged(
    history: &mut History,
    sequence: &mut Sequence,
    operation: Operation,
    used: &[Access],
    graph: Option<&Arc<GraphRun>>,
    found: &mut Found,
) {
    let all = check_in(history, sequence, operation, used, graph).into_iter().flatten();
    found.get_or_insert_default().extend(all.filter_map(|finding| decide(history, sequence, finding)));
}

fn check_in(
    history: &mut History,
    sequence: &Sequence,
    operation: Operation,
    used: &[Access],
    graph: Option<&Arc<GraphRun>>,
) -> Found {
    match operation.point() {
        None => check_host(history, sequence, &operation, used),
        Some(point) if is_ordered(history, sequence, point) => {
            history.add_ordered(operation, used, graph);
            None
        }
        Some(point) => check_unordered(history.shadow(), sequence, point, operation, used, graph),
    }
}

/// Whether an operation at this point, the latest one submitted, is ordered after all that is pending, and before all
/// that is still to be submitted in its stream.
#[inline(always)]
fn is_ordered(history: &History, sequence: &Sequence, point: Point) -> bool {
    history.is_ordered(|earlier| sequence.is_before(earlier, point)) && !sequence.is_open(point)
}

/// Checks and keeps an operation that is not ordered after all that is pending.
fn check_unordered(
    shadow: &mut Shadow,
    sequence: &Sequence,
    point: Point,
    operation: Operation,
    used: &[Access],
    graph: Option<&Arc<GraphRun>>,
) -> Found {
    let is_open = |earlier: &Operation| is_open(sequence, earlier);
    let is_before = |earlier: &Operation| {
        let is_ordered = |earlier| sequence.is_before(earlier, point) || sequence.is_dropped(earlier);
        earlier.point().is_none_or(is_ordered)
    };
    let allocates = operation.what == What::Allocates;
    let by = shadow.begin(operation);
    if allocates {
        used.iter().for_each(|memory| shadow.begin_memory(memory, by));
        return None;
    }
    let mut found = Vec::new();
    if let Some(graph) = graph {
        if !shadow.are_all(is_before) {
            found.extend(used.iter().flat_map(|access| shadow.check(access, is_before, is_open)));
        }
        shadow.add_run(graph, by, is_open);
    }
    for access in used.iter().filter(|_| graph.is_none()) {
        // Most programs use the same ranges again, or bytes that nothing uses.
        if !shadow.add_known(access, by, is_before, is_open) {
            found.extend(shadow.check(access, is_before, is_open));
            shadow.add(access, by, is_open);
        }
    }
    findings(found, || shadow.operation(by).clone())
}

/// Checks an operation of the host. It is complete before anything else begins. So only allocations and releases are
/// kept, because they end the earlier uses of their memory.
fn check_host(history: &mut History, sequence: &Sequence, operation: &Operation, used: &[Access]) -> Found {
    let mut found = Vec::new();
    if operation.what != What::Allocates && !history.is_ordered(|earlier| sequence.is_known(earlier)) {
        let is_open = |earlier: &Operation| is_open(sequence, earlier);
        let is_before = |earlier: &Operation| {
            // The host has waited for the earlier operation.
            earlier.point().is_none_or(|point| sequence.is_known(point))
                || match operation.what {
                    // The memory that the host frees is allocated already, and nothing may use it later.
                    What::Frees | What::Closes => earlier.what == What::Allocates,
                    What::Accesses(_) | What::Allocates | What::Waits | What::Calls | What::Touches => is_open(earlier),
                }
        };
        let shadow = history.checked();
        found.extend(used.iter().flat_map(|access| shadow.check(access, is_before, is_open)));
    }
    if matches!(operation.what, What::Allocates | What::Frees) {
        used.iter().for_each(|memory| history.forget(operation.what, memory));
    }
    findings(found, || operation.clone())
}

/// Whether the operation waits for something that is still to be submitted. Then it may be ordered after all that was
/// submitted so far, and after what the host does now.
fn is_open(sequence: &Sequence, operation: &Operation) -> bool {
    operation.point().is_some_and(|point| sequence.is_open(point))
}

fn findings(found: Vec<Conflict>, later: impl FnOnce() -> Operation) -> Found {
    if found.is_empty() {
        return None;
    }
    let later = Arc::new(later());
    Some(found.into_iter().map(|conflict| finding(conflict, &later)).collect())
}

fn finding(found: Conflict, later: &Arc<Operation>) -> Finding {
    let party = |role, mode, operation: Arc<Operation>| {
        let does = operation.what.verb(mode);
        Party { role, does, detail: None, operation }
    };
    let Conflict { earlier, mode, later_mode, addr, len } = found;
    // Reports have addresses: of the lowest one, the report names the others.
    let addr = places::addresses(addr).first().copied().unwrap_or(addr);
    let parties = vec![party("earlier", mode, Arc::new(earlier)), party("later", later_mode, Arc::clone(later))];
    Finding::new(FindingKind::Race, Some((addr, len)), parties, what, fix)
}

fn what(sides: &[Side]) -> String {
    let [earlier, later] = sides else { return String::new() };
    format!(
        "{} {} memory that {} {}, and nothing orders one after the other",
        later.call, later.does, earlier.call, earlier.does
    )
}

/// Returns what the program can do.
fn fix(sides: &[Side]) -> String {
    let [earlier, later] = sides else { return String::new() };
    let (before, after) = (&earlier.call, &later.call);
    let stream = earlier.stream_name.as_deref().unwrap_or_default();
    let Some(other) = &later.stream_name else {
        return format!("to order them: call aclrtSynchronizeStream for {stream} between {before} and {after}");
    };
    format!(
        "to order them: record an event in {stream} after {before} (aclrtRecordEvent) and let {other} wait for it \
         before {after} (aclrtStreamWaitEvent), or call aclrtSynchronizeStream for the first stream between the two \
         calls"
    )
}

/// Called when an operation was refused. The host knows it to be complete, but perhaps not the operations that it is
/// ordered after. So the log can no longer be used.
pub(crate) fn refused(sequence: &mut Sequence) {
    sequence.with_kept(|history: &mut History| _ = history.shadow());
}

/// Called when the session has ended, and with it all pending work.
pub(crate) fn session_ended() {
    sequence::lock().with_kept(|history: &mut History| history.forget_all());
}

/// Whether uses of memory were forgotten.
pub(crate) fn is_incomplete() -> bool {
    sequence::try_lock().is_some_and(|mut order| order.with_kept(|history: &mut History| history.shadow.is_incomplete))
}

#[cfg(test)]
#[path = "races_tests.rs"]
mod tests;
