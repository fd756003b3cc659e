//! Implements waits for events with a timeout, which the driver does not have.
//!
//! The stream waits for its word, as after a host function. Once it does, a thread queries the event. The first of that
//! thread and the watcher ends the stream's wait. A stream of the library that waited for the event could stand behind
//! other work in a hardware queue, so that the wait would end too late.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::event::Recorded;
use super::host_fn::{self, Arrival};
use crate::algo::thread::pause::Backoff;
use crate::algo::thread::serving_thread::ServingThread;
use crate::backend::stream::watch::{Expected, Watched};
use crate::backend::{Fault, Position, Result, thread_number};
use crate::stream::state::StreamState;

/// A wait that is pending or has begun.
pub(crate) struct TimedWait {
    stream: Arc<StreamState>,
    awaited: Arc<Recorded>,
    thread: u32,
    /// The timeout, and the stream's arrival while it waits: it continues when that is dropped. `None`: the record is
    /// complete, or the timeout has passed.
    pending: Mutex<Option<(Watched, Option<Arrival>)>>,
}

impl TimedWait {
    /// Begins the wait when the stream reaches it.
    fn begin(self: Arc<Self>, arrival: Arrival) {
        if let Some((limit, place)) = &mut *self.pending.lock() {
            let waiting = Arc::downgrade(&self);
            limit.begin_limit(Box::new(move |outcome| {
                let (Err(fault), Some(waiting)) = (outcome, waiting.upgrade()) else { return };
                let driver = Arc::clone(&waiting.stream.device.driver);
                // This runs on a worker, because a driver may hold up the query of the event, and the watcher has other
                // waits.
                if let Err(job) = driver.workers.start(Box::new(move || waiting.expire(fault))) {
                    job();
                }
            }));
            *place = Some(arrival);
        }
        let poller = Arc::clone(&self.stream.device.driver.poller);
        poller.add(self);
    }

    /// Ends the wait if the record is complete. Returns whether it has ended.
    fn end_if_complete(&self) -> bool {
        if self.pending.lock().is_some() && !self.awaited.is_over() {
            return false;
        }
        drop(self.take());
        true
    }

    /// Ends the wait. The caller drops the result without a lock, because the limit and the arrival take locks
    /// themselves.
    fn take(&self) -> Option<(Watched, Option<Arrival>)> {
        self.pending.lock().take()
    }

    /// Ends the wait because the timeout has passed.
    fn expire(&self, fault: Fault) {
        // The time starts when the stream reaches the wait, so the stream waits or has continued.
        let Some((_limit, Some(arrival))) = self.take() else { return };
        // The last query may be a while ago.
        let is_complete = self.stream.device.keep_open().is_some_and(|_open| self.awaited.is_complete() == Ok(true));
        if !is_complete {
            arrival.fail(&self.stream, fault, self.thread);
        }
    }
}

/// The thread that queries the events of waits that have begun.
#[derive(Default)]
pub(crate) struct Poller {
    state: Mutex<Polled>,
    /// Notified when a wait has begun, or when the thread must end.
    changed: Condvar,
}

#[derive(Default)]
struct Polled {
    begun: Vec<Arc<TimedWait>>,
    thread: ServingThread,
}

impl Poller {
    /// Starts the thread if it does not run.
    fn need(self: &Arc<Self>) -> Result<()> {
        let serving = Arc::clone(self);
        let ended = self.state.lock().thread.need("portacl-events", move || serving.serve());
        ended.map_err(|error| Fault::no_thread("that queries events", &error))?.join();
        Ok(())
    }

    /// Adds a wait that has begun. The thread runs.
    fn add(&self, wait: Arc<TimedWait>) {
        self.state.lock().begun.push(wait);
        self.changed.notify_one();
    }

    fn serve(&self) {
        let (mut waits, mut pauses) = (Vec::<Arc<TimedWait>>::new(), Backoff::default());
        let mut state = self.state.lock();
        while !state.thread.is_stopping() {
            if !state.begun.is_empty() {
                waits.append(&mut state.begun);
                pauses = Backoff::default();
            }
            // Without the lock, which callbacks of the driver take: a driver may hold up the queries.
            MutexGuard::unlocked(&mut state, || waits.retain(|wait| !wait.end_if_complete()));
            if !state.begun.is_empty() || state.thread.is_stopping() {
                continue;
            }
            if waits.is_empty() {
                self.changed.wait(&mut state);
            } else {
                self.changed.wait_for(&mut state, pauses.length());
            }
        }
        state.thread.has_ended();
        drop(state);
    }

    /// Ends the thread.
    pub(crate) fn stop(&self) {
        let ending = self.state.lock().thread.stop();
        self.changed.notify_one();
        ending.join();
    }
}

/// Enqueues a wait of `stream` for a record, for at most `limit`.
pub(crate) fn queue(stream: &Arc<StreamState>, awaited: Arc<Recorded>, limit: Duration) -> Result<Position> {
    let device = &stream.device;
    device.require_words(
        "waits for events have no timeout; wait without a timeout, and bound the wait of the host with \
         aclrtSynchronizeStreamWithTimeout",
    )?;
    let limit = Watched::new(&device.driver.watcher, Expected::Event(limit))?;
    let wait = Arc::new(TimedWait {
        stream: Arc::clone(stream),
        awaited,
        thread: thread_number(),
        pending: Mutex::new(Some((limit, None))),
    });
    device.driver.poller.need()?;
    let arriving = Arc::clone(&wait);
    // A stream may reach a wait that the driver has refused in the middle, but does not wait.
    host_fn::deliver(stream, move |arrival| arriving.begin(arrival)).inspect_err(|_| drop(wait.take()))
}
