//! The thread that drives runs of flows, and drops what a driver's thread must not: one for the process, from
//! the first such run, or change of a task group, to the end of the library.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::Flow;
use crate::algo::thread::serving_thread::ServingThread;
use crate::backend::Ticket;
use crate::core::base::error::{Code, Error, Result};
use crate::core::graph::group::Group;

/// What the thread is told.
pub enum Call {
    /// A stream has come to a run.
    Arrived {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        number: u64,
        /// What the stream waits for.
        ticket: Ticket,
    },
    /// A stream has dropped a run that it had not come to.
    GivenUp {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        number: u64,
    },
    /// A strand has come to where it hands itself over.
    Returned {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        strand: usize,
        /// Which of all hand-overs it was.
        number: u64,
    },
    /// The stream of a run has dropped its work: what keeps freed memory mapped until the run has ended.
    Kept {
        /// Of this flow.
        flow: Arc<Flow>,
        /// Its number there.
        number: u64,
        /// Dropped when the run has ended.
        ticket: Ticket,
    },
    /// Runs may have to end.
    Look {
        /// Of this flow.
        flow: Arc<Flow>,
    },
    /// A stream has come to a change of a task group.
    Replaced {
        /// This one, which may be the last to be dropped of its graph.
        group: Arc<Group>,
    },
}

struct State {
    calls: VecDeque<Call>,
    /// How many there were, and how many of them were answered.
    posted: u64,
    answered: u64,
    thread: ServingThread,
}

static STATE: Mutex<State> = Mutex::new(State {
    calls: VecDeque::new(),
    posted: 0,
    answered: 0,
    thread: ServingThread::new(),
});
/// There is a call, or the end has come, or the thread has ended.
static CHANGED: Condvar = Condvar::new();

/// Starts the thread if it is not there.
pub fn need() -> Result<()> {
    // The new thread waits for the lock.
    let ended = STATE.lock().thread.need("portacl-graph", serve).map_err(|error| {
        Error::new(
            Code::BadAlloc,
            format_args!("no thread can be started for runs of graphs: {error}"),
        )
    })?;
    ended.join();
    Ok(())
}

/// Tells the thread something. Without one nothing is left to do for it.
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

/// Waits until the thread has answered, and let go of, what it was told so far: a device that is about to close
/// would miss what it still holds. It waits for no device, so this takes no longer than calls of a backend.
pub fn drain() {
    let mut state = STATE.lock();
    let posted = state.posted;
    while state.thread.is_there() && state.answered < posted {
        CHANGED.wait(&mut state);
    }
}

/// Ends the thread; false if it has not ended by then. No stream is given work any more.
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
