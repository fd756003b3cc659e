//! Implements waits for events with a timeout, which the driver does not have.
//!
//! The stream waits for its word, as after a host function. A borrowed stream of the device waits for the event,
//! records a mark, and calls back. The first of that call and the watcher ends the stream's wait.

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cudarc::driver::sys::{CUevent_st, CUstream_st};
use parking_lot::Mutex;

use super::host_fn;
use crate::backend::stream::watch::{Expected, Watched};
use crate::backend::{Fault, Position, Result, Ticket, thread_number};
use crate::runtime::{DeviceState, Raw};
use crate::stream::mark::Mark;
use crate::stream::state::StreamState;

/// A wait that is pending or has begun.
pub(crate) struct TimedWait {
    stream: Arc<StreamState>,
    /// The mark, which is recorded right after the event.
    mark: Mark,
    thread: u32,
    position: OnceLock<Position>,
    /// The timeout, and the ticket while the stream waits: it continues when the ticket is dropped. `None`: the event
    /// is complete, or the timeout has passed.
    pending: Mutex<Option<(Watched, Option<Ticket>)>>,
}

impl TimedWait {
    /// Begins the wait when the stream reaches it. If it is complete, the stream continues at the end of this call.
    fn begin(self: Arc<Self>, ticket: Ticket) {
        if let Some((limit, place)) = &mut *self.pending.lock() {
            let waiting = Arc::downgrade(&self);
            limit.begin_limit(Box::new(move |outcome| {
                let (Err(fault), Some(waiting)) = (outcome, waiting.upgrade()) else { return };
                let driver = Arc::clone(&waiting.stream.device.driver);
                // This runs on a worker, because a driver may hold up the query of the mark, and the watcher has other
                // waits.
                if let Err(job) = driver.workers.start(Box::new(move || waiting.expire(fault))) {
                    job();
                }
            }));
            *place = Some(ticket);
        }
    }

    /// Ends the wait. The caller drops the result without a lock, because the limit and the ticket take locks
    /// themselves.
    fn take(&self) -> Option<(Watched, Option<Ticket>)> {
        self.pending.lock().take()
    }

    /// Ends the wait because the timeout has passed.
    fn expire(&self, fault: Fault) {
        // The time starts when the stream reaches the wait, so the stream waits or has continued.
        let Some((_limit, ticket)) = self.take() else { return };
        // The event may be complete, and the driver may not have called back yet.
        let is_complete = self.stream.device.keep_open().is_some_and(|_open| self.mark.poll().unwrap_or(false));
        if !is_complete {
            let position = self.position.get().copied();
            self.stream.fail(fault, position, Some(self.thread), ticket);
        }
    }
}

/// Enqueues a wait of `stream` for the latest record of `event`, for at most `limit`.
pub(crate) fn queue(stream: &Arc<StreamState>, event: Raw<CUevent_st>, limit: Duration) -> Result<Position> {
    let device = &stream.device;
    device.require_words(
        "waits for events have no timeout; wait without one, and bound the wait of the host with \
         aclrtSynchronizeStreamWithTimeout",
    )?;
    let limit = Watched::new(&device.driver.watcher, Expected::Event(limit))?;
    let wait = Arc::new(TimedWait {
        stream: Arc::clone(stream),
        mark: Mark::unset(device)?,
        thread: thread_number(),
        position: OnceLock::new(),
        pending: Mutex::new(Some((limit, None))),
    });
    watch(device, event, &wait)?;
    let arriving = Arc::clone(&wait);
    let position = host_fn::deliver(stream, move |ticket| arriving.begin(ticket))?;
    // Only this function sets it. A failure that is reported before has no position.
    let _ = wait.position.set(position);
    Ok(position)
}

/// The argument of the call when the event is complete: the borrowed stream, and the wait.
type Watch = (Raw<CUstream_st>, Arc<TimedWait>);

/// Lets a borrowed stream wait for the event and then call back.
fn watch(device: &DeviceState, event: Raw<CUevent_st>, wait: &Arc<TimedWait>) -> Result<()> {
    let helper = device.borrow_stream()?;
    let watch: *mut Watch = Box::into_raw(Box::new((helper, Arc::clone(wait))));
    // Relaxed: the thread that closes the device queries the stream anyway.
    device.watching.fetch_add(1, Ordering::Relaxed);
    let queued = device.call(|api| {
        // SAFETY: both are alive, and the driver keeps what it needs of the event's record. The function takes the box
        // that this call passes.
        unsafe {
            api.stream_wait_event(helper.0, event.0, 0)?;
            api.event_record(wait.mark.raw.0, helper.0)?;
            api.launch_host_func(helper.0, Some(on_event_complete), watch.cast())
        }
    });
    if queued.is_err() {
        // SAFETY: the driver has refused the call, so the box still belongs to this function.
        drop(unsafe { Box::from_raw(watch) });
        // The stream may wait for the event, so it must not be borrowed again.
        device.discard_stream(helper);
        device.watching.fetch_sub(1, Ordering::Release);
    }
    queued
}

unsafe extern "C" fn on_event_complete(watch: *mut c_void) {
    // SAFETY: the box of `watch`. The driver calls once.
    let (helper, wait) = *unsafe { Box::from_raw(watch.cast::<Watch>()) };
    let device = Arc::clone(&wait.stream.device);
    drop(wait.take());
    drop(wait);
    device.return_stream(helper);
    // Release: the thread that closes the device finds the stream among the spare ones.
    device.watching.fetch_sub(1, Ordering::Release);
}
