//! The thread that drives runs of flows, and drops objects that a driver's thread must not drop. The process has one
//! such thread, from the first such run, or change of a task group, until finalize.

use std::collections::VecDeque;
use std::time::Instant;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::algo::thread::serving_thread::ServingThread;
use crate::backend::{Delivery, Ticket};
use crate::base::error::{Code, Result, error_with};

struct CallQueue {
    calls: VecDeque<Box<dyn FnOnce() + Send>>,
    /// The number of calls that were posted, and the number of those that were handled.
    posted: u64,
    answered: u64,
    thread: ServingThread,
}

static STATE: Mutex<CallQueue> =
    Mutex::new(CallQueue { calls: VecDeque::new(), posted: 0, answered: 0, thread: ServingThread::new() });
/// Signalled when there is a call, when the thread must end, and when it has ended.
static CHANGED: Condvar = Condvar::new();

/// Starts the thread if it does not run.
pub fn need() -> Result<()> {
    // The new thread waits for the lock.
    let ended = STATE.lock().thread.need("portacl-graph", serve);
    let why = |error| error_with!(Code::BadAlloc, "no thread can be started for graphs: {error}");
    ended.map_err(why)?.join();
    Ok(())
}

/// Calls `call` on the thread, which drops it too. Without a thread nothing is left to do.
pub(crate) fn post(call: impl FnOnce() + Send + 'static) {
    let call = Box::new(call);
    let mut state = STATE.lock();
    if state.thread.is_there() {
        state.calls.push_back(call);
        state.posted += 1;
        drop(state);
        CHANGED.notify_all();
    }
}

/// A delivery that the thread answers. A driver's thread delivers or drops it, and must not drop a flow.
struct Answered(Option<Box<dyn FnOnce(Option<Ticket>) + Send>>);

/// Creates a delivery. The thread calls `answer`, with the ticket when a stream has reached it, and with none when the
/// stream has dropped it.
pub fn delivery(answer: impl FnOnce(Option<Ticket>) + Send + 'static) -> Box<dyn Delivery> {
    Box::new(Answered(Some(Box::new(answer))))
}

impl Answered {
    fn post(&mut self, ticket: Option<Ticket>) {
        if let Some(answer) = self.0.take() {
            post(move || answer(ticket));
        }
    }
}

impl Delivery for Answered {
    fn deliver(mut self: Box<Self>, ticket: Ticket) {
        self.post(Some(ticket));
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        self.post(None);
    }
}

fn serve() {
    let mut state = STATE.lock();
    loop {
        if let Some(call) = state.calls.pop_front() {
            MutexGuard::unlocked(&mut state, call);
            state.answered += 1;
            CHANGED.notify_all();
        } else if state.thread.is_stopping() {
            state.thread.has_ended();
            CHANGED.notify_all();
            return;
        } else {
            CHANGED.wait(&mut state);
        }
    }
}

/// Waits until the thread has handled all calls so far and dropped their references, which a device that is about to
/// close would miss. The thread waits for no device, so this takes no longer than calls of a backend.
pub fn drain() {
    let mut state = STATE.lock();
    let posted = state.posted;
    while state.thread.is_there() && state.answered < posted {
        CHANGED.wait(&mut state);
    }
}

/// Ends the thread. Returns false if it has not ended by the deadline. No stream accepts work any more.
pub fn stop(deadline: Instant) -> bool {
    let mut state = STATE.lock();
    let errors = state.thread.stop();
    CHANGED.notify_all();
    while state.thread.is_there() {
        if CHANGED.wait_until(&mut state, deadline).timed_out() && state.thread.is_there() {
            return false;
        }
    }
    // Another session may need a thread.
    state.thread = ServingThread::new();
    drop(state);
    errors.join();
    true
}
