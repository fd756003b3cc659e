//! A stream, the ways into its backend, and its lookup: the stream argument of a call, and the calls for properties.

pub(super) mod lifetime;
pub(super) mod set;
pub mod stream_attribute;
pub(super) mod synchronize;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use std::{fmt, slice};

use crate::algo::host::notice::notice_once;
use crate::algo::map::slot_table::{Handle, Ref};
use crate::algo::map::typed_slots::Slots;
use crate::algo::sync::gap::Gap;
use crate::algo::sync::share::Share;
use crate::backend::stream::decorators;
use crate::backend::trace::{self, TraceStream};
use crate::backend::{self, Fault, FaultKind, NodeLaunch, Op, Position, Submit, Wait};
use crate::base::error::{Code, Error, Result, error_with};
use crate::base::handles::{self, Object};
use crate::order::checker::HostWait;
use crate::order::known::Known;
use crate::order::{self, KnownPositions, Lane, checker};
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::stream::failure::Failures;
use crate::stream::interceptor;
use crate::stream::report::Subscription;

/// The flags that a stream was created with, as numbers of the API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFlags(pub(super) u32);

impl StreamFlags {
    const PERSISTENT: u32 = 0x04;
    const CPU_SCHEDULE: u32 = 0x10;
    const DEVICE_USE_ONLY: u32 = 0x20;
    const KNOWN: u32 = 0x3f;

    /// Reads the bits of C. Unknown bits count as not given, and a line on standard error reports them.
    pub fn from_bits(bits: u64) -> Self {
        let unknown = bits & !u64::from(Self::KNOWN);
        if unknown != 0 {
            notice_once(&format!("the stream flags {unknown:#x} are unknown and are ignored"));
        }
        Self(bits as u32 & Self::KNOWN)
    }

    /// Whether the stream only builds graphs.
    pub(super) fn is_persistent(self) -> bool {
        self.0 & Self::PERSISTENT != 0
    }

    /// Whether the host never waits for the stream: a synchronize of it returns at once.
    pub(super) fn host_does_not_wait(self) -> bool {
        self.0 & (Self::PERSISTENT | Self::CPU_SCHEDULE | Self::DEVICE_USE_ONLY) != 0
    }
}

/// A stream.
#[repr(C)]
pub struct Stream {
    /// Its handle.
    pub handle: Handle,
    /// The device that it runs on.
    pub device: Arc<Device>,
    /// The context that it belongs to.
    pub context: Handle,
    /// A small number, unique on its device.
    pub id: i32,
    /// The backend's stream. Private: every submission goes through [`Self::submit`].
    pub(super) native: Share<dyn backend::Stream>,
    /// True if an interceptor takes its work.
    pub(super) is_captured: AtomicBool,
    /// The failures of its work.
    pub failures: Arc<Failures>,
    /// The thread of the program that runs its callbacks.
    pub callbacks: Subscription,
    /// State that features keep with it.
    pub features: Slots,
    pub(super) flags: StreamFlags,
    pub(super) priority: AtomicU32,
    /// True if it is the default stream of its context, and lives as long as that.
    pub is_default: bool,
    /// Its lane in the order of streams. It is set at the first use of a pool.
    pub(super) lane: OnceLock<Arc<Lane>>,
    /// Its row in traces. It is set at the first recorded operation.
    pub(super) traced: OnceLock<Arc<trace::Lane>>,
    pub(super) _gap: Gap,
}

handles::object!(Stream, Stream, |stream| !stream.is_default);

/// Writes the stream as texts name it.
impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stream {}", self.handle)
    }
}

impl Stream {
    /// Waits for everything enqueued so far. Returns the first failure of this stream that was not reported yet,
    /// also if the deadline passed.
    pub fn wait_for_all(&self, deadline: Option<Instant>) -> Result<Wait> {
        let awaited = order::is_tracked().then(|| KnownPositions::streams([&self.lane]));
        let known = self.known();
        let host = HostWait::begin(slice::from_ref(&known));
        let waited = host.wait(&checker::Awaited::Stream(self.handle.raw()), deadline, |until| self.wait(until))?;
        if waited == Wait::Done {
            awaited.into_iter().for_each(KnownPositions::is_over);
            known.is_seen();
        }
        self.failures.report()?;
        Ok(waited)
    }

