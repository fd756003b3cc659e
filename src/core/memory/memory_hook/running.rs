//! Which threads are inside a hook's callbacks, and the wait for them to leave.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::backend;
use crate::core::base::callback::wait::{Awaited, Circle, Wait};
use crate::core::stream::report;

/// How long a thread waits that others may wait for in ways that are not known here: inside a host function, and with
/// callbacks of streams to run.
const PATIENCE: Duration = Duration::from_secs(2);

/// Who runs the callbacks of a hook.
#[derive(Default)]
pub struct Running {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    /// The threads, one as often as it is inside.
    threads: Vec<u64>,
    /// No callback begins any more.
    ended: bool,
}

/// Why a wait was given up: the hook is called no more, but callbacks of it still run.
#[derive(Debug, PartialEq, Eq)]
pub enum Stuck {
    /// A thread inside of it waits for a callback that the calling thread is inside of.
    Circle,
    /// The calling thread is inside a host function.
    HostFunction,
    /// The calling thread has so many callbacks to run by this call.
    Reports(usize, &'static str),
}

impl Running {
    /// `thread` begins a callback; false: it may not.
    pub fn enter(&self, thread: u64) -> bool {
        let mut state = self.state.lock();
        if !state.ended {
            state.threads.push(thread);
        }
        !state.ended
    }

    /// `thread` has ended a callback.
    pub fn leave(&self, thread: u64) {
        let mut state = self.state.lock();
        if let Some(place) = state.threads.iter().position(|other| *other == thread) {
            state.threads.swap_remove(place);
        }
        drop(state);
        self.left.notify_all();
    }

    /// No callback begins any more.
    pub fn end(&self) {
        self.state.lock().ended = true;
    }

    /// As [`Self::end`], and waits for the callbacks that run, but for those of `thread`, which is the calling one.
    pub fn end_and_wait(self: &Arc<Self>, thread: u64) -> Result<(), Stuck> {
        self.end();
        let for_: Arc<dyn Awaited> = self.clone();
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
                Some(stuck)
                    if was_awaited && state.threads.iter().any(|other| *other != thread) =>
                {
                    return Err(stuck);
                }
                other => was_awaited = other.is_some(),
            }
        }
        Ok(())
    }
}

/// What may wait for the calling thread.
fn awaited_by_others() -> Option<Stuck> {
    if backend::inside_host_function() {
        return Some(Stuck::HostFunction);
    }
    report::pending_here(&|_, _| false).map(|(count, process)| Stuck::Reports(count, process))
}

impl Awaited for Running {
    fn threads(&self) -> Vec<u64> {
        self.state.lock().threads.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_says_how_long_a_wait_is() {
        let text = include_str!("../../../../docs/callbacks.md");
        let wait = format!("fails after {} seconds (107000)", PATIENCE.as_secs());
        let longest = format!(
            "fails after {0} to {1} seconds (107000)",
            PATIENCE.as_secs(),
            2 * PATIENCE.as_secs()
        );
        assert!(text.contains(&wait) && text.contains(&longest), "docs/callbacks.md");
    }

    #[test]
    fn a_hook_that_has_ended_is_not_entered() {
        let running = Arc::new(Running::default());
        assert!(running.enter(1) && running.enter(1));
        running.end_and_wait(1).expect("only the caller is inside");
        assert!(!running.enter(2));
        running.leave(1);
        assert_eq!(running.threads(), [1]);
    }
}
