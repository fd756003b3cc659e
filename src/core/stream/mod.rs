//! Streams: in-order queues of work, and waiting for them.

pub mod abort;
pub mod allocator;
pub mod device;
pub mod event;
pub mod exception;
pub mod failure;
pub mod native;
pub mod notify;
pub mod op_timeout;
pub mod overflow;
pub mod report;
pub mod resource_limit;
pub mod stream_attribute;
pub mod stream_config;
pub mod stream_value;
mod synchronize;

pub use self::synchronize::{deadline, is_idle, synchronize, synchronize_with_timeout};

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::algo::map::slot_table;
use crate::algo::map::slot_table::{Handle, Ref};
use crate::algo::sync::share::Share;
use crate::backend::trace::{self, TraceStream};
use crate::backend::{self, Fault, FaultKind, Observer, Op, Position, StreamOptions, Submit, Wait};
use crate::core::base::callback;
use crate::core::base::ending::Ending;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles::{self, Object};
use crate::core::base::host_memory;
use crate::core::graph::flow::run;
use crate::core::graph::recorder::Recorder;
use crate::core::graph::{capture, mode};
use crate::core::order::{self, Awaited, Lane};
use crate::core::runtime::device::Device;
use crate::core::runtime::state_callback;
use crate::core::runtime::thread;
use crate::core::stream::failure::Failures;
use crate::core::stream::report::Subscription;
use crate::core::stream::stream_attribute::Attributes;

/// The flags that a stream was created with, as numbers of the API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFlags(u32);

impl StreamFlags {
    const PERSISTENT: u32 = 0x04;
    const CPU_SCHEDULE: u32 = 0x10;
    const DEVICE_USE_ONLY: u32 = 0x20;
    const KNOWN: u32 = 0x3f;

    /// From C. Unknown bits mean nothing, as in the API.
    pub fn from_bits(bits: u32) -> Self {
        Self(bits & Self::KNOWN)
    }

    /// A stream that serves to build graphs.
    fn is_persistent(self) -> bool {
        self.0 & Self::PERSISTENT != 0
    }

    /// A stream that the host does not wait for: synchronizing it succeeds at once.
    fn host_does_not_wait(self) -> bool {
        self.0 & (Self::PERSISTENT | Self::CPU_SCHEDULE | Self::DEVICE_USE_ONLY) != 0
    }
}

/// A stream.
pub struct Stream {
    /// Its own handle.
    pub handle: Handle,
    /// Where it runs.
    pub device: Arc<Device>,
    /// The context that it belongs to.
    pub context: Handle,
    /// A small number, unique on its device.
    pub id: i32,
    /// The backend's stream. Private: every submission goes through [`Self::submit`].
    native: Share<dyn backend::Stream>,
    /// Takes the work in its place while the stream is captured.
    pub recorder: Recorder,
    failures: Arc<Failures>,
    /// Which thread of the program runs its callbacks.
    pub callbacks: Subscription,
    /// What is only kept.
    pub attributes: Attributes,
    /// The program's allocator for it.
    pub allocator: allocator::OfStream,
    flags: StreamFlags,
    priority: AtomicU32,
    /// The stream that NULL stands for; it lives as long as its context.
    is_default: bool,
    /// What memory pools know of it, from its first use of one on.
    pub lane: OnceLock<Arc<Lane>>,
    /// Its row in traces, from the first of its work on that was recorded.
    traced: OnceLock<Arc<trace::Lane>>,
}

handles::object!(Stream, Stream);

impl Stream {
    /// A new stream of `device` in `context`.
    pub fn create(
        device: &Arc<Device>,
        context: Handle,
        priority: u32,
        flags: StreamFlags,
        is_default: bool,
    ) -> Result<Handle> {
        let make = |options| device.native.create_stream(options);
        Self::create_with(device, context, priority, flags, is_default, make)
    }

    /// As [`Self::create`], with the device's part made by `native`.
    pub fn create_with(
        device: &Arc<Device>,
        context: Handle,
        priority: u32,
        flags: StreamFlags,
        is_default: bool,
        native: impl FnOnce(StreamOptions) -> backend::Result<Arc<dyn backend::Stream>>,
    ) -> Result<Handle> {
        let id = device.new_stream_id();
        let failures = Arc::new(Failures::new(device.id, context, id));
        let observer: Option<Arc<dyn Observer>> = Some(failures.clone());
        let native = Share::from(native(StreamOptions { priority, observer })?);
        let make = |handle| {
            let device = device.clone();
            let callbacks = Subscription::default();
            let persistent = flags.is_persistent();
            let recorder = Recorder::new(handle, device.id, persistent);
            Arc::new(Self {
                handle,
                device,
                context,
                id,
                native,
                recorder,
                failures,
                callbacks,
                attributes: Attributes::default(),
                allocator: allocator::OfStream::default(),
                flags,
                priority: AtomicU32::new(priority),
                is_default,
                lane: OnceLock::new(),
                traced: OnceLock::new(),
            })
        };
        Self::table().insert_with(make).ok_or_else(|| {
            let full =
                Error::new(Code::NoStreamResource, "no more streams can be made; destroy some");
            host_memory::no_handle(Self::table().is_full(), full)
        })
    }

