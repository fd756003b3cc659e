//! Callbacks of the program that run inside its calls, and what may wait inside them.
//!
//! There are two kinds of user code. What a stream runs (host functions, callbacks of aclrtLaunchCallback, exception
//! callbacks) may not wait: such calls are refused. What a call runs (memory hooks, callbacks for init, finalize,
//! devices, streams, aborts, snapshots and the ends of graphs) may make every call, and so may wait for other
//! callbacks. No such wait may last forever: `wait` detects cycles of waits, and [`refuse_endless_wait`] refuses to
//! wait for streams in a thread that has to run callbacks of streams itself. docs/callbacks.md has the table.

pub mod wait;

use std::cell::Cell;
use std::sync::OnceLock;

use crate::algo::thread::cancellation;
use crate::algo::thread::per_thread::per_thread;
use crate::base::error::{Result, param_invalid};

per_thread! {
    /// The innermost callback that this thread runs.
    static RUNNING: Cell<Option<&'static str>> = Cell::new(None);
}

/// Returns how many callbacks of streams only the calling thread can run, and the call that runs them; `None` if there
/// are none. Streams for which the argument (device, handle) is true do not count.
pub type PendingHere = fn(&dyn Fn(u32, u64) -> bool) -> Option<(usize, &'static str)>;

/// The function that counts callbacks of streams. The region that has such callbacks sets it.
static PENDING_HERE: OnceLock<PendingHere> = OnceLock::new();

/// Sets the function that counts callbacks of streams.
pub(crate) fn count_pending_by(pending: PendingHere) {
    PENDING_HERE.get_or_init(|| pending);
}

/// Returns what the registered [`PendingHere`] returns.
pub(crate) fn pending_here(ends: &dyn Fn(u32, u64) -> bool) -> Option<(usize, &'static str)> {
    PENDING_HERE.get().and_then(|pending| pending(ends))
}

/// Returns the kind of the innermost callback that this thread runs.
pub fn running() -> Option<&'static str> {
    RUNNING.get()
}

/// Runs a callback that may make every call. `what` names its kind in texts.
pub fn run<R>(what: &'static str, callback: impl FnOnce() -> R) -> R {
    struct Ends(Option<&'static str>);
    impl Drop for Ends {
        fn drop(&mut self) {
            RUNNING.set(self.0);
        }
    }
    let _ends = Ends(RUNNING.replace(Some(what)));
    cancellation::run_user_code(callback)
}

/// Fails if the calling thread is inside a callback and has callbacks of streams to run: a wait for streams could wait
/// for those callbacks.
#[inline]
pub(crate) fn refuse_endless_wait() -> Result<()> {
    refuse_endless_end(|_, _| false)
}

/// Fails as [`refuse_endless_wait`] does, before a call that ends streams and drops their callbacks. `ends` returns
/// whether a stream (device, handle) is one of them; its callbacks do not count.
#[inline]
pub(crate) fn refuse_endless_end(ends: impl Fn(u32, u64) -> bool) -> Result<()> {
    match RUNNING.get() {
        None => Ok(()),
        Some(what) => refuse_wait_inside(what, &ends),
    }
}

#[cold]
fn refuse_wait_inside(what: &str, ends: &dyn Fn(u32, u64) -> bool) -> Result<()> {
    let Some((count, process)) = pending_here(ends) else { return Ok(()) };
    Err(param_invalid!(
        "this call runs inside a {what}, on a thread that must run callbacks of streams ({count} pending), and could \
         wait for them forever; call {process} first, or make this call on another thread"
    ))
}
