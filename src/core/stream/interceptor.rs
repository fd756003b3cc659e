//! Takes work of a stream before its backend does: captures of graphs, and changes of task groups.
//!
//! Streams and events know nothing of graphs. The region of graphs implements [`Interceptor`] and installs it. A stream
//! that is not intercepted pays for this with one branch for each operation.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::backend::{self, Fault, NodeLaunch, Op, Position, Wait};
use crate::base::callback;
use crate::base::error::Result;
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::stream::event::Event;
use crate::stream::stream::Stream;

/// Takes the work of intercepted streams.
pub trait Interceptor: Sync {
    /// Takes an operation. Returns its position in the stream.
    fn submit(&self, stream: &Stream, op: Op<'_>) -> Result<Position>;

    /// Takes the launch of a kernel. `bind` returns it with copies of its arguments.
    fn launch(&self, stream: &Stream, bind: &mut dyn FnMut() -> backend::Result<NodeLaunch>) -> Result<Position>;

    /// Takes a record, wait or reset of `event`, whose handle is `raw`, if the stream is intercepted or the latest
    /// record of the event was. Returns false if neither is true any more; the stream then runs it.
    fn use_event(&self, stream: &Stream, event: &Event, raw: u64, usage: EventUse) -> Result<bool>;

    /// Fails if the host cannot wait for this or query it, because it was taken and does not run.
    fn check_wait(&self, awaited: Awaited<'_>) -> Result<()>;

    /// Fails if a capture forbids such a call to the calling thread.
    fn check_call(&self, call: CallClass) -> Result<()>;

    /// Fails if the stream cannot be destroyed without force.
    fn check_destroy(&self, stream: &Stream) -> Result<()>;

    /// Aborts what runs in other streams for a stream that has aborted its pending work. Waits until operations on
    /// memory that have begun there have completed, or until the deadline.
    fn abort(&self, stream: &Stream, why: &Fault, deadline: Option<Instant>) -> Wait;

    /// Notes a change of a stream, intercepted or not.
    fn note(&self, stream: &Stream, change: StreamChange);
}

/// A use of an event by a stream. External uses are for events outside of the graph, in each of its runs.
pub enum EventUse {
    /// Records the event.
    Record,
    /// Records the event in each run.
    RecordExternal,
    /// Waits for the event.
    Wait,
    /// Waits for the event in each run.
    WaitExternal,
    /// Resets the event.
    Reset,
}

/// The object that the host waits for or queries.
pub enum Awaited<'a> {
    /// A stream.
    Stream(&'a Stream),
    /// The latest record of an event.
    Event(&'a Event),
    /// All streams of a device.
    Device(&'a Device),
}

/// Calls that captures can forbid, by their mode.
pub enum CallClass {
    /// The call moves memory outside of stream order.
    Unordered,
    /// The call waits.
    Waiting,
}

/// A change of a stream.
pub enum StreamChange {
    /// The stream is about to drop its pending work, and continues.
    Aborted,
    /// The stream is about to drop its pending work, and accepts no more.
    Stopped,
    /// The device of the stream is in teardown: pending work has until this time.
    Limited(Instant),
    /// The stream is about to end.
    Destroying,
}

/// The installed interceptor.
static INSTALLED: OnceLock<&dyn Interceptor> = OnceLock::new();
/// Number of active captures.
static CAPTURES: AtomicUsize = AtomicUsize::new(0);

/// Installs the interceptor of all streams. The first one stays.
pub fn install(interceptor: &'static dyn Interceptor) {
    INSTALLED.get_or_init(|| interceptor);
}

/// Returns the interceptor.
pub fn installed() -> &'static dyn Interceptor {
    *INSTALLED.get().expect("the first call installs it")
}

/// An active capture, as long as this exists.
pub struct Capturing(());

impl Capturing {
    /// Counts a capture that begins.
    pub fn begin() -> Self {
        CAPTURES.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Capturing {
    fn drop(&mut self) {
        CAPTURES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether any capture is going on.
#[inline]
fn is_capturing() -> bool {
    // Relaxed: a thread sees its own captures; those of other threads begin at the same time as its call.
    CAPTURES.load(Ordering::Relaxed) != 0
}

/// Checks a call that moves memory outside of stream order. Fails inside host functions, and if a capture forbids the
/// call to this thread.
#[inline]
pub fn check_unordered() -> Result<()> {
    thread::refuse_inside_host_function()?;
    if is_capturing() { check_call(CallClass::Unordered) } else { Ok(()) }
}

/// Checks a call that waits before it returns, such as an asynchronous copy of pageable memory. Fails if the wait would
/// not end, or if a capture forbids it to this thread.
#[inline]
pub(crate) fn check_waiting() -> Result<()> {
    callback::refuse_endless_wait()?;
    if is_capturing() { check_call(CallClass::Waiting) } else { Ok(()) }
}

#[cold]
fn check_call(call: CallClass) -> Result<()> {
    installed().check_call(call)
}

/// Checks a wait for all streams of a device. Fails if one of them is captured.
#[inline]
pub(crate) fn check_device(device: &Device) -> Result<()> {
    if is_capturing() { installed().check_wait(Awaited::Device(device)) } else { Ok(()) }
}
