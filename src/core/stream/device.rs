//! Streams for lower regions: creating, draining and synchronizing the streams of devices and contexts, and their
//! order.

use std::sync::Arc;
use std::time::Instant;

use crate::algo::map::slot_table::{Handle, Ref};
use crate::backend::{Priority, Wait};
use crate::base::callback;
use crate::base::error::Result;
use crate::base::handles::{self, Object};
use crate::base::teardown_errors::TeardownErrors;
use crate::order::checker::{self, HostWait};
use crate::order::known::Known;
use crate::order::{self, KnownPositions};
use crate::runtime::context::Context;
use crate::runtime::device::Device;
use crate::runtime::lifecycle::StreamsOf;
use crate::runtime::{self, state_callback, thread};
use crate::stream::stream::set::StreamSet;
use crate::stream::{self, Stream, StreamFlags, interceptor};

/// Removes streams from the table, because their owner goes. Returns those that no other thread has removed.
fn take(mut streams: Vec<Arc<Stream>>) -> Vec<Arc<Stream>> {
    streams.retain(|stream| handles::take(stream.handle, &**stream).is_some());
    streams.iter().for_each(|stream| StreamSet::of(&stream.device).remove(stream));
    streams
}

/// Creates the default stream of a new context.
pub(crate) fn create_default(device: &Arc<Device>, context: Handle) -> Result<Handle> {
    Stream::create(device, context, Priority::Plain, StreamFlags::default(), true, None)
}

/// Returns the handles of live streams.
pub(crate) fn handles_of(of: StreamsOf) -> Vec<u64> {
    let streams = match of {
        StreamsOf::Device(id) => {
            let device = runtime::glance().and_then(|session| session.devices.get(id as usize)?.device());
            device.map_or_else(Vec::new, |device| StreamSet::of(&device).all())
        }
        StreamsOf::Context(context) => Stream::of_context(context),
    };
    streams.iter().map(|stream| stream.handle.raw()).collect()
}

/// Whether a stream with this handle is live.
pub fn is_live(raw: u64) -> bool {
    Stream::table().get_raw(raw).is_some()
}

/// Removes the streams of the context of this device that had this handle, and waits for their work.
pub(crate) fn drain_context(device: &Device, context: Handle, errors: &mut TeardownErrors) {
    // All are removed before the first one is drained: no call uses one while another ends.
    drain_all(take(StreamSet::of(device).of_context(context)), None, errors);
}

/// Removes the streams of a device and waits for their work. Waits for values in memory end at `until`.
pub(crate) fn drain_device(
    device: &Arc<Device>,
    until: Instant,
    deadline: Option<Instant>,
    errors: &mut TeardownErrors,
) {
    let streams = take(StreamSet::of(device).all());
    // All waits are limited before the first drain: one stream may wait for what another one waits for.
    streams.iter().for_each(|stream| stream.limit_waits(until));
    streams.iter().for_each(|stream| stream.callbacks.drop_pending(stream.handle));
    drain_all(streams, deadline, errors);
}

fn drain_all(streams: Vec<Arc<Stream>>, deadline: Option<Instant>, errors: &mut TeardownErrors) {
    // All are retired before the first drain: a task of one stream may wait for a task of another one.
    streams.iter().for_each(|stream| stream.native().retire());
    for stream in streams {
        state_callback::stream_ended(stream.handle);
        errors.merge(stream.drain(deadline));
    }
}

impl Context {
    /// Returns the stream that NULL stands for.
    #[inline]
    pub(crate) fn default_stream(&self) -> Option<Ref<'static, Stream>> {
        Stream::table().get(*self.default_stream.get()?)
    }
}

impl Device {
    /// Waits for everything enqueued on this device so far. Returns the first failure there that was not reported yet,
    /// also after a timeout.
    pub fn synchronize(self: &Arc<Self>, deadline: Option<Instant>) -> Result<Wait> {
        if deadline.is_none() {
            callback::refuse_endless_wait()?;
        }
        let streams = StreamSet::of(self).all();
        // The wait is for all streams, whatever the first one returns: its failure does not complete the others' work.
        let mut outcome = Ok(Wait::Done);
        let awaited = order::is_tracked().then(|| KnownPositions::streams(streams.iter().map(|stream| &stream.lane)));
        let known = Known::streams(streams.iter().map(|stream| stream.handle.raw()));
        let host = HostWait::begin(&known);
        for stream in &streams {
            let awaited = checker::Awaited::Stream(stream.handle.raw());
            let waited = host.wait(&awaited, deadline, |until| stream.wait(until));
            outcome = match (outcome, waited) {
                (Ok(_), Err(error)) => Err(error),
                (Ok(_), Ok(Wait::TimedOut)) => Ok(Wait::TimedOut),
                (before, _) => before,
            };
        }
        let waited = outcome?;
        if waited == Wait::Done {
            awaited.into_iter().for_each(KnownPositions::is_over);
            Known::are_seen(&known);
        }
        // One call returns one failure; those of other streams stay for the next synchronize.
        streams.iter().try_for_each(|stream| stream.failures.report())?;
        Ok(waited)
    }
}

/// Implements aclrtSynchronizeDevice.
pub fn synchronize() -> Result<()> {
    synchronize_with_timeout(-1)
}

/// Implements aclrtSynchronizeDeviceWithTimeout.
pub fn synchronize_with_timeout(timeout_ms: i32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let deadline = stream::deadline(timeout_ms)?;
    let device = thread::current()?.device.clone();
    interceptor::check_device(&device)?;
    stream::in_time(device.synchronize(deadline)?, format_args!("device {}", device.id), timeout_ms)
}
