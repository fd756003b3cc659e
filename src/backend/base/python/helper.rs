//! A thread that takes the GIL, and walks the frames of threads that do not have it.
//!
//! It may wait long for the GIL, as nothing says when the holder releases it. When the interpreter ends, such a thread
//! is unwound from the function that waits (up to Python 3.13) or waits forever. So it is no thread of Rust, holds
//! nothing while it waits, and is never joined: the library stays loaded with it.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::api::{Api, ThreadState};
use super::{PythonFrame, PythonFrames, found};
use crate::algo::host::system_call::keep_loaded;
use crate::algo::thread::quiet_thread;

/// How long a thread waits for its frames: many of the intervals after which a thread that computes gives the GIL to
/// another one (5 ms).
const PATIENCE: Duration = Duration::from_millis(300);
/// How often in a row a thread waits in vain before the pause between two requests grows no more: it is that many times
/// the time of a wait.
const MOST_FAILURES: u32 = 10;

enum Phase {
    Idle,
    /// A thread asks for its frames. It may end the request.
    Asked(ThreadState),
    /// The frames are read. The thread must wait.
    Walking,
    Done(Box<PythonFrames>),
}

struct Helper {
    phase: Phase,
    /// No thread asks before this time.
    paused_until: Option<Instant>,
    /// How often threads have waited in vain since the last time that one did not.
    failures: u32,
}

/// Held by the thread that asks.
static TURN: Mutex<()> = Mutex::new(());
static STATE: Mutex<Helper> = Mutex::new(Helper { phase: Phase::Idle, paused_until: None, failures: 0 });
static CHANGED: Condvar = Condvar::new();
/// The process in which the helper was started: a forked child has none.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Returns the frames of the calling thread, which does not hold the GIL; a frame that stands for them if the GIL
/// cannot be had in time.
pub(super) fn frames_of(api: &'static Api, thread: ThreadState) -> PythonFrames {
    let deadline = Instant::now() + PATIENCE;
    ask(api, thread, deadline).unwrap_or_else(|| std::iter::once(PythonFrame::unread()).collect())
}

fn ask(api: &'static Api, thread: ThreadState, deadline: Instant) -> Option<PythonFrames> {
    if !api.can_ask(thread) {
        return None;
    }
    // Not without a limit: a fork may leave them locked.
    let _turn = TURN.try_lock_until(deadline)?;
    let mut state = STATE.try_lock_until(deadline)?;
    if state.paused_until.is_some_and(|until| Instant::now() < until) || !is_there() {
        return None;
    }
    state.phase = Phase::Asked(thread);
    CHANGED.notify_all();
    loop {
        match std::mem::replace(&mut state.phase, Phase::Idle) {
            Phase::Done(frames) => {
                state.failures = 0;
                return Some(*frames);
            }
            Phase::Walking => {
                state.phase = Phase::Walking;
                CHANGED.wait(&mut state);
            }
            // It stays idle: the request has ended.
            Phase::Asked(_) if Instant::now() >= deadline => {
                state.failures = (state.failures + 1).min(MOST_FAILURES);
                state.paused_until = Some(Instant::now() + PATIENCE * state.failures);
                return None;
            }
            asked @ (Phase::Idle | Phase::Asked(_)) => {
                state.phase = asked;
                CHANGED.wait_until(&mut state, deadline);
            }
        }
    }
}

/// Whether the helper runs. Starts it if there is none. The caller has the lock of the state.
fn is_there() -> bool {
    let process = std::process::id();
    if PROCESS.load(Ordering::Relaxed) != process {
        keep_loaded();
        if quiet_thread::spawn_raw(serve).is_err() {
            return false;
        }
        PROCESS.store(process, Ordering::Relaxed);
    }
    true
}

extern "C-unwind" fn serve(_: *mut c_void) -> *mut c_void {
    quiet_thread::adopt(c"portacl-python");
    loop {
        wait_until_asked();
        match found() {
            // Nothing here has a destructor.
            Some(api) => api.with_lock(answer),
            None => return ptr::null_mut(),
        }
    }
}

fn wait_until_asked() {
    CHANGED.wait_while(&mut STATE.lock(), |state| !matches!(state.phase, Phase::Asked(_)));
}

/// Reads the frames of the thread that asks, if it still does. The calling thread has the GIL.
fn answer() {
    let mut state = STATE.lock();
    let (Phase::Asked(thread), Some(api)) = (&state.phase, found()) else { return };
    let thread = *thread;
    state.phase = Phase::Walking;
    let frames = MutexGuard::unlocked(&mut state, || api.walk(thread));
    state.phase = Phase::Done(Box::new(frames));
    CHANGED.notify_all();
}
