//! Waits of streams for events, and marks: positions in streams by which an event knows whether its waits and resets
//! are complete.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::{Creator, Event, RECORD_OR_WAIT_EXTERNAL, Uses, check_use_flag, not_captured, use_intercepted};
use crate::backend::{self, FaultKind, NotifyWait, Op, Until};
use crate::base::error::{Code, Error, Result, invalid_param, param_invalid};
use crate::base::handles::{self, Object};
use crate::order;
use crate::stream::interceptor::EventUse;
use crate::stream::op_timeout;
use crate::stream::stream::{Stream, resolve};

/// Implements aclrtStreamWaitEvent, with the process-wide limit of aclrtSetOpWaitTimeout.
pub fn wait(stream: u64, raw: u64) -> Result<()> {
    let limit = op_timeout::wait_limit();
    match wait_at_most(stream, raw, limit) {
        // The process-wide limit is optional: a backend without timed waits waits without one.
        Err(error) if limit.is_some() && error.code() == Code::FeatureNotSupport => wait_at_most(stream, raw, None),
        waited => waited,
    }
}

/// Implements aclrtStreamWaitEventWithTimeout.
pub fn wait_with_timeout(stream: u64, raw: u64, timeout: i32) -> Result<()> {
    let Ok(seconds) = u32::try_from(timeout) else {
        return Err(param_invalid!("timeout is {timeout}; allowed: 0 (forever) or seconds greater than 0"));
    };
    wait_at_most(stream, raw, op_timeout::seconds(seconds))
}

/// Implements aclrtStreamWaitEventWithFlag.
pub fn wait_with_flag(stream: u64, raw: u64, timeout: u32, flag: u32) -> Result<()> {
    check_use_flag(flag, "ACL_EVENT_WAIT")?;
    if flag == RECORD_OR_WAIT_EXTERNAL {
        ensure!(timeout == 0, invalid_param!("timeout is {timeout}; with ACL_EVENT_WAIT_EXTERNAL it must be 0"));
        handles::check_not_null::<Event>("event", raw)?;
        let stream = resolve(stream)?;
        let event = handles::get::<Event>("event", raw)?;
        event.check_waitable()?;
        ensure!(stream.is_captured(), not_captured(&stream, "ACL_EVENT_WAIT_EXTERNAL"));
        return use_intercepted(&stream, &event, raw, EventUse::WaitExternal).map(drop);
    }
    wait_at_most(stream, raw, op_timeout::seconds(timeout))
}

fn wait_at_most(stream: u64, raw: u64, limit: Option<Duration>) -> Result<()> {
    handles::check_not_null::<Event>("event", raw)?;
    let stream = resolve(stream)?;
    let event = handles::get_pinned::<Event>("event", raw, stream.pin())?;
    event.check_waitable()?;
    if let Some(signal) = &event.signal {
        return match stream.is_captured() {
            true => use_intercepted(&stream, event, raw, EventUse::Wait).map(drop),
            false => queue_marked(event, &stream, &mut event.uses.lock(), Op::WaitNotify(signal, until_set(limit))),
        };
    }
    // `|` instead of `||` needs one branch for both.
    if (stream.is_captured() | event.may_be_intercepted()) && use_intercepted(&stream, event, raw, EventUse::Wait)? {
        return Ok(());
    }
    if let Some(shared) = &event.shared {
        return stream.submit(Op::WaitNotify(&shared.native.latest(), until_set(limit))).map(drop);
    }
    if order::is_tracked() && limit.is_none() {
        return wait_in_order(event, &stream);
    }
    let passes = || Ok::<_, Error>(event.native.is_complete()? && stream.is_idle()?);
    if event.creator == Creator::Ex || !event.recorded.exists() || passes()? {
        return stream.submit_now(Op::Wait(&event.native, limit)).map(drop);
    }
    queue_marked(event, &stream, &mut event.uses.lock(), Op::Wait(&event.native, limit))
}

/// Returns a wait until a signal is set, or a record of a shared event is complete. `limit`: its timeout.
pub fn until_set(limit: Option<Duration>) -> NotifyWait {
    NotifyWait { until: Until::AtLeast(1), clear: false, limit }
}

