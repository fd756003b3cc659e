//! Waits of streams for events.

use std::time::Duration;

use super::{Creator, Event, RECORD_OR_WAIT_EXTERNAL, Uses, check_use_flag, not_captured, use_intercepted};
use crate::backend::{NotifyWait, Op, Until};
use crate::core::base::error::{Code, Error, Result, invalid_param, param_invalid};
use crate::core::base::handles;
use crate::core::order;
use crate::core::stream::interceptor::EventUse;
use crate::core::stream::op_timeout;
use crate::core::stream::stream::Stream;
use crate::core::stream::stream::resolve::resolve;

/// aclrtStreamWaitEvent, with the process-wide limit of aclrtSetOpWaitTimeout.
pub fn wait(stream: u64, raw: u64) -> Result<()> {
    let limit = op_timeout::wait_limit();
    match wait_at_most(stream, raw, limit) {
        // The process-wide limit is optional: a backend without timed waits waits without one.
        Err(error) if limit.is_some() && error.code() == Code::FeatureNotSupport => wait_at_most(stream, raw, None),
        waited => waited,
    }
}

/// aclrtStreamWaitEventWithTimeout.
pub fn wait_with_timeout(stream: u64, raw: u64, timeout: i32) -> Result<()> {
    let Ok(seconds) = u32::try_from(timeout) else {
        return Err(param_invalid!("timeout is {timeout}; allowed: 0 (for ever) or seconds above 0"));
    };
    wait_at_most(stream, raw, op_timeout::seconds(seconds))
}

/// aclrtStreamWaitEventWithFlag.
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
    // Not `||`: one branch for both.
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

/// Waits until a signal is set, or a record of a shared event is complete, at most this long.
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

/// As [`wait_at_most`] without a limit, while the order of streams is tracked.
#[cold]
fn wait_in_order(event: &Event, stream: &Stream) -> Result<()> {
    // Locked, so that the clock belongs to the awaited record.
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
