//! Streams: the driver's own, non-blocking ones.

pub mod call_slots;
pub mod clock;
mod deferred;
pub mod event;
mod frees;
pub mod host_fn;
pub mod notify;
pub mod stream_value;
mod submit;
pub mod timed_wait;
pub mod watch;
pub mod workers;

use std::any::Any;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cudarc::driver::sys::{CUcontext, CUstream, CUstream_flags, CUstream_st};
use parking_lot::{Mutex, RwLock};

use deferred::Deferred;
pub(super) use deferred::Turn;
use frees::Frees;

use crate::algo::sync::biased_lock::BiasedLock;
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::runtime::context::Raw;
use crate::backend::cuda::runtime::device::DeviceState;
use crate::backend::cuda::stream::event::{Mark, poll_until};
use crate::backend::cuda::stream::host_fn::StreamCalls;
use crate::backend::cuda::stream::notify::EventRecords;
use crate::backend::cuda::stream::stream_value::ValueWaits;
use crate::backend::cuda::stream::watch::HostWaits;
use crate::backend::cuda::stream::workers::Job;
use crate::backend::{
    Failure, Fault, FaultKind, Observer, Position, Result, Stream, StreamOptions, Wait,
};

/// A stream behind the trait. When it is dropped its state stays in the driver's list until the
/// device has finished what was queued.
pub(super) struct CudaStream(Arc<StreamState>);

/// What is known of a stream of the driver.
pub(super) struct StreamState {
    device: Arc<DeviceState>,
    raw: Raw<CUstream_st>,
    /// Held while something is queued, so that what takes several driver calls stays together.
    submitting: BiasedLock<Submitting>,
    /// There are frees that the driver was not told.
    defers: AtomicBool,
    /// How many operations were queued. Counted after the driver took them, so that a driver
    /// that says "idle" has finished all that were counted before it was asked. Changed under
    /// `submitting` only.
    submitted: AtomicU64,
    /// The value of `submitted` up to which everything is known to have finished.
    finished: AtomicU64,
    /// The driver's stream is not ours to destroy.
    adopted: bool,
    /// Others may give the driver's stream work as well, which is not in `submitted`.
    shared: AtomicBool,
    /// It was given a copy from or to another device: it may use that one's memory.
    crosses: AtomicBool,
    frees: Frees,
    /// Nobody queues here any more: the [`CudaStream`] is gone.
    dropped: AtomicBool,
    /// Held for reading by whoever looks at somebody else's stream, for writing by whoever
    /// destroys one that was dropped: true from then on.
    destroyed: RwLock<bool>,
    /// See [`Stream::abandon`].
    abandoned: AtomicBool,
    /// How often it was aborted, and why the last time.
    aborts: AtomicU64,
    aborted: Mutex<Option<Fault>>,
    value_waits: ValueWaits,
    host_waits: HostWaits,
    event_records: EventRecords,
    /// See [`Stream::limit_waits`].
    waits_until: OnceLock<Instant>,
    observer: Option<Arc<dyn Observer>>,
    /// As it was made.
    priority: u32,
}

/// What is used while something is queued.
#[derive(Default)]
pub struct Submitting {
    /// For host functions: there since the first.
    calls: Option<StreamCalls>,
    deferred: Deferred,
}

/// A stream of the driver that does not wait for the legacy default stream, nor it for this one.
pub(super) fn create(device: &DeviceState, priority: u32) -> Result<Raw<CUstream_st>> {
    let mut raw: CUstream = std::ptr::null_mut();
    let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
    let priority: c_int = device.driver_priority(priority);
    // SAFETY: the driver writes the new stream's handle into `raw`; the priority is within its
    // range.
    device.create(|api| unsafe { api.stream_create_with_priority(&mut raw, flags, priority) })?;
    Ok(Raw(raw))
}

#[cold]
fn abandoned() -> Fault {
    Fault::new(FaultKind::Abandoned, "the stream was destroyed, or went with its device, meanwhile")
}

impl StreamState {
    pub(super) fn device(&self) -> &Arc<DeviceState> {
        &self.device
    }

    pub(super) fn raw(&self) -> Raw<CUstream_st> {
        self.raw
    }

    pub(super) fn is_abandoned(&self) -> bool {
        // Relaxed: a flag by itself; work that is under way may or may not see it.
        self.abandoned.load(Ordering::Relaxed)
    }

