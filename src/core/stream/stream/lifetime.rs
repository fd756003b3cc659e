//! Creation and destruction of streams.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::set::StreamSet;
use super::stream_attribute::check_priority;
use super::{Stream, StreamFlags, resolve};
use crate::algo::map::slot_table::{self, Handle};
use crate::algo::map::typed_slots::Slots;
use crate::algo::sync::gap::Gap;
use crate::algo::sync::share::Share;
use crate::backend::{Fault, FaultKind, Position, Priority, StreamOptions, Wait};
use crate::base::callback;
use crate::base::error::{Code, Error, Result, arguments, param_invalid};
use crate::base::handles::{self, Object};
use crate::base::teardown_errors::TeardownErrors;
use crate::order::{self, ended, sequence};
use crate::runtime::context::Context;
use crate::runtime::device::Device;
use crate::runtime::{state_callback, thread};
use crate::stream::failure::{Failures, Stop};
use crate::stream::interceptor::{self, StreamChange};
use crate::stream::report::Subscription;

impl Stream {
    /// Creates a stream of `device` in `context`, around the driver's stream `adopted` if that is given.
    pub fn create(
        device: &Arc<Device>,
        context: Handle,
        priority: Priority,
        flags: StreamFlags,
        is_default: bool,
        adopted: Option<usize>,
    ) -> Result<Handle> {
        let id = device.next_stream_id.fetch_add(1, Ordering::Relaxed);
        let failures = Arc::new(Failures::new(device.id, context, id, stop_context));
        let options = StreamOptions { priority, observer: Some(failures.clone()) };
        let native = Share::from(match adopted {
            Some(native) => device.native.adopt_stream(native, options)?,
            None => device.native.create_stream(options)?,
        });
        let handle = Self::table().insert_with(|handle| {
            // A reset of the device, which may look for its streams now, waits for this reference to the device.
            StreamSet::of(device).add(context, handle);
            Arc::new(Self {
                handle,
                device: device.clone(),
                context,
                id,
                native,
                // A stream that only builds graphs does nothing else.
                is_captured: AtomicBool::new(flags.is_persistent()),
                failures,
                callbacks: Subscription::default(),
                features: Slots::default(),
                flags,
                priority: AtomicU32::new(priority.level()),
                is_default,
                lane: OnceLock::new(),
                traced: OnceLock::new(),
                _gap: Gap::default(),
            })
        });
        handle.ok_or_else(|| {
            handles::no_handle::<Self>(Code::NoStreamResource, "no more streams can be created; destroy some")
        })
    }

    /// Returns the live streams of a context.
    pub fn of_context(context: Handle) -> Vec<Arc<Self>> {
        let found = Context::table().get_arc(context);
        found.map_or_else(Vec::new, |found| StreamSet::of(&found.device).of_context(context))
    }

    /// Drops pending operations, and accepts no more. Returns the position of the last operation that is kept.
    pub fn abandon(&self) -> Position {
        self.note_abort();
        interceptor::installed().note(self, StreamChange::Stopped);
        sequence::stream_stopped(self.handle.raw());
        self.native.abandon()
    }

    /// Drops pending operations, and continues: see [`crate::backend::Stream::abort`].
    pub fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait {
        self.note_abort();
        interceptor::installed().note(self, StreamChange::Aborted);
        let mut waited = self.native.abort(why.clone(), deadline);
        if interceptor::installed().abort(self, &why, deadline) == Wait::TimedOut {
            waited = Wait::TimedOut;
        }
        order::forget_waits(&self.lane);
        sequence::stream_stopped(self.handle.raw());
        self.callbacks.drop_pending(self.handle);
        waited
    }

    /// Ends waits for values and notifies at `until`, because the device is in teardown.
    pub fn limit_waits(&self, until: Instant) {
        interceptor::installed().note(self, StreamChange::Limited(until));
        self.native.limit_waits(until);
    }

