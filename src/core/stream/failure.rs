//! Failures of enqueued work: what a stream remembers of them, which calls report them, and which streams stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::backend::{Failure, Fault, HostFn, Observer, Position};
use crate::base::error::{Error, Result, invalid_param, param_invalid};
use crate::stream::exception::{self, Exception};

/// The modes after a failure, as the API numbers them.
pub mod mode {
    /// The stream goes on with the next operation.
    pub const CONTINUE: u64 = 0;
    /// The stream stops, and with it all streams of its context.
    pub const STOP: u64 = 1;
}

/// The reason for which the streams of a context stopped.
pub(super) struct Stop {
    fault: Fault,
    /// True if the stop was reported.
    reported: AtomicBool,
}

impl Stop {
    pub(super) fn new(fault: &Fault) -> Arc<Self> {
        Arc::new(Self { fault: fault.clone(), reported: AtomicBool::new(false) })
    }
}

/// The failures of a stream, as its backend reports them. It stores only numbers of the stream, because a reference to
/// a stream or a device would delay a reset.
pub struct Failures {
    device: u32,
    context: Handle,
    stream: i32,
    /// The function that stops the streams of a context.
    stop_context: fn(Handle, &Fault),
    /// A value of [`mode`]. Without one the stream continues.
    mode: OnceLock<u64>,
    /// True if there is a failure to report. The fast path reads only this.
    pending: AtomicBool,
    /// The first unreported failure and the position of its operation.
    first: Mutex<Option<(Fault, Position)>>,
    /// The reason that stopped the stream. From then on every synchronize returns it.
    stopped: OnceLock<Arc<Stop>>,
    /// The position of the last operation that was not dropped when the stream stopped, 0 until it is known. Until then
    /// every record counts as dropped, because a failure must not be missed.
    kept: AtomicU64,
}

impl Failures {
    /// Creates the state without failures of stream number `stream` in `context` on device number `device`.
    /// `stop_context` stops the streams of a context after a failure.
    pub fn new(device: u32, context: Handle, stream: i32, stop_context: fn(Handle, &Fault)) -> Self {
        Self {
            device,
            context,
            stream,
            stop_context,
            mode: OnceLock::new(),
            pending: AtomicBool::new(false),
            first: Mutex::new(None),
            stopped: OnceLock::new(),
            kept: AtomicU64::new(0),
        }
    }

    /// Returns the mode after a failure: a value of [`mode`].
    pub fn mode(&self) -> u64 {
        self.mode.get().copied().unwrap_or(mode::CONTINUE)
    }

    /// Sets the mode after a failure, once.
    pub fn set_mode(&self, argument: &str, mode: u64) -> Result<()> {
        if mode > mode::STOP {
            return Err(invalid_param!(
                "{argument} is {mode}; allowed: ACL_CONTINUE_ON_FAILURE 0 and ACL_STOP_ON_FAILURE 1"
            ));
        }
        self.mode.set(mode).map_err(|_| {
            param_invalid!(
                "{argument} is {mode}, but the failure mode of stream number {} was set to {} before, and can be set \
                 only once; keep mode {1}, or set the mode of a new stream",
                self.stream,
                self.mode()
            )
        })
    }

    /// Returns the first unreported failure, or the reason that stopped the stream.
    #[inline]
    pub fn report(&self) -> Result<()> {
        self.report_before(Position::MAX)
    }

    /// Whether [`Self::report`] has something to return.
    #[inline]
    pub fn are_pending(&self) -> bool {
        self.pending.load(Ordering::Acquire)
    }

    /// Returns what [`Self::report`] returns, for failures up to an operation.
    #[inline]
    pub(crate) fn report_before(&self, position: Position) -> Result<()> {
        if self.are_pending() { self.return_first(position) } else { Ok(()) }
    }

    /// Returns what [`Self::report`] returns, when the stream ends. The reason that stopped it is returned only if no
    /// call has reported it.
    pub(crate) fn report_last(&self) -> Result<()> {
        let known = self.stopped.get().is_some_and(|stop| stop.reported.load(Ordering::Acquire));
        if known { Ok(()) } else { self.report() }
    }