    pub(super) fn aborts(&self) -> u64 {
        self.aborts.load(Ordering::Acquire)
    }

    /// Whether what was queued when there had been so many aborts is left out, if it can be.
    pub(super) fn has_dropped(&self, aborts: u64) -> bool {
        self.is_abandoned() || self.aborts() != aborts
    }

    /// Fails if an abort came since there had been so many.
    fn check_aborts(&self, aborts: u64) -> Result<()> {
        if self.aborts() == aborts {
            return Ok(());
        }
        self.aborted.lock().clone().map_or(Ok(()), Err)
    }

    /// Waits for values that the driver has, perhaps still.
    pub(super) fn value_waits(&self) -> &ValueWaits {
        &self.value_waits
    }

    /// Waits that the host watches.
    pub(super) fn host_waits(&self) -> &HostWaits {
        &self.host_waits
    }

    /// Records of events that other processes may wait for.
    pub(super) fn event_records(&self) -> &EventRecords {
        &self.event_records
    }

    /// Until when its waits may last, where it is ending.
    pub(super) fn waits_until(&self) -> Option<Instant> {
        self.waits_until.get().copied()
    }

    /// Tells of a failure, and drops `hold` when those have been told who are to be told before.
    pub(super) fn fail<T: Send + 'static>(&self, failure: Failure, hold: T) {
        let Some(tell) = self.observer.as_ref().and_then(|observer| observer.failed(failure))
        else {
            return;
        };
        let job = move || {
            tell.run();
            drop(hold);
        };
        if let Err(job) = self.device.driver().workers().start(Box::new(job)) {
            // No thread can be had: late is better than never.
            job.run();
        }
    }

    pub(super) fn observer(&self) -> Option<&Arc<dyn Observer>> {
        self.observer.as_ref()
    }

    /// The next operation uses memory of another device.
    pub(super) fn note_crossing(&self) {
        // Relaxed: who sees the operation counted sees this too.
        self.crosses.store(true, Ordering::Relaxed);
    }

    /// Its work may use memory of other devices.
    pub(super) fn crosses(&self) -> bool {
        self.crosses.load(Ordering::Relaxed)
    }

    pub(super) fn is_dropped(&self) -> bool {
        // Acquire, with the Release in drop: its last operations are counted.
        self.dropped.load(Ordering::Acquire)
    }

    /// Gives the driver something to do in this stream.
    #[inline(always)]
    pub(super) fn submit(&self, queue: impl FnOnce() -> Result<()>) -> Result<Position> {
        self.submit_with_calls(
            #[inline(always)]
            |_| queue(),
        )
    }

    /// As [`Self::submit`], with what the stream has for host functions.
    #[inline(always)]
    pub(super) fn submit_with_calls(
        &self,
        queue: impl FnOnce(&mut Option<StreamCalls>) -> Result<()>,
    ) -> Result<Position> {
        if self.is_abandoned() {
            return Err(abandoned());
        }
        let mut submitting = self.submitting.lock();
        self.settle_deferred(&mut submitting);
        let queued = queue(&mut submitting.calls);
        let position = self.count_submitted();
        drop(submitting);
        queued.map(|()| position)
    }

    /// Something was queued, also where that failed: a part may have been.
    #[inline(always)]
    fn count_submitted(&self) -> Position {
        // Release, with the Acquire in `is_known_idle`: whoever sees the count knows that there is something to
        // ask about.
        let position = self.submitted.load(Ordering::Relaxed) + 1;
        self.submitted.store(position, Ordering::Release);
        position
    }

    #[inline]
    pub(super) fn submit_calls(&self, calls: impl FnOnce(&Api) -> Outcome) -> Result<Position> {
        self.submit(|| self.device.call_here(calls))
    }

    /// Everything queued so far has been seen to finish: three loads, no question to the driver.
    pub(super) fn is_known_idle(&self) -> bool {
        let submitted = self.submitted.load(Ordering::Acquire);
        self.has_finished(submitted)
    }

    fn has_finished(&self, submitted: u64) -> bool {
        // Relaxed: who shares the stream with others and waits for their work orders the two.
        !self.shared.load(Ordering::Relaxed) && self.finished.load(Ordering::Acquire) == submitted
    }

    /// Everything queued so far has finished.
    pub(super) fn is_idle(&self) -> Result<bool> {
        let submitted = self.submitted.load(Ordering::Acquire);
        if self.has_finished(submitted) {
            return Ok(true);
        }
        // SAFETY: the stream lives as long as its device is open.
        let idle = self.device.poll(|api| unsafe { api.stream_query(self.raw.0) })?;
        if idle {
            self.note_finished(submitted);
        }
        Ok(idle)
    }

    /// Runs `look` while the stream exists; `None` when it is gone, or its device.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Self) -> T) -> Option<T> {
        let _open = self.device.keep_open()?;
        let destroyed = self.destroyed.read();
        (!*destroyed).then(|| look(self))
    }

    /// As [`Self::is_idle`], for those who come from elsewhere and may be late: a stream that is
    /// gone, or whose device has failed, runs nothing.
    pub(super) fn is_settled(&self) -> bool {
        // A driver that refuses to answer is asked once more; one that refuses again has failed.
        let is_idle = |stream: &Self| stream.is_idle().or_else(|_| stream.is_idle());
        self.is_known_idle() || self.look(is_idle).is_none_or(|idle| idle.unwrap_or(true))
    }

    /// Destroys a dropped stream that has finished and was taken out of the driver's list.
    pub(super) fn destroy(&self) {
        let mut destroyed = self.destroyed.write();
        *destroyed = true;
        self.end_deferred();
        self.value_waits.clear();
        self.frees.clear();
        if !self.adopted {
            // SAFETY: idle, and destroyed by the one who took it out of the list.
            let destroy = |api: &Api| unsafe { api.stream_destroy(self.raw.0) };
            self.device.driver().end_in(self.device.context(), destroy);
        }
        let calls = self.submitting.lock().calls.take();
        calls.into_iter().for_each(StreamCalls::end);
    }

    /// Waits until everything queued before has finished.
    pub(super) fn finish(&self) -> Result<()> {
        let submitted = self.submitted.load(Ordering::Acquire);
        // SAFETY: the stream's handle lives as long as `self`, and synchronising it takes nothing
        // else.
        self.device.call(|api| unsafe { api.stream_synchronize(self.raw.0) })?;
        self.note_finished(submitted);
        Ok(())
    }

    fn note_finished(&self, submitted: u64) {
        // Release: what was learnt from the driver comes before. Never backwards: two threads may
        // have asked at different times. (`fetch_max` would do, but ThreadSanitizer does not see it.)
        let later = |finished| (finished < submitted).then_some(submitted);
        let _ = self.finished.fetch_update(Ordering::Release, Ordering::Relaxed, later);
    }
}