    /// Ends a stream that was removed from the table: drops callbacks that have not started, waits for all other
    /// pending work, then accepts no more. Returns a failure that was not reported yet.
    pub fn drain(&self, deadline: Option<Instant>) -> TeardownErrors {
        interceptor::installed().note(self, StreamChange::Destroying);
        let mut errors = TeardownErrors::default();
        let known = self.known();
        let reader = self.callbacks.end(self.handle);
        self.native.retire();
        let mut waited = self.native.synchronize(deadline);
        if waited.as_ref().is_err_and(|fault| fault.kind() != FaultKind::Execution) {
            // Running work uses memory that may be freed next, so a failure here does not skip the wait.
            errors.step(waited.map(drop));
            waited = self.native.synchronize(deadline);
        }
        order::stream_ended(&self.lane, self.native.abandon());
        known.is_seen();
        match waited {
            Ok(Wait::TimedOut) => errors.timed_out = true,
            Ok(Wait::Done) => errors.step(self.failures.report_last()),
            // A failed device has no pending work, and returns its failure from every call.
            Err(fault) => errors.step_on_device(Err(fault)),
        }
        let left = reader.is_none_or(|reader| reader.wait_for_running(self.handle, deadline));
        errors.timed_out |= !left;
        ended::stream_ended(self.handle.raw());
        errors
    }
}

/// Stops all streams of a context after a failure under ACL_STOP_ON_FAILURE.
fn stop_context(context: Handle, fault: &Fault) {
    let stop = Stop::new(fault);
    let streams = Stream::of_context(context);
    // All streams know the reason before the first one stops: a refused submission always has its reason.
    streams.iter().for_each(|stream| stream.failures.note_stop(&stop));
    streams.iter().for_each(|stream| stream.failures.note_kept(stream.abandon()));
}

/// Implements aclrtCreateStream and aclrtCreateStreamWithConfig. The calls accept a priority, which has no meaning.
pub fn create(flags: u32) -> Result<u64> {
    create_as(flags.into(), Priority::Plain)
}

/// Implements aclrtCreateStreamV2: `flags` are ACL_STREAM_* flags; the priority 0 is the most urgent.
pub fn create_with_priority(flags: u64, priority: u32) -> Result<u64> {
    create_as(flags, Priority::Level(priority))
}

fn create_as(flags: u64, priority: Priority) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let flags = StreamFlags::from_bits(flags);
    let device = thread::current()?.device.clone();
    check_priority("handle->priority", u64::from(priority.level()), &device)?;
    create_on(device, priority, flags, None)
}

/// Creates a stream in the current context, which is on `device`. `adopted` is as in [`Stream::create`].
pub(crate) fn create_on(
    device: Arc<Device>,
    priority: Priority,
    flags: StreamFlags,
    adopted: Option<usize>,
) -> Result<u64> {
    let context = thread::current_handle()
        .ok_or_else(|| Error::new(Code::ContextNull, "this thread has no current context; call aclrtSetDevice"))?;
    let stream = Stream::create(&device, context, priority, flags, false, adopted)?.raw();
    drop(device);
    state_callback::stream_created(stream);
    Ok(stream)
}

/// Implements aclrtDestroyStream, which waits for pending work, and aclrtDestroyStreamForce, which drops it.
pub fn destroy(raw: u64, force: bool) -> Result<()> {
    arguments::not_null("stream", raw, "pass a created stream; the default stream is released with its context")?;
    let Some(stream) = handles::unless_late::<Stream, _>(raw, resolve(raw))? else { return Ok(()) };
    if stream.is_default {
        return Err(param_invalid!(
            "stream {raw:#x} is the default stream of its context and is released with that context; omit the call"
        ));
    }
    if !force {
        interceptor::installed().check_destroy(&stream)?;
        callback::refuse_endless_end(|_, other| other == raw)?;
    }
    drop(stream);
    state_callback::stream_ends(raw);
    let Some(stream) = handles::end::<Stream>("stream", raw)? else { return Ok(()) };
    StreamSet::of(&stream.device).remove(&stream);
    state_callback::stream_ended(stream.handle);
    let mut errors = TeardownErrors::default();
    if force {
        interceptor::installed().note(&stream, StreamChange::Destroying);
        let kept = stream.abandon();
        order::stream_ended(&stream.lane, kept);
        stream.callbacks.end(stream.handle);
        ended::stream_ended(raw);
    } else {
        errors = stream.drain(None);
    }
    drop(stream);
    slot_table::flush_in_turn();
    errors.into_result(format_args!("stream {raw:#x} is destroyed"))
}