    /// Waits for everything queued so far. The first failure of this stream that nobody was told
    /// of yet is the result, also where the time is over.
    pub fn wait_for_all(&self, deadline: Option<Instant>) -> Result<Wait> {
        let awaited = self.awaited();
        let waited = self.wait(deadline)?;
        if waited == Wait::Done
            && let Some(awaited) = awaited
        {
            awaited.is_over();
        }
        self.failures.report()?;
        Ok(waited)
    }

    /// As [`Self::wait_for_all`]; failures are left to others.
    pub fn wait(&self, deadline: Option<Instant>) -> Result<Wait> {
        Ok(self.native.synchronize(deadline)?)
    }

    /// What memory pools learn from a wait for everything queued so far, if anybody uses them.
    #[inline]
    fn awaited(&self) -> Option<Awaited> {
        order::is_tracked().then(|| Awaited::stream(self))
    }

    /// The last operation that was submitted, where the backend counts them.
    pub fn submitted(&self) -> Option<Position> {
        self.native.submitted()
    }

    /// Whether everything queued so far has finished.
    pub fn is_idle(&self) -> Result<bool> {
        Ok(self.native.is_idle()?)
    }

    /// As [`Self::failures`], for those who outlive the stream.
    pub fn share_failures(&self) -> Arc<Failures> {
        Arc::clone(&self.failures)
    }

    /// What failed here.
    pub fn failures(&self) -> &Failures {
        &self.failures
    }

    /// Queues an operation and returns its place in the stream. The calling thread remembers that as
    /// its last task.
    #[inline(always)]
    pub fn submit(&self, op: Op<'_>) -> Result<Position> {
        // Not `||`: one branch for both.
        if trace::is_on() | self.is_captured() {
            return self.submit_intercepted(op);
        }
        self.remember(self.native.submit(op))
    }

    /// As [`Self::submit`], for a stream that the caller has found not to be captured.
    #[inline(always)]
    pub fn submit_now(&self, op: Op<'_>) -> Result<Position> {
        if trace::is_on() {
            return self.submit_traced(op);
        }
        self.remember(self.native.submit(op))
    }

    #[cold]
    fn submit_intercepted(&self, op: Op<'_>) -> Result<Position> {
        if self.is_captured() {
            return self.submit_captured(|recorder| recorder.submit(op));
        }
        self.submit_traced(op)
    }

    /// Records work of a captured stream.
    pub fn submit_captured(
        &self,
        record: impl FnOnce(&Recorder) -> backend::Result<Position>,
    ) -> Result<Position> {
        self.remember(record(self.recorder.open()?))
    }

    #[cold]
    fn submit_traced(&self, op: Op<'_>) -> Result<Position> {
        match TraceStream::new(&*self.native, &*self.device.native, self.row()) {
            Some(traced) => self.remember(traced.submit(op)),
            None => self.remember(self.native.submit(op)),
        }
    }

    #[inline(always)]
    fn remember(&self, queued: backend::Result<Position>) -> Result<Position> {
        let position = queued.map_err(|fault| self.refused(fault))?;
        thread::note_task(position);
        Ok(position)
    }

    /// Its row in traces.
    fn row(&self) -> &trace::Lane {
        self.traced.get_or_init(|| {
            let Device { id, native, .. } = &*self.device;
            trace::Lane::new(*id, &native.info().name, self.id, self.is_default)
        })
    }

    /// Puts something into its row that happens when the stream has come to it, if its device's work
    /// is recorded.
    pub fn note(&self, note: impl FnOnce() -> trace::Note) {
        if trace::is_on_for(self.device.id) {
            self.row().note(&*self.native, &*self.device.native, note());
        }
    }

    /// Some of what it was given may never happen.
    fn note_abort(&self) {
        if let Some(row) = self.traced.get() {
            row.note_abort();
        }
    }

    /// Whether what it is given is recorded, or refused, and not run.
    #[inline(always)]
    pub fn is_captured(&self) -> bool {
        self.recorder.is_on()
    }

    /// Whether it is the one that NULL stands for.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    /// Fails while it is captured, which is then invalid.
    #[inline]
    fn check_not_captured(&self) -> Result<()> {
        if self.is_captured() { self.refuse_wait() } else { Ok(()) }
    }

