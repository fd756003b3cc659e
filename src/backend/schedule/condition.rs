//! The condition that a thread inside a call waits for. The thread that begins a turn checks the conditions of all.

use std::mem::transmute;
use std::time::Instant;

/// What a thread waits for.
pub(super) struct Condition {
    done: &'static (dyn Fn() -> bool + Sync),
    /// Whether it held at the latest check.
    pub holds: bool,
    /// The time at which the wait ends, if nothing else can go on.
    pub deadline: Option<Instant>,
}

impl Condition {
    /// Creates a condition, which `done` checks.
    /// # Safety
    /// The condition is dropped before `done`.
    pub(super) unsafe fn new(done: &(dyn Fn() -> bool + Sync), deadline: Option<Instant>) -> Self {
        // SAFETY: changes the lifetime alone, and the caller keeps `done` for as long as the result.
        let done = unsafe { transmute::<&(dyn Fn() -> bool + Sync), &'static (dyn Fn() -> bool + Sync)>(done) };
        Self { done, holds: false, deadline }
    }

    /// Checks the condition.
    pub(super) fn check(&mut self) {
        self.holds = (self.done)();
    }
}
