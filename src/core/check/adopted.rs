//! What other parts of the library find, in the form of all reports: accesses outside of allocations, leaks, and calls
//! that fail.

use std::sync::Arc;
use std::time::Instant;

use super::is_on;
use super::operation::{Operation, What};
use super::report::{self, Finding, Kind, Party};
use crate::backend;
use crate::core::base::call_site::Stack;
use crate::core::base::config::check::Check;
use crate::core::base::error::{self, Code, Result};
use crate::core::process::leak_check::{self, Leak};

/// Switches on what was selected.
pub fn arm() -> Result<()> {
    if is_on(Check::Bounds) {
        backend::report_damage_by(damage);
    }
    if is_on(Check::Misuse) {
        error::watch::watch_failures(failure);
    }
    if is_on(Check::Leaks) { leak_check::report_by(leak) } else { Ok(()) }
}

/// A report about one operation of the host.
fn report(kind: Kind, what: String, memory: Option<(usize, usize)>, side: Side, fix: &'static str) {
    let Side { role, does, stack, at } = side;
    let operation = Operation::new(what_of(kind), None, stack, &[]).made_at(at);
    report::finding(&Finding {
        kind,
        memory,
        parties: vec![Party { role, does, detail: None, operation: Arc::new(operation) }],
        what: Box::new(move |_| what.clone()),
        fix: Box::new(move |_| fix.to_owned()),
    });
}

struct Side {
    role: &'static str,
    does: &'static str,
    stack: Option<Stack>,
    at: Instant,
}

impl Side {
    fn now(role: &'static str, does: &'static str) -> Self {
        Self { role, does, stack: report::stack(), at: Instant::now() }
    }
}

fn what_of(kind: Kind) -> What {
    if kind == Kind::Leak { What::Allocates } else { What::Calls }
}

fn damage(text: &str, addr: usize, asked: usize) {
    let fix = "to mend it: write no more bytes than were allocated, or allocate more";
    report(Kind::OutOfBounds, text.to_owned(), Some((addr, asked)), Side::now("finder", "finds"), fix);
}

fn leak(leak: &Leak, call: &str) {
    let Leak { what, memory, record, .. } = leak;
    let (stack, at) = match record {
        Some(record) => (Some(record.stack.clone()), record.made),
        None => (None, Instant::now()),
    };
    let what = format!("at {call} {what} is not freed or released");
    let fix = "to mend it: free or destroy it before";
    report(Kind::Leak, what, *memory, Side { role: "allocation", does: "makes", stack, at }, fix);
}

/// Failures that the program causes, and not the device or a lack of memory.
fn failure(call: &str, code: i32, text: &str) {
    const CODES: std::ops::Range<i32> = 100_000..108_000;
    if !CODES.contains(&code) || code == Code::WaitTimeout as i32 {
        return;
    }
    let fix = "to mend it: see the text";
    report(Kind::Misuse, format!("{call} returned {code}: {text}"), None, Side::now("call", "fails"), fix);
}
