//! Runs work that needs more stack than a thread of the program may have.

use std::thread::{Builder, ScopedJoinHandle, scope};

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
    scope(|threads| {
        let stack = thread_attributes::stack().max(2 * NEEDED);
        let builder = Builder::new().name("portacl-names".to_owned()).stack_size(stack);
        let quiet = quiet_thread::Blocked::all();
        let thread = builder.spawn_scoped(threads, || result = work.take().map(|work| work()));
        drop(quiet);
        // A panic has been reported, and leaves no result.
        let _ = thread.map(ScopedJoinHandle::join);
    });
    result.unwrap_or_else(|| work.expect("work on a stack of its own has panicked")())
}

#[cfg(test)]
#[path = "deep_stack_tests.rs"]
mod tests;