/// Queues a wait, and the mark after it, which aclrtQueryEventWaitStatus queries.
fn queue_marked(event: &Event, stream: &Stream, uses: &mut Uses, wait: Op<'_>) -> Result<()> {
    uses.waits.sweep(stream);
    let mark = uses.waits.find_or_create(stream)?;
    stream.submit(wait)?;
    stream.queue_quietly(Op::Record(&mark))?;
    uses.waits.keep(event, stream, mark);
    Ok(())
}

/// Queues a wait as [`wait_at_most`] does without a limit, while the order of streams is tracked.
#[cold]
fn wait_in_order(event: &Event, stream: &Stream) -> Result<()> {
    // The lock is held, so that the clock belongs to the awaited record.
    let mut uses = event.uses.lock();
    let passes = || Ok::<_, Error>(event.native.is_complete()? && stream.is_idle()?);
    if event.creator == Creator::Ex || !event.recorded.exists() || passes()? {
        stream.submit(Op::Wait(&event.native, None))?;
    } else {
        queue_marked(event, stream, &mut uses, Op::Wait(&event.native, None))?;
    }
    if !uses.clock.is_empty() {
        stream.lane()?.advance(&uses.clock);
    }
    Ok(())
}

/// The marks of an event: at most one for each stream, by its handle.
#[derive(Default)]
pub(super) struct Marks(FxHashMap<u64, Mark>);

struct Mark {
    /// True if the stream is on another device than the event, which does not keep that device open.
    on_another_device: bool,
    native: Arc<dyn backend::Event>,
}

impl Mark {
    /// Whether the stream has passed the mark.
    fn is_past(&self, stream: u64) -> Result<bool> {
        // While the stream exists its device stays open.
        let stream = self.on_another_device.then(|| Stream::table().get_raw(stream));
        if let Some(None) = stream {
            return Ok(true);
        }
        Ok(self.native.is_complete()?)
    }

    /// Whether an abort of the stream has dropped the mark.
    fn was_dropped(&self) -> bool {
        let result = self.native.synchronize(Some(Instant::now()));
        result.is_err_and(|why| matches!(why.kind(), FaultKind::Aborted | FaultKind::DeviceAborted))
    }
}

impl Marks {
    /// Whether there is a mark in this stream.
    pub(super) fn has(&self, stream: &Stream) -> bool {
        self.0.contains_key(&stream.handle.raw())
    }

    /// Returns the mark of this stream, or a new one. The caller records it there, and then calls [`Self::keep`].
    pub(super) fn find_or_create(&self, stream: &Stream) -> Result<Arc<dyn backend::Event>> {
        let found = self.0.get(&stream.handle.raw());
        found.map_or_else(|| super::lifetime::create_native(&stream.device, false), |mark| Ok(Arc::clone(&mark.native)))
    }

    /// Keeps a mark that was recorded in `stream` for `event`.
    pub(super) fn keep(&mut self, event: &Event, stream: &Stream, native: Arc<dyn backend::Event>) {
        let on_another_device = !Arc::ptr_eq(&event.device, &stream.device);
        self.0.entry(stream.handle.raw()).or_insert(Mark { on_another_device, native });
    }

    /// Removes marks that streams have passed, if there is no room for a new one in `stream`.
    pub(super) fn sweep(&mut self, stream: &Stream) {
        if self.0.len() == self.0.capacity() && !self.has(stream) {
            // A failure of the device is reported by other calls.
            self.0.retain(|&stream, mark| !mark.is_past(stream).unwrap_or(true));
        }
    }

    /// Whether a stream has passed its mark.
    pub(super) fn any_past(&self) -> Result<bool> {
        self.0.iter().try_fold(false, |any, (&stream, mark)| Ok(any || mark.is_past(stream)?))
    }

    /// Whether all streams have passed their marks, or have dropped them.
    pub(super) fn all_past(&self) -> Result<bool> {
        self.0.iter().try_fold(true, |all, (&stream, mark)| Ok(all && (mark.is_past(stream)? || mark.was_dropped())))
    }

    /// Removes all marks; mostly there are none.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        if !self.0.is_empty() {
            self.0.clear();
        }
    }
}
