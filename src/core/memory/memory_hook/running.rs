//! The threads that are inside a hook's callbacks, and the wait for them to leave.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::backend;
use crate::base::callback::wait::{CallbackSource, Circle, Wait};
use crate::stream::report;

/// Longest wait of a thread for which others may wait in ways that are not tracked: inside a host function, or with
/// callbacks of streams to run.
const PATIENCE: Duration = Duration::from_secs(2);

/// The threads that run callbacks of a hook.
#[derive(Default)]
pub(super) struct Running {
    state: Mutex<Callers>,
    left: Condvar,
}

#[derive(Default)]
struct Callers {
    /// The threads. A thread is listed once for each nested callback.
    threads: Vec<u64>,
    /// True if no new callback may begin.
    ended: bool,
}

/// The reason why a wait ended early: the hook is no longer called, but callbacks of it still run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stuck {
    /// A thread inside the hook waits for a callback that the calling thread is inside of.
    Circle,
    /// The calling thread is inside a host function.
    HostFunction,
    /// The calling thread must run this many callbacks, by this call.
    Reports(usize, &'static str),
}

impl Running {
    /// Notes that `thread` begins a callback. Returns false if it may not.
    pub(super) fn enter(&self, thread: u64) -> bool {
        let mut state = self.state.lock();
        if !state.ended {
            state.threads.push(thread);
        }
        !state.ended
    }

    /// Notes that `thread` has ended a callback.
    pub(super) fn leave(&self, thread: u64) {
        let mut state = self.state.lock();
        if let Some(place) = state.threads.iter().position(|other| *other == thread) {
            state.threads.swap_remove(place);
        }
        drop(state);
        self.left.notify_all();
    }

    /// Lets no new callback begin.
    pub(super) fn end(&self) {
        self.state.lock().ended = true;
    }

    /// Lets no new callback begin, and waits for the running ones, except those of `thread`, which is the calling
    /// thread.
    pub(super) fn end_and_wait(self: &Arc<Self>, thread: u64) -> Result<(), Stuck> {
        self.end();
        let for_: Arc<dyn CallbackSource> = self.clone();
        let _wait = Wait::begin(thread, for_).map_err(|Circle| Stuck::Circle)?;
        let mut was_awaited = awaited_by_others().is_some();
        let mut look = Instant::now() + PATIENCE;
        let mut state = self.state.lock();
        while state.threads.iter().any(|other| *other != thread) {
            if !self.left.wait_until(&mut state, look).timed_out() {
                continue;
            }
            let awaited = MutexGuard::unlocked(&mut state, awaited_by_others);
            look = Instant::now() + PATIENCE;
            match awaited {
                Some(stuck) if was_awaited && state.threads.iter().any(|other| *other != thread) => return Err(stuck),
                other => was_awaited = other.is_some(),
            }
        }
        Ok(())
    }
}

/// Returns why another thread may wait for the calling one, if it may.
fn awaited_by_others() -> Option<Stuck> {
    if backend::inside_host_function() {
        return Some(Stuck::HostFunction);
    }
    report::pending_here(&|_, _| false).map(|(count, process)| Stuck::Reports(count, process))
}

impl CallbackSource for Running {
    fn threads(&self) -> Vec<u64> {
        self.state.lock().threads.clone()
    }
}

#[cfg(test)]
#[path = "running_tests.rs"]
mod tests;
