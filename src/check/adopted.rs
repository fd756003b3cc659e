//! Reports faults that other parts of the library find, accesses outside of allocations and leaks, and those that
//! libraries over this one find.

use std::sync::Arc;
use std::time::Instant;

use super::operation::{Operation, What};
use super::report::{self, Finding, FindingKind, Party};
use super::{is_on, misuse};
use crate::backend;
use crate::core::base::config::check::Check;
use crate::core::base::error::{self, Result};
use crate::core::base::finding;
use crate::core::process::leak_check::{self, Leak};

/// Switches on the selected checks.
pub(crate) fn arm() -> Result<()> {
    if is_on(Check::Bounds) {
        backend::report_damage_by(damage);
    }
    if is_on(Check::Misuse) {
        error::watch_failures(misuse::failure);
    }
    if is_on(Check::Collectives) {
        finding::report_by(found_by_library);
    }
    if is_on(Check::Leaks) { leak_check::report_by(leak) } else { Ok(()) }
}

pub(super) fn report(kind: FindingKind, what: String, memory: Option<(usize, usize)>, party: Party, fix: String) {
    let found = Finding::new(kind, memory, vec![party], move |_| what.clone(), move |_| fix.clone());
    report::finding(&found);
}

pub(super) fn party(role: &'static str, does: &'static str, operation: Operation) -> Party {
    Party { role, does, detail: None, operation: Arc::new(operation) }
}

/// Returns the call that the thread is making.
pub(super) fn call_now() -> Operation {
    Operation::new(What::Calls, None, report::stack(), &[])
}

fn damage(text: &str, addr: usize, asked: usize) {
    let fix = "to mend it: write only inside of the allocation, or allocate more bytes";
    report(
        FindingKind::OutOfBounds,
        text.to_owned(),
        Some((addr, asked)),
        party("finder", "finds", call_now()),
        fix.to_owned(),
    );
}

fn leak(leak: &Leak, call: &str) {
    let Leak { what, memory, record, .. } = leak;
    let at = record.as_ref().map_or_else(Instant::now, |record| record.made);
    let stack = record.as_ref().map(|record| record.stack.clone());
    let operation = Operation::new(What::Allocates, None, stack, &[]).made_at(at);
    let what = format!("at {call} {what}: not freed or released");
    let fix = format!("to mend it: free or destroy it before {call}");
    report(FindingKind::Leak, what, *memory, party("allocation", "makes", operation), fix);
}

fn found_by_library(found: finding::Finding) {
    let kind = match found.kind {
        finding::FindingKind::Collectives => FindingKind::Collectives,
        finding::FindingKind::LongWait => FindingKind::LongWait,
    };
    let finding::Finding { what, fix, operations, .. } = found;
    let sentences = Finding::new(kind, None, Vec::new(), move |_| what.clone(), move |_| fix.clone());
    report::finding(&Finding { of_others: operations, ..sentences });
}