impl CudaStream {
    pub(super) fn new(device: &Arc<DeviceState>, options: StreamOptions) -> Result<Self> {
        Ok(Self::around(device, create(device, options.priority)?, options, false))
    }

    /// A stream around one that somebody else made and destroys.
    pub(super) fn adopt(
        device: &Arc<DeviceState>,
        native: usize,
        options: StreamOptions,
    ) -> Result<Self> {
        let raw: CUstream = std::ptr::with_exposed_provenance_mut(native);
        let mut context: CUcontext = std::ptr::null_mut();
        // SAFETY: a stream of the driver, as the C contract has it, and a place for the answer.
        device.call(|api| unsafe { api.stream_get_ctx(raw, &mut context) })?;
        if context != device.context().raw().0 {
            return Err(Fault::new(
                FaultKind::Driver,
                format!(
                    "the driver's stream {native:#x} is not of the primary context of the current \
                     device; make that stream's device current, and create the stream in its primary \
                     context"
                ),
            ));
        }
        Ok(Self::around(device, Raw(raw), options, true))
    }

    fn around(
        device: &Arc<DeviceState>,
        raw: Raw<CUstream_st>,
        options: StreamOptions,
        adopted: bool,
    ) -> Self {
        let state = Arc::new(StreamState {
            device: Arc::clone(device),
            raw,
            adopted,
            shared: AtomicBool::new(adopted),
            submitting: BiasedLock::new(Submitting::default()),
            defers: AtomicBool::new(false),
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            crosses: AtomicBool::new(false),
            frees: Frees::new(adopted),
            dropped: AtomicBool::new(false),
            destroyed: RwLock::new(false),
            abandoned: AtomicBool::new(false),
            aborts: AtomicU64::new(0),
            aborted: Mutex::default(),
            value_waits: ValueWaits::default(),
            host_waits: HostWaits::default(),
            event_records: EventRecords::default(),
            waits_until: OnceLock::new(),
            observer: options.observer,
            priority: options.priority,
        });
        device.driver().add_stream(&state);
        Self(state)
    }

