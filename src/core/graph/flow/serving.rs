//! The thread that drives runs of flows, and drops objects that a driver's thread must not drop: one for the process,
//! from the first such run, or change of a task group, until finalize.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::Flow;
use crate::algo::thread::serving_thread::ServingThread;
use crate::backend::Ticket;
use crate::core::base::error::{Code, Result, error_with};
use crate::core::graph::task::group::Group;

/// A message to the thread.
pub enum Call {
    /// A stream has reached a run.
    Arrived {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        number: u64,
        /// The ticket that the stream waits for.
        ticket: Ticket,
    },
    /// A stream has dropped a run that it had not reached.
    GivenUp {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        number: u64,
    },
    /// A strand's stream has handed over.
    Returned {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        strand: usize,
        /// The number of the hand-over.
        number: u64,
    },
    /// The stream of a run has dropped its work: a ticket that keeps freed memory mapped until the run has ended.
    Kept {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        number: u64,
        /// Dropped when the run has ended.
        ticket: Ticket,
    },
    /// Checks whether runs must end.
    Look {
        /// Of this flow.
        flow: Arc<Flow>,
    },
    /// A stream has reached a change of a task group.
    Replaced {
        /// The group, whose last reference this may be.
        group: Arc<Group>,
    },
}

struct State {
    calls: VecDeque<Call>,
    /// How many were posted, and how many of them were handled.
    posted: u64,
    answered: u64,
    thread: ServingThread,
}

static STATE: Mutex<State> =
    Mutex::new(State { calls: VecDeque::new(), posted: 0, answered: 0, thread: ServingThread::new() });
/// There is a message, the thread must end, or it has ended.
static CHANGED: Condvar = Condvar::new();

/// Starts the thread if it does not run.
pub fn need() -> Result<()> {
    // The new thread waits for the lock.
    let ended = STATE
        .lock()
        .thread
        .need("portacl-graph", serve)
        .map_err(|error| error_with!(Code::BadAlloc, "no thread can be started for runs of graphs: {error}"))?;
    ended.join();
    Ok(())
}

/// Sends a message to the thread. Without a thread nothing is left to do.
pub fn post(call: Call) {
    let mut state = STATE.lock();
    if state.thread.is_there() {
        state.calls.push_back(call);
        state.posted += 1;
        drop(state);
        CHANGED.notify_all();
    }
}

fn serve() {
    let mut state = STATE.lock();
    loop {
        if let Some(call) = state.calls.pop_front() {
            MutexGuard::unlocked(&mut state, || answer(call));
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

fn answer(call: Call) {
    match call {
        Call::Arrived { flow, number, ticket } => flow.arrived(number, ticket),
        Call::GivenUp { flow, number } => flow.drop_run(number),
        Call::Kept { flow, number, ticket } => flow.kept(number, ticket),
        Call::Returned { flow, strand, number } => flow.returned(strand, number),
        Call::Look { flow } => flow.go_on(),
        Call::Replaced { group } => group.drop_replaced(),
    }
}

/// Waits until the thread has handled all messages so far and dropped their references: a device that is about to close
/// would miss what they hold. The thread waits for no device, so this takes no longer than calls of a backend.
pub fn drain() {
    let mut state = STATE.lock();
    let posted = state.posted;
    while state.thread.is_there() && state.answered < posted {
        CHANGED.wait(&mut state);
    }
}

/// Ends the thread; false if it has not ended by the deadline. No stream accepts work any more.
pub fn stop(deadline: Instant) -> bool {
    let mut state = STATE.lock();
    let errors = state.thread.stop();
    CHANGED.notify_all();
    while state.thread.is_there() {
        if CHANGED.wait_until(&mut state, deadline).timed_out() && state.thread.is_there() {
            return false;
        }
    }
    // Another session may need one.
    state.thread = ServingThread::new();
    drop(state);
    errors.join();
    true
}
