//! Reports faults that other parts of the library find: accesses outside of allocations, leaks, and calls that fail.

use std::sync::Arc;
use std::time::Instant;

use super::is_on;
use super::operation::{Operation, What};
use super::report::{self, Finding, Kind, Party};
use crate::backend;
use crate::core::base::config::check::Check;
use crate::core::base::error::{self, Code, Result};
use crate::core::process::leak_check::{self, Leak};

/// Switches on the selected checks.
pub fn arm() -> Result<()> {
    if is_on(Check::Bounds) {
        backend::report_damage_by(damage);
    }
    if is_on(Check::Misuse) {
        error::watch_failures(failure);
    }
    if is_on(Check::Leaks) { leak_check::report_by(leak) } else { Ok(()) }
}

fn report(kind: Kind, what: String, memory: Option<(usize, usize)>, party: Party, fix: &'static str) {
    let found = Finding::new(kind, memory, vec![party], move |_| what.clone(), move |_| fix.to_owned());
    report::finding(&found);
}

fn party(role: &'static str, does: &'static str, operation: Operation) -> Party {
    Party { role, does, detail: None, operation: Arc::new(operation) }
}

/// Returns the call that the thread is making.
fn call_now() -> Operation {
    Operation::new(What::Calls, None, report::stack(), &[])
}

fn damage(text: &str, addr: usize, asked: usize) {
    let fix = "to mend it: write no more bytes than were allocated, or allocate more";
    report(Kind::OutOfBounds, text.to_owned(), Some((addr, asked)), party("finder", "finds", call_now()), fix);
}

fn leak(leak: &Leak, call: &str) {
    let Leak { what, memory, record, .. } = leak;
    let at = record.as_ref().map_or_else(Instant::now, |record| record.made);
    let stack = record.as_ref().map(|record| record.stack.clone());
    let operation = Operation::new(What::Allocates, None, stack, &[]).made_at(at);
    let what = format!("at {call} {what} is not freed or released");
    let fix = "to mend it: free or destroy it before";
    report(Kind::Leak, what, *memory, party("allocation", "makes", operation), fix);
}

/// Reports a failure that the program causes, and not the device or a lack of memory.
fn failure(call: &str, code: i32, text: &str) {
    const CODES: std::ops::Range<i32> = 100_000..108_000;
    if !CODES.contains(&code) || code == Code::WaitTimeout as i32 {
        return;
    }
    let fix = "to mend it: see the text";
    report(Kind::Misuse, format!("{call} returned {code}: {text}"), None, party("call", "fails", call_now()), fix);
}