    /// One of ours, behind the trait.
    pub(super) fn of(stream: &dyn Stream) -> Result<&Self> {
        stream.as_any().downcast_ref().ok_or_else(|| {
            Fault::new(FaultKind::Driver, "the stream was not made by the cuda backend")
        })
    }

    pub(super) fn state(&self) -> &StreamState {
        &self.0
    }

    fn device(&self) -> &Arc<DeviceState> {
        &self.0.device
    }

    /// An answer that whoever gets it may take for a failure: those are told first who wanted it.
    pub(super) fn told<T>(&self, answer: Result<T>) -> Result<T> {
        if answer.is_err() {
            self.device().tell_failure();
        }
        answer
    }

    fn wait_for_all(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.device().context().healthy()?;
        self.settle();
        stream_value::settle(&self.0, deadline)?;
        let pools = self.device().driver().known_pools().are_used();
        if pools {
            // They give back what other streams have freed as well.
            self.device().driver().tell_deferred();
        }
        if self.0.is_known_idle() && !pools {
            return Ok(Wait::Done);
        }
        let aborts = self.0.aborts();
        let Some(deadline) = deadline else {
            self.0.finish()?;
            self.device().driver().reap();
            return self.0.check_aborts(aborts).map(|()| Wait::Done);
        };
        // The driver has no bounded wait. A mark and not the stream is polled, or a stream that is
        // given work all the time would never be done.
        if !pools && self.0.is_idle()? {
            return Ok(Wait::Done);
        }
        let submitted = self.0.submitted.load(Ordering::Acquire);
        let mark = Mark::new(&self.0)?;
        let wait = poll_until(deadline, || {
            self.0.check_aborts(aborts)?;
            mark.poll()
        })?;
        if wait == Wait::Done {
            self.0.note_finished(submitted);
            if pools {
                mark.finish()?;
            }
            drop(mark);
            self.device().driver().reap();
        }
        Ok(wait)
    }
}

impl Stream for CudaStream {
    fn limit_waits(&self, until: Instant) {
        self.0.host_waits.limit(*self.0.waits_until.get_or_init(|| until));
    }

    fn is_idle(&self) -> Result<bool> {
        self.settle();
        let idle = self.device().context().healthy().and_then(|()| self.0.is_idle());
        self.told(idle)
    }

    fn is_known_idle(&self) -> bool {
        self.0.is_known_idle() && !self.0.defers() && self.device().context().healthy().is_ok()
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.told(self.wait_for_all(deadline))
    }

    /// The driver cannot drop work: what it holds will run, except for host functions that have
    /// not started, and waits that the host watches.
    fn abandon(&self) -> Position {
        self.0.abandoned.store(true, Ordering::Relaxed);
        self.0.host_waits.give_up();
        self.0.submitted.load(Ordering::Acquire)
    }

    /// As [`Self::abandon`]: records happen, so nobody is left waiting for one.
    fn abort(&self, why: Fault, _deadline: Option<Instant>) -> Wait {
        *self.0.aborted.lock() = Some(why);
        self.0.aborts.fetch_add(1, Ordering::Release);
        self.0.host_waits.give_up();
        Wait::Done
    }

    fn retire(&self) {
        self.settle();
    }

    fn set_priority(&self, priority: u32) -> Result<()> {
        if priority == self.0.priority {
            return Ok(());
        }
        Err(Fault::new(
            FaultKind::Unsupported,
            format!(
                "the driver keeps the priority {} that the stream was made with; give \
                 aclrtCreateStreamV2 the priority {priority}",
                self.0.priority
            ),
        ))
    }

    fn native(&self) -> Option<usize> {
        self.0.shared.store(true, Ordering::Relaxed);
        self.settle();
        Some(self.0.raw.0.expose_provenance())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        // Release: after the last count, see `is_dropped`.
        self.0.dropped.store(true, Ordering::Release);
        self.0.device.driver().stream_dropped();
    }
}
