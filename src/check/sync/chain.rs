//! Chains of waits: who waits for whom.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::pending::{At, Pending, Stop, Why};
use crate::core::order::sequence::{self, Point};
use crate::operation::Operation;
use crate::report::Party;

/// The end of a chain of waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing that was submitted records the notify.
    NoRecord,
    /// Nothing that was submitted writes the value.
    NoWrite,
    /// The chain ends with an operation that it contains already.
    Cycle,
    /// The chain ends in a function of the program.
    Function,
    /// The chain ends with a callback or a graph.
    HandedOver,
}

impl End {
    /// Returns what the program can do.
    pub(super) fn fix(self) -> &'static str {
        match self {
            Self::NoRecord => {
                "to end it: in another stream, record the notify (aclrtRecordNotify), the event (aclrtRecordEvent) or \
                 the counted notify (aclrtCntNotifyRecord with a count that ends the wait)"
            }
            Self::NoWrite => "to end it: write the value in another stream (aclrtValueWrite), or from the host",
            Self::Cycle => "to end it: in one of the streams, submit the record (or the write) before the wait",
            Self::Function => {
                "to end it: let the function return. It must not wait for its own stream, or for a thread that waits \
                 for this stream"
            }
            Self::HandedOver => {
                "to end it: for a callback, call aclrtProcessReport (or aclrtProcessHostFunc) in the thread that is \
                 subscribed to the stream; for a graph, record the notify or event, or write the value, for which one \
                 of its tasks waits"
            }
        }
    }
}

/// Creates the entry of an operation of a chain.
fn link(operation: &Arc<Operation>, does: &'static str, detail: &'static str) -> Party {
    Party { role: "link", does, detail: Some(detail), operation: Arc::clone(operation) }
}

fn link_of(stop: &Stop, end: Option<End>) -> Party {
    let (does, detail) = match (&stop.why, end) {
        (Why::Record(_), _) => {
            ("waits", "waits for an event whose record is enqueued after another operation of this list")
        }
        (Why::Carrier(..), Some(End::NoRecord)) => {
            ("waits", "waits for a notify or an event that nothing records in this process")
        }
        (Why::Carrier(..), Some(End::NoWrite)) => ("waits", "waits for a value that nothing writes in this process"),
        (Why::Carrier(_, sequence::WaitCondition::Value(_)), _) => {
            ("waits", "waits for a value that another operation of this list writes")
        }
        (Why::Carrier(..), _) => {
            ("waits", "waits for a notify or an event that another operation of this list records")
        }
        (Why::Function(_), _) => ("calls", "calls a function of the program, which has not returned"),
        (Why::HandedOver, _) => ("waits", "waits for a callback that a thread must run, or for a graph"),
    };
    link(&stop.operation, does, detail)
}

/// Returns the chain that begins with a stream, which the host awaits up to the operation `at`. `None`: the stream
/// still works. `is_open` returns whether nothing that was submitted ends a wait.
pub(super) fn of(pending: &Pending, mut at: At, is_open: impl Fn(Point) -> bool) -> Option<(Vec<Party>, End)> {
    let mut links: Vec<Party> = Vec::new();
    loop {
        let stop = pending.stop_before(at)?;
        if links.iter().any(|link| Arc::ptr_eq(&link.operation, &stop.operation)) {
            return Some((links, End::Cycle));
        }
        let end = match &stop.why {
            Why::Function(is_running) => is_running.load(Ordering::Acquire).then_some(End::Function)?,
            Why::HandedOver => End::HandedOver,
            Why::Record(record) => {
                links.push(link_of(stop, None));
                at = *record;
                continue;
            }
            Why::Carrier(key, awaited) => match pending.setter_of(*key, awaited) {
                Some(setter) => {
                    links.push(link_of(stop, None));
                    links.push(link(&setter.operation, "sets", "is enqueued after another operation of this list"));
                    at = setter.at;
                    continue;
                }
                // What ends the wait has run. The stream has not reached the wait, or is about to continue.
                None if !stop.operation.point().is_some_and(is_open) => return None,
                None if matches!(awaited, sequence::WaitCondition::Value(_)) => End::NoWrite,
                None => End::NoRecord,
            },
        };
        links.push(link_of(stop, Some(end)));
        return Some((links, end));
    }
}