    #[cold]
    fn return_first(&self, before: Position) -> Result<()> {
        if let Some(stop) = self.stopped.get()
            && before > self.kept.load(Ordering::Acquire)
        {
            return Err(self.has_stopped(stop));
        }
        let mut first = self.first.lock();
        let Some((fault, _)) = first.take_if(|(_, position)| *position <= before) else { return Ok(()) };
        self.pending.store(self.stopped.get().is_some(), Ordering::Release);
        Err(fault.into())
    }

    /// Returns the error for new work, if a failure stopped the stream.
    pub fn refusal(&self) -> Option<Error> {
        self.stopped.get().map(|stop| self.has_stopped(stop))
    }

    fn has_stopped(&self, stop: &Stop) -> Error {
        stop.reported.store(true, Ordering::Release);
        let error = Error::from(stop.fault.clone());
        let text = format!(
            "stream number {} was stopped, and its enqueued work was dropped, because work of its context failed under \
             ACL_STOP_ON_FAILURE: {}; destroy the stream (a default stream is released with its context)",
            self.stream,
            error.text()
        );
        error.with_text(text)
    }

    /// Notes that the stream is about to stop for this reason. The first reason stays.
    pub(super) fn note_stop(&self, stop: &Arc<Stop>) {
        // `pending` changes under this lock only.
        let _first = self.first.lock();
        let _ = self.stopped.set(Arc::clone(stop));
        self.pending.store(true, Ordering::Release);
    }

    /// Notes that the stream has stopped, and that this was its last operation.
    pub(super) fn note_kept(&self, kept: Position) {
        self.kept.store(kept, Ordering::Release);
    }
}

impl Observer for Failures {
    fn failed(&self, failure: Failure) -> Option<HostFn> {
        let Failure { fault, position, thread, launch } = failure;
        let unknown = Exception::UNKNOWN;
        let code = Error::from(fault.clone()).value();
        let exception = Exception {
            task: position.map_or(unknown, |position| position as u32),
            stream: position.map_or(unknown, |_| self.stream as u32),
            thread: thread.unwrap_or(unknown),
            device: self.device,
            code: code as u32,
            launch: launch.map(Arc::new),
        };
        // A failure without a position is one of the whole device, which every call on it returns.
        if let Some(position) = position {
            let mut first = self.first.lock();
            first.get_or_insert_with(|| (fault.clone(), position));
            self.pending.store(true, Ordering::Release);
            drop(first);
            if self.mode() == mode::STOP {
                (self.stop_context)(self.context, &fault);
            }
        }
        exception::announce(exception)
    }
}

/// The latest record of an event: its stream and position, two numbers that are written and read together without a
/// lock.
#[derive(Default)]
pub struct Recorded {
    stream: AtomicU64,
    /// The position, shifted left, and bits of the stream's handle below it. A reader uses the bits to detect that the
    /// two numbers do not belong together.
    position: AtomicU64,
}

impl Recorded {
    /// Bits of a handle that distinguish live streams: those of its slot.
    const TAG_BITS: u32 = 24;

    /// Notes that `stream` has recorded the event as its operation `position`.
    pub fn set(&self, stream: Handle, position: Position) {
        self.position.store(position << Self::TAG_BITS | Self::tag(stream), Ordering::Release);
        self.stream.store(stream.raw(), Ordering::Release);
    }

    /// Whether a stream has recorded the event.
    #[inline]
    pub fn exists(&self) -> bool {
        self.stream.load(Ordering::Acquire) != 0
    }

    /// Returns the stream and the position. `None`: the event was never recorded, or is being recorded now.
    pub fn get(&self) -> Option<(Handle, Position)> {
        let stream = Handle::from_raw(self.stream.load(Ordering::Acquire))?;
        let position = self.position.load(Ordering::Acquire);
        let fits = position & ((1 << Self::TAG_BITS) - 1) == Self::tag(stream);
        fits.then_some((stream, position >> Self::TAG_BITS))
    }

    fn tag(stream: Handle) -> u64 {
        stream.raw() & ((1 << Self::TAG_BITS) - 1)
    }
}
