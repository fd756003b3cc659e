//! Runs work that needs more stack than a thread of the program may have.

use super::{quiet_thread, thread_attributes};

/// The least number of bytes of stack for such work. Names of functions are parsed recursively.
const NEEDED: usize = 1 << 20;

/// Runs `work` and waits for it: on this thread if there is enough stack left, otherwise on a new thread. If no thread
/// can be created, runs it here all the same.
pub fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if thread_attributes::stack_left() >= NEEDED {
        return work();
    }
    let mut work = Some(work);
    let mut result = None;
    let stack = thread_attributes::stack().max(2 * NEEDED);
    // A panic has been reported, and leaves no result.
    let _ = quiet_thread::run("portacl-names", stack, || result = work.take().map(|work| work()));
    result.unwrap_or_else(|| work.expect("work on a stack of its own has panicked")())
}

#[cfg(test)]
#[path = "deep_stack_tests.rs"]
mod tests;
