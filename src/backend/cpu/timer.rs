//! Time limits of waits: one thread for all of them, and none while nobody waits with a limit.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::queue::Queue;
use crate::backend::{Fault, FaultKind, Result};

/// The thread looks around so often while it is there, and ends when it was not needed meanwhile.
const LINGER: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });

/// The clock of a driver's waits with a limit.
#[derive(Default)]
pub(super) struct Timer {
    state: Mutex<State>,
    /// There is an earlier deadline than the thread knows of, or the end has come.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Streams that wait, by deadline and limit, each with the ticket of the wait.
    armed: BTreeMap<(Instant, u64), (Weak<Queue>, u64)>,
    /// Limits that exist: waits that are queued or under way.
    limits: usize,
    /// How many were ever made.
    made: u64,
    /// When the thread looks around next by itself; none: there is no thread.
    wakes: Option<Instant>,
    handle: Option<JoinHandle<()>>,
    stopping: bool,
}

/// How long one queued wait may take.
pub(super) struct Limit {
    timer: Arc<Timer>,
    number: u64,
    duration: Duration,
    /// Set when the stream comes to the wait.
    deadline: OnceLock<Instant>,
}

impl Timer {
    /// A limit for a wait that is about to be queued. While there is one there is a thread.
    pub(super) fn limit(self: &Arc<Self>, duration: Duration) -> Result<Arc<Limit>> {
        let mut state = self.state.lock();
        let mut ended = None;
        if state.wakes.is_none() {
            let timer = Arc::clone(self);
            let builder = std::thread::Builder::new().name("portacl-timer".to_owned());
            // The new thread waits for the lock first.
            let handle = builder.spawn(move || timer.serve()).map_err(|error| {
                let text = format!("no thread can be started for time limits of waits: {error}");
                Fault::new(FaultKind::OutOfResources, text)
            })?;
            ended = state.handle.replace(handle);
            state.wakes = Some(Instant::now());
        }
        state.limits += 1;
        state.made += 1;
        let number = state.made;
        drop(state);
        if let Some(handle) = ended {
            let _ = handle.join();
        }
        Ok(Arc::new(Limit { timer: Arc::clone(self), number, duration, deadline: OnceLock::new() }))
    }

    fn serve(&self) {
        let mut seen = 0;
        let mut state = self.state.lock();
        while !state.stopping {
            let now = Instant::now();
            let first = state.armed.first_entry();
            if let Some(due) = first.as_ref().map(|entry| entry.key().0 <= now)
                && due
                && let Some((queue, ticket)) = first.map(|entry| entry.remove())
            {
                MutexGuard::unlocked(&mut state, || {
                    if let Some(queue) = queue.upgrade() {
                        queue.expire(ticket);
                    }
                });
                continue;
            }
            let look = now + LINGER;
            let wake = state.armed.first_key_value().map_or(look, |(key, _)| key.0.min(look));
            state.wakes = Some(wake);
            let timed_out = self.changed.wait_until(&mut state, wake).timed_out();
            if timed_out && state.limits == 0 && state.made == seen {
                break;
            }
            seen = state.made;
        }
        state.wakes = None;
    }

    /// Ends the thread; no stream waits any more.
    pub(super) fn stop(&self) {
        let mut state = self.state.lock();
        state.stopping = true;
        let handle = state.handle.take();
        drop(state);
        self.changed.notify_one();
        if let Some(handle) = handle {
            let _ = handle.join();
        }
    }

    #[cfg(test)]
    pub(super) fn has_thread(&self) -> bool {
        self.state.lock().wakes.is_some()
    }
}

impl Limit {
    pub(super) fn duration(&self) -> Duration {
        self.duration
    }

    /// The stream has come to the wait, which has this ticket: when the time is over the wait
    /// expires. Called under the stream's lock, again if the stream was woken for nothing.
    pub(super) fn arm(&self, queue: &Arc<Queue>, ticket: u64) {
        let deadline = *self.deadline.get_or_init(|| Instant::now() + self.duration);
        let mut state = self.timer.state.lock();
        state.armed.insert((deadline, self.number), (Arc::downgrade(queue), ticket));
        let too_late = state.wakes.is_some_and(|wakes| deadline < wakes);
        drop(state);
        if too_late {
            self.timer.changed.notify_one();
        }
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        let mut state = self.timer.state.lock();
        state.limits -= 1;
        if let Some(deadline) = self.deadline.get() {
            state.armed.remove(&(*deadline, self.number));
        }
    }
}