    #[cold]
    fn refuse_wait(&self) -> Result<()> {
        // Nothing runs in streams that serve to build graphs, so nothing is waited for.
        match self.recorder.capture().filter(|capture| !capture.is_built) {
            Some(capture) => Err(mode::refuse_wait(&capture, Code::StreamCaptured, "the stream")),
            None => Ok(()),
        }
    }

    /// As [`Self::submit`], for work of the library's own: it is neither captured nor traced.
    #[inline(always)]
    pub fn queue_quietly(&self, op: Op<'_>) -> Result<Position> {
        self.native.submit(op).map_err(|fault| self.refused(fault))
    }

    /// What does the work, for those who outlive the stream.
    pub fn share_native(&self) -> Arc<dyn backend::Stream> {
        self.native.to_arc()
    }

    #[cold]
    fn refused(&self, fault: Fault) -> Error {
        let stopped = self.failures.refusal().filter(|_| fault.kind() == FaultKind::Abandoned);
        stopped.unwrap_or_else(|| fault.into())
    }

    /// Drops what has not started, and takes nothing more. The last operation that is kept.
    pub fn give_up(&self) -> Position {
        self.note_abort();
        run::stream_drops_work(self.handle);
        self.native.abandon()
    }

    /// Drops what has not started, and goes on: see [`backend::Stream::abort`].
    pub fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait {
        self.note_abort();
        if let Some(capture) = self.recorder.capture() {
            capture.spoil("one of its streams was aborted");
        }
        run::stream_drops_work(self.handle);
        let mut waited = self.native.abort(why.clone(), deadline);
        if run::drop_runs_of(self.handle, &why, deadline) == Wait::TimedOut {
            waited = Wait::TimedOut;
        }
        order::forget_waits(self);
        self.callbacks.give_up(self.handle);
        waited
    }

    /// How urgent it is, 0 the most.
    pub fn priority(&self) -> u32 {
        self.priority.load(Ordering::Relaxed)
    }

    /// Changes that, for what has not started.
    pub fn set_priority(&self, priority: u32) -> Result<()> {
        self.native.set_priority(priority)?;
        self.priority.store(priority, Ordering::Relaxed);
        Ok(())
    }

    /// The driver's own stream, if there is a driver; others may use it from then on.
    pub fn driver_stream(&self) -> Option<usize> {
        self.native.native()
    }

    /// What does the work, for what is no submission.
    #[inline]
    pub fn native(&self) -> &dyn backend::Stream {
        &*self.native
    }

    /// Its device is ending: waits for values last until then at the longest.
    pub fn limit_waits(&self, until: Instant) {
        run::limit(self.handle, until);
        self.native.limit_waits(until);
    }

    /// For a stream that is out of the table already: drops callbacks that have not started, waits
    /// for all else that is pending, then closes it to those who still hold it. A failure of its work that nobody was told of is told now.
    pub fn drain(&self, deadline: Option<Instant>) -> Ending {
        capture::stream_ends(self);
        let mut ending = Ending::default();
        let reader = self.callbacks.end(self.handle);
        self.native.retire();
        let mut waited = self.native.synchronize(deadline);
        if waited.as_ref().is_err_and(|fault| fault.kind() != FaultKind::Execution) {
            // What still runs uses memory that may go next: a refusal is no reason not to wait.
            ending.step(waited.map(drop));
            waited = self.native.synchronize(deadline);
        }
        order::stream_ended(self, self.native.abandon());
        match waited {
            Ok(Wait::TimedOut) => ending.timed_out = true,
            Ok(Wait::Done) => ending.step(self.failures.report_last()),
            // A device that failed has nothing left to wait for, and says so in every call.
            Err(fault) => ending.step_on_device(Err(fault)),
        }
        let left = reader.is_none_or(|reader| reader.wait_for_running(self.handle, deadline));
        ending.timed_out |= !left;
        ending
    }
}

/// The stream behind an argument: 0 is the default stream of the current context. The calling
/// thread needs a current context of the stream's device.
///
/// Inlined by force: every call on a stream begins with this, and its result would go through
/// memory.
#[inline(always)]
pub fn resolve(raw: u64) -> Result<Ref<'static, Stream>> {
    thread::refuse_inside_host_function()?;
    // Whoever ends a context takes it away first, and then its streams: a live stream of it needs
    // no look at the context itself.
    if let Some(stream) = Stream::table().get_raw(raw)
        && thread::is_current(stream.context)
    {
        return Ok(stream);
    }
    resolve_otherwise(raw)
}

