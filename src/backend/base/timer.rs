//! Timeouts of waits: one thread for all of them, and none without such waits.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::algo::thread::serving_thread::ServingThread;
use crate::backend::{Fault, FaultKind, Result};

/// The thread looks around so often while it is there, and ends when it was not needed meanwhile.
const LINGER: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });

/// Something that waits with a limit.
pub(in crate::backend) trait Waiter: Send + Sync + 'static {
    /// The time of the wait with this ticket is over. Called with no lock held; the wait may have
    /// ended meanwhile.
    fn expire(self: &Arc<Self>, ticket: u64);
}

/// The clock of a backend's waits with a limit.
pub(in crate::backend) struct Timer<W> {
    state: Mutex<State<W>>,
    /// There is an earlier deadline than the thread knows of, or the end has come.
    changed: Condvar,
}

struct State<W> {
    /// Who waits, by deadline and limit, each with the ticket of the wait.
    armed: BTreeMap<(Instant, u64), (Weak<W>, u64)>,
    /// Existing timeouts: of waits that are queued or in progress.
    limits: usize,
    /// How many were ever made.
    made: u64,
    /// When the thread looks around next by itself; none: it is about to, or there is none.
    wakes: Option<Instant>,
    thread: ServingThread,
}

/// How long one queued wait may take.
pub(in crate::backend) struct Limit<W> {
    timer: Arc<Timer<W>>,
    number: u64,
    duration: Duration,
    /// Set when the wait begins.
    deadline: OnceLock<Instant>,
}

impl<W> Default for Timer<W> {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                armed: BTreeMap::new(),
                limits: 0,
                made: 0,
                wakes: None,
                thread: ServingThread::default(),
            }),
            changed: Condvar::new(),
        }
    }
}

impl<W: Waiter> Timer<W> {
    /// A limit for a wait that is about to be queued. While there is one there is a thread.
    pub(in crate::backend) fn limit(self: &Arc<Self>, duration: Duration) -> Result<Arc<Limit<W>>> {
        let mut state = self.state.lock();
        let timer = Arc::clone(self);
        let ended = state.thread.need("portacl-timer", move || timer.serve());
        let ended = ended.map_err(|error| Fault::no_thread("for time limits of waits", &error))?;
        state.limits += 1;
        state.made += 1;
        let number = state.made;
        drop(state);
        ended.join();
        Ok(Arc::new(Limit { timer: Arc::clone(self), number, duration, deadline: OnceLock::new() }))
    }

    fn serve(&self) {
        let mut seen = 0;
        let mut state = self.state.lock();
        while !state.thread.is_stopping() {
            let now = Instant::now();
            let first = state.armed.first_entry();
            if let Some(due) = first.as_ref().map(|entry| entry.key().0 <= now)
                && due
                && let Some((waiter, ticket)) = first.map(|entry| entry.remove())
            {
                MutexGuard::unlocked(&mut state, || {
                    if let Some(waiter) = waiter.upgrade() {
                        waiter.expire(ticket);
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
        state.thread.has_ended();
    }

    /// Ends the thread; there are no waits any more.
    pub(in crate::backend) fn stop(&self) {
        let mut state = self.state.lock();
        let ending = state.thread.stop();
        drop(state);
        self.changed.notify_one();
        ending.join();
    }

    /// What a wait that took too long says of itself.
    pub(in crate::backend) fn fault(limit: Duration) -> Fault {
        Fault::new(
            FaultKind::WaitTimedOut,
            format!(
                "the stream waited for an event for {limit:?}, as long as it may, and then went on \
                 without it; see what holds up the stream that recorded the event, or allow more"
            ),
        )
    }

    #[cfg(test)]
    pub(in crate::backend) fn has_thread(&self) -> bool {
        self.state.lock().thread.is_there()
    }
}

impl<W> Limit<W> {
    pub(in crate::backend) fn duration(&self) -> Duration {
        self.duration
    }

    /// The wait, which has this ticket, begins: when its time is over it expires. Called again, it
    /// goes on. The waiter may hold its own lock.
    pub(in crate::backend) fn arm(&self, waiter: &Arc<W>, ticket: u64) {
        let deadline = *self.deadline.get_or_init(|| Instant::now() + self.duration);
        let mut state = self.timer.state.lock();
        state.armed.insert((deadline, self.number), (Arc::downgrade(waiter), ticket));
        let too_late = state.wakes.is_some_and(|wakes| deadline < wakes);
        drop(state);
        if too_late {
            self.timer.changed.notify_one();
        }
    }
}

impl<W> Drop for Limit<W> {
    fn drop(&mut self) {
        let mut state = self.timer.state.lock();
        state.limits -= 1;
        if let Some(deadline) = self.deadline.get() {
            state.armed.remove(&(*deadline, self.number));
        }
    }
}