    /// Waits as [`Self::wait_for_all`] does, and reports no failure.
    pub fn wait(&self, deadline: Option<Instant>) -> Result<Wait> {
        Ok(self.native.synchronize(deadline)?)
    }

    /// Returns the lane of the stream; the first call creates it.
    #[inline]
    pub fn lane(&self) -> Result<&Arc<Lane>> {
        match self.lane.get() {
            Some(lane) => Ok(lane),
            None => order::new_lane(&self.lane, self.native.to_arc(), &self.device.native, self.device.owner),
        }
    }

    /// Returns what the host knows after such a wait.
    #[inline]
    pub fn known(&self) -> Known {
        Known::stream(self.handle.raw())
    }

    /// Whether the stream is idle.
    pub fn is_idle(&self) -> Result<bool> {
        Ok(self.native.is_idle()?)
    }

    /// Queues an operation and returns its position. That becomes the last task of the calling thread.
    #[inline(always)]
    pub fn submit(&self, op: Op<'_>) -> Result<Position> {
        // `|` instead of `||` needs one branch for both.
        if decorators::any() | self.is_captured() {
            return self.submit_intercepted(op);
        }
        self.remember(self.native.submit(op))
    }

    /// Queues an operation as [`Self::submit`] does, for a stream that the caller has found not to be captured.
    #[inline(always)]
    pub(crate) fn submit_now(&self, op: Op<'_>) -> Result<Position> {
        if decorators::any() {
            return self.submit_decorated(op);
        }
        self.remember(self.native.submit(op))
    }

    #[cold]
    fn submit_intercepted(&self, op: Op<'_>) -> Result<Position> {
        if self.is_captured() {
            return interceptor::installed().submit(self, op);
        }
        self.submit_decorated(op)
    }

    #[cold]
    fn submit_decorated(&self, op: Op<'_>) -> Result<Position> {
        match checker::installed() {
            Some(checker) => checker.submit(self.handle.raw(), op, &mut |op| self.submit_traced(op)),
            None => self.submit_traced(op),
        }
    }

    /// Launches a kernel on a stream that is captured. `bind` returns the launch with copies of its arguments.
    #[cold]
    pub(crate) fn launch_intercepted(&self, bind: &mut dyn FnMut() -> backend::Result<NodeLaunch>) -> Result<Position> {
        interceptor::installed().launch(self, bind)
    }

    fn submit_traced(&self, op: Op<'_>) -> Result<Position> {
        // Checks come here, too. A row that no trace has would stay.
        let row = trace::is_on_for(self.device.id).then(|| self.row());
        let traced = row.and_then(|row| TraceStream::new(&*self.native, &*self.device.native, row));
        match traced {
            Some(traced) => self.remember(traced.submit(op)),
            None => self.remember(self.native.submit(op)),
        }
    }

    /// Converts what a submission returned. The position becomes the last task of the calling thread.
    #[inline(always)]
    pub fn remember(&self, queued: backend::Result<Position>) -> Result<Position> {
        let position = queued.map_err(|fault| self.refused(fault))?;
        thread::note_task(position);
        Ok(position)
    }

    /// Returns the row of the stream in traces. The first use creates it.
    fn row(&self) -> &trace::Lane {
        self.traced.get_or_init(|| {
            let Device { id, native, .. } = &*self.device;
            trace::Lane::new(*id, &native.info().name, self.id, self.is_default)
        })
    }

    /// Adds a note to the row of the stream, in the order of its work, if a trace of its device is recorded.
    pub fn note(&self, note: impl FnOnce() -> trace::Note) {
        if trace::is_on_for(self.device.id) {
            self.row().note(&*self.native, &*self.device.native, note());
        }
    }

    /// Notes in the row that pending operations may never run.
    pub(super) fn note_abort(&self) {
        if let Some(row) = self.traced.get() {
            row.note_abort();
        }
    }

    /// Whether an interceptor takes the work of the stream: the work is recorded, or refused, and does not run.
    #[inline(always)]
    pub fn is_captured(&self) -> bool {
        // Relaxed: the program orders a capture against the use of the stream by other threads.
        self.is_captured.load(Ordering::Relaxed)
    }