/// As [`resolve`], for default streams, streams of other contexts, and what is none.
#[inline(never)]
fn resolve_otherwise(raw: u64) -> Result<Ref<'static, Stream>> {
    if raw == 0 {
        return thread::current()?.default_stream().ok_or_else(|| {
            Error::new(
                Code::ContextNull,
                "the current context is being destroyed by another thread",
            )
        });
    }
    // A dead handle is told first, also where there is no context any more.
    let stream = handles::get::<Stream>("stream", raw)?;
    let Some(context) = thread::current_now() else {
        // Setting a default device may wait for a reset, which waits for whoever holds a stream.
        drop(stream);
        thread::current()?;
        return resolve_otherwise(raw);
    };
    if !Arc::ptr_eq(&stream.device, &context.device) {
        return Err(Error::new(
            Code::StreamContext,
            format_args!(
                "stream {raw:#x} belongs to device {}, but the current context of this thread is on \
                 device {}; call aclrtSetDevice or aclrtSetCurrentContext",
                stream.device.id, context.device.id
            ),
        ));
    }
    Ok(stream)
}

/// The handle of the default stream of the current context.
pub fn current_default() -> Result<u64> {
    Ok(resolve(0)?.handle.raw())
}

/// aclrtStreamGetId.
pub fn id(raw: u64) -> Result<i32> {
    Ok(resolve(raw)?.id)
}

/// aclrtStreamGetFlags.
pub fn flags(raw: u64) -> Result<u32> {
    Ok(resolve(raw)?.flags.0)
}

/// aclrtStreamGetPriority.
pub fn priority(raw: u64) -> Result<u32> {
    Ok(resolve(raw)?.priority())
}

/// aclrtGetStreamAvailableNum: how many more handles there are.
pub fn available() -> Result<u32> {
    thread::current()?;
    Ok(Stream::table().room() as u32)
}

/// aclrtCreateStream, aclrtCreateStreamWithConfig. Their priority is accepted and has no meaning.
pub fn create(flags: u32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let flags = StreamFlags::from_bits(flags);
    let device = thread::current()?.device.clone();
    create_on(device, 0, flags)
}

/// The context that a new stream belongs to.
pub fn current_context() -> Result<Handle> {
    thread::current_handle().ok_or_else(|| {
        Error::new(Code::ContextNull, "this thread has no current context; call aclrtSetDevice")
    })
}

/// A new stream in the current context, which is on `device`.
pub fn create_on(device: Arc<Device>, priority: u32, flags: StreamFlags) -> Result<u64> {
    let stream = Stream::create(&device, current_context()?, priority, flags, false)?.raw();
    drop(device);
    state_callback::stream_created(stream);
    Ok(stream)
}

/// aclrtDestroyStream: waits for what is pending. aclrtDestroyStreamForce: drops it.
pub fn destroy(raw: u64, force: bool) -> Result<()> {
    if raw == 0 {
        return Err(Error::invalid_param(
            "stream is null; the default stream cannot be destroyed, it goes with its context",
        ));
    }
    let stream = resolve(raw)?;
    if stream.is_default {
        return Err(Error::param_invalid(format_args!(
            "stream {raw:#x} is the default stream of its context; it goes with the context"
        )));
    }
    if let Some(capture) = stream.recorder.capture().filter(|_| !force) {
        if capture.is_built {
            return Err(Error::param_invalid(format_args!(
                "stream {raw:#x} is bound to modelRI {:#x}; call aclmdlRIUnbindStream first, or aclmdlRIDestroy",
                capture.graph.raw()
            )));
        }
        return Err(Error::new(
            Code::StreamCaptured,
            format_args!(
                "stream {raw:#x} is being captured; call aclmdlRICaptureEnd first, or \
                 aclrtDestroyStreamForce, which ends the capture without a graph"
            ),
        ));
    }
    if !force && stream.recorder.is_updating() {
        return Err(Error::param_invalid(format_args!(
            "stream {raw:#x} changes a task group; call aclmdlRICaptureTaskUpdateEnd first, or \
             aclrtDestroyStreamForce, which leaves the group as it was"
        )));
    }
    drop(stream);
    if !force {
        callback::refuse_endless_end(|_, other| other == raw)?;
    }
    state_callback::stream_ends(raw);
    let stream = handles::remove::<Stream>("stream", raw)?;
    state_callback::stream_ended(stream.handle);
    let mut ending = Ending::default();
    if force {
        capture::stream_ends(&stream);
        let kept = stream.give_up();
        order::stream_ended(&*stream, kept);
        stream.callbacks.end(stream.handle);
    } else {
        ending = stream.drain(None);
    }
    drop(stream);
    slot_table::flush_deferred();
    ending.tell(format_args!("stream {raw:#x} is destroyed"))
}
