//! Timeouts of waits: one thread for all of them, and none without such waits.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::algo::thread::serving_thread::ServingThread;
use crate::backend::{Fault, FaultKind, Result};

/// How often the thread checks while it exists; it ends if it was not needed meanwhile.
const LINGER: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });

/// An object with timed waits.
pub(in crate::backend) trait Waiter: Send + Sync + 'static {
    /// The timeout of the wait with this ticket has passed. Called with no lock held; the wait may be complete
    /// meanwhile.
    fn expire(self: Arc<Self>, ticket: u64);
}

/// The timer of a backend's timed waits.
#[derive(Default)]
pub(in crate::backend) struct Timer {
    state: Mutex<State>,
    /// There is an earlier deadline, or the thread must end.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Waiters by deadline and number, each with the ticket of the wait.
    armed: BTreeMap<(Instant, u64), (Weak<dyn Waiter>, u64)>,
    /// Existing timeouts: of waits that are queued or in progress.
    limits: usize,
    /// How many were created so far.
    made: u64,
    /// When the thread checks next; `None`: it is about to, or does not exist.
    wakes: Option<Instant>,
    thread: ServingThread,
}

/// The timeout of one queued wait.
pub(in crate::backend) struct Limit {
    timer: Arc<Timer>,
    number: u64,
    pub(in crate::backend) duration: Duration,
    /// Set when the wait begins.
    deadline: OnceLock<Instant>,
}

impl Timer {
    /// Creates the timeout of a wait that is about to be queued. While one exists the thread exists.
    pub(in crate::backend) fn limit(self: &Arc<Self>, duration: Duration) -> Result<Arc<Limit>> {
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
            if let Some(first) = state.armed.first_entry()
                && first.key().0 <= now
            {
                let (waiter, ticket) = first.remove();
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

    /// The fault of a wait that has timed out.
    pub(in crate::backend) fn fault(limit: Duration) -> Fault {
        let text = format!(
            "the stream waited for an event for {limit:?}, as long as it may, and then went on without it; see what \
             holds up the stream that recorded the event, or allow more"
        );
        Fault::new(FaultKind::WaitTimedOut, text)
    }

    #[cfg(test)]
    pub(in crate::backend) fn has_thread(&self) -> bool {
        self.state.lock().thread.is_there()
    }
}

impl Limit {
    /// The wait, which has this ticket, begins: it expires after its timeout. A second call does not restart the time.
    /// The waiter may hold its private lock.
    pub(in crate::backend) fn arm<W: Waiter>(&self, waiter: &Arc<W>, ticket: u64) {
        let deadline = *self.deadline.get_or_init(|| Instant::now() + self.duration);
        let mut state = self.timer.state.lock();
        state.armed.insert((deadline, self.number), (Arc::<W>::downgrade(waiter), ticket));
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