    /// Sets whether an interceptor takes the work. It always takes the work of a stream that only builds graphs.
    pub(crate) fn set_captured(&self, is_captured: bool) {
        self.is_captured.store(is_captured || self.builds_graphs(), Ordering::Relaxed);
    }

    /// Whether the stream only builds graphs, and runs nothing.
    pub(crate) fn builds_graphs(&self) -> bool {
        self.flags.is_persistent()
    }

    /// Fails if the host cannot wait for the stream, because it is captured.
    #[inline]
    pub(super) fn check_runs(&self) -> Result<()> {
        if self.is_captured() {
            interceptor::installed().check_wait(interceptor::Awaited::Stream(self))
        } else {
            Ok(())
        }
    }

    /// Queues work of the library itself, which is neither captured nor traced.
    #[inline(always)]
    pub fn queue_quietly(&self, op: Op<'_>) -> Result<Position> {
        self.native.submit(op).map_err(|fault| self.refused(fault))
    }

    #[cold]
    fn refused(&self, fault: Fault) -> Error {
        let stopped = self.failures.refusal().filter(|_| fault.kind() == FaultKind::Abandoned);
        stopped.unwrap_or_else(|| fault.into())
    }

    /// Returns the priority of the stream; 0 is the most urgent.
    pub fn priority(&self) -> u32 {
        self.priority.load(Ordering::Relaxed)
    }

    /// Changes the priority of pending and later operations.
    pub fn set_priority(&self, priority: u32) -> Result<()> {
        self.native.set_priority(priority)?;
        self.priority.store(priority, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the backend's stream, for calls that submit nothing.
    #[inline]
    pub fn native(&self) -> &dyn backend::Stream {
        &*self.native
    }
}

/// Looks up the stream of an argument: 0 is the default stream of the current context. Fails unless the calling
/// thread has a current context on the device of the stream.
///
/// Always inlined: every call on a stream begins with this, and its result would go through memory.
#[inline(always)]
pub fn resolve(raw: u64) -> Result<Ref<'static, Stream>> {
    thread::refuse_inside_host_function()?;
    // A context leaves its table before its streams do. So if a stream is live, its context need not be looked up.
    if let Some(stream) = Stream::table().get_raw(raw)
        && thread::is_current(stream.context)
    {
        return Ok(stream);
    }
    resolve_slow(raw)
}

/// Looks up default streams and streams of other contexts, and returns the error for handles of no stream.
#[inline(never)]
fn resolve_slow(raw: u64) -> Result<Ref<'static, Stream>> {
    if raw == 0 {
        return thread::current()?.default_stream().ok_or_else(|| {
            let why = "another thread is destroying the current context or resetting its device; call \
                           aclrtSetDevice or aclrtSetCurrentContext";
            Error::new(Code::ContextNull, why)
        });
    }
    // A dead handle is reported first, also without a current context.
    let stream = handles::get::<Stream>("stream", raw)?;
    let Some(context) = thread::current_now() else {
        // Setting a default device may wait for a reset, which waits for all holders of a stream.
        drop(stream);
        thread::current()?;
        return resolve_slow(raw);
    };
    if !Arc::ptr_eq(&stream.device, &context.device) {
        return Err(error_with!(
            Code::StreamContext,
            "stream {raw:#x} belongs to device {}, but the current context of this thread is on \
                 device {}; call aclrtSetDevice or aclrtSetCurrentContext for device {0} first",
            stream.device.id,
            context.device.id
        ));
    }
    Ok(stream)
}

/// Returns the handle of the default stream of the current context.
pub fn current_default() -> Result<u64> {
    Ok(resolve(0)?.handle.raw())
}

/// Implements aclrtStreamGetId.
pub fn id(raw: u64) -> Result<i32> {
    Ok(resolve(raw)?.id)
}

/// Implements aclrtStreamGetFlags.
pub fn flags(raw: u64) -> Result<u32> {
    Ok(resolve(raw)?.flags.0)
}

/// Implements aclrtStreamGetPriority.
pub fn priority(raw: u64) -> Result<u32> {
    Ok(resolve(raw)?.priority())
}

/// Implements aclrtGetStreamAvailableNum: returns how many more streams can be created.
pub fn available() -> Result<u32> {
    thread::current()?;
    Ok(Stream::table().room() as u32)
}
