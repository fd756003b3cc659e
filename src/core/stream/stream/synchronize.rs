//! Synchronizing a stream, and querying whether it is idle.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Stream, resolve};
use crate::backend::{self, Wait};
use crate::base::callback;
use crate::base::error::{Code, Result, error_with, param_invalid};
use crate::base::handles::Object;
use crate::runtime::thread;

/// The flag that [`always_wait`] sets.
static ALWAYS_WAITS: AtomicBool = AtomicBool::new(false);

/// Makes a later synchronize of an idle stream wait as well: drivers trim their memory pools in that call, and the
/// checker notes it.
pub fn always_wait() {
    ALWAYS_WAITS.store(true, Ordering::Relaxed);
}

/// Implements aclrtSynchronizeStream.
#[inline]
pub fn synchronize(raw: u64) -> Result<()> {
    if is_known_complete(raw) { Ok(()) } else { synchronize_until(raw, None, -1) }
}

/// Whether the stream is known to be idle, and nothing is to be reported. It is separate from all that can fail, so
/// that it needs few registers.
#[inline]
fn is_known_complete(raw: u64) -> bool {
    if backend::inside_host_function() | ALWAYS_WAITS.load(Ordering::Relaxed) {
        return false;
    }
    let Some(stream) = Stream::table().get_raw(raw) else { return false };
    thread::is_current(stream.context)
        && !stream.is_captured()
        && stream.native.is_known_idle()
        && !stream.failures.are_pending()
}

/// Implements aclrtSynchronizeStreamWithTimeout.
pub fn synchronize_with_timeout(raw: u64, timeout_ms: i32) -> Result<()> {
    synchronize_until(raw, deadline(timeout_ms)?, timeout_ms)
}

/// Waits until the deadline of this timeout.
#[inline(never)]
pub(crate) fn synchronize_until(raw: u64, deadline: Option<Instant>, timeout_ms: i32) -> Result<()> {
    let stream = resolve(raw)?;
    stream.check_runs()?;
    if stream.flags.host_does_not_wait() {
        return Ok(());
    }
    let is_idle = stream.native.is_known_idle() || stream.native.is_idle()?;
    if is_idle && !ALWAYS_WAITS.load(Ordering::Relaxed) {
        return stream.failures.report();
    }
    if deadline.is_none() && !is_idle {
        callback::refuse_endless_wait()?;
    }
    let share = stream.to_arc();
    // A `Ref` must not live across a wait, and a move does not end it.
    drop(stream);
    in_time(share.wait_for_all(deadline)?, share, timeout_ms)
}

/// Fails if `what` did not complete in time.
pub fn in_time(waited: Wait, what: impl Display, timeout_ms: i32) -> Result<()> {
    match waited {
        Wait::Done => Ok(()),
        Wait::TimedOut => Err(error_with!(
            Code::StreamSyncTimeout,
            "the work on {what} was not complete after {timeout_ms} ms and continues; synchronize {what} to wait longer"
        )),
    }
}

/// Returns the deadline of a timeout in milliseconds: -1 is no timeout.
pub fn deadline(timeout_ms: i32) -> Result<Option<Instant>> {
    match timeout_ms {
        -1 => Ok(None),
        1.. => Ok(Some(Instant::now() + Duration::from_millis(timeout_ms as u64))),
        _ => Err(param_invalid!("timeout is {timeout_ms}; allowed: -1 (wait forever) or milliseconds greater than 0")),
    }
}

/// Implements aclrtStreamQuery: returns whether everything enqueued so far is complete.
pub fn is_idle(raw: u64) -> Result<bool> {
    let stream = resolve(raw)?;
    stream.check_runs()?;
    let known = stream.known();
    let is_idle = stream.native.is_known_idle() || stream.native.is_idle()?;
    if is_idle {
        known.is_seen();
    }
    Ok(is_idle)
}
