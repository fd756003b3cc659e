//! The state of a stream, which it shares with the driver's list: what was queued, and what is known to be over.

mod calls;
mod deferred;
mod frees;
mod list;
mod waits;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cudarc::driver::sys::CUstream_st;
use parking_lot::{Mutex, RwLock};

pub use calls::StreamCalls;
use deferred::Deferred;
pub use deferred::Turn;
use frees::Frees;
pub use waits::{DriverWait, HostWait};
use waits::{EventRecords, HostWaits, ValueWaits};

use crate::algo::sync::biased_lock::BiasedLock;
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::runtime::context::Raw;
use crate::backend::cuda::runtime::device_state::DeviceState;
use crate::backend::cuda::stream::mark::Mark;
use crate::backend::cuda::stream::workers::Job;
use crate::backend::{Failure, Fault, FaultKind, Observer, Position, Result, StreamOptions};

/// What is known of a stream of the driver.
pub struct StreamState {
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
    /// Nobody queues here any more: the [`Stream`](crate::backend::Stream) is gone.
    dropped: AtomicBool,
    /// Held for reading by whoever looks at somebody else's stream, for writing by whoever
    /// destroys one that was dropped: true from then on.
    destroyed: RwLock<bool>,
    /// See [`abandon`](crate::backend::Stream::abandon).
    abandoned: AtomicBool,
    /// How often it was aborted, and why the last time.
    aborts: AtomicU64,
    aborted: Mutex<Option<Fault>>,
    value_waits: ValueWaits,
    host_waits: HostWaits,
    event_records: EventRecords,
    /// See [`limit_waits`](crate::backend::Stream::limit_waits).
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

#[cold]
fn abandoned() -> Fault {
    Fault::new(FaultKind::Abandoned, "the stream was destroyed, or went with its device, meanwhile")
}

impl StreamState {
    /// The state of a stream around the driver's `raw`, in the driver's list. `adopted`: another library created it
    /// and destroys it.
    pub fn new(
        device: &Arc<DeviceState>,
        raw: Raw<CUstream_st>,
        options: StreamOptions,
        adopted: bool,
    ) -> Arc<Self> {
        let state = Arc::new(Self {
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
        state
    }

    #[inline]
    pub fn device(&self) -> &Arc<DeviceState> {
        &self.device
    }

    #[inline]
    pub fn raw(&self) -> Raw<CUstream_st> {
        self.raw
    }

    pub fn is_abandoned(&self) -> bool {
        // Relaxed: a flag by itself; work that is under way may or may not see it.
        self.abandoned.load(Ordering::Relaxed)
    }

    pub fn aborts(&self) -> u64 {
        self.aborts.load(Ordering::Acquire)
    }

    /// Whether what was queued when there had been so many aborts is left out, if it can be.
    pub fn has_dropped(&self, aborts: u64) -> bool {
        self.is_abandoned() || self.aborts() != aborts
    }

    /// Leaves out what has not begun: see [`abandon`](crate::backend::Stream::abandon).
    pub fn abandon(&self) -> Position {
        self.abandoned.store(true, Ordering::Relaxed);
        self.host_waits.give_up();
        self.submitted()
    }

    /// Leaves out what has not begun, and reports `why` to those who wait now.
    pub fn abort(&self, why: Fault) {
        *self.aborted.lock() = Some(why);
        self.aborts.fetch_add(1, Ordering::Release);
        self.host_waits.give_up();
    }

    /// Fails if an abort came since there had been so many.
    pub fn check_aborts(&self, aborts: u64) -> Result<()> {
        if self.aborts() == aborts {
            return Ok(());
        }
        self.aborted.lock().clone().map_or(Ok(()), Err)
    }

    /// Waits for values that the driver has, perhaps still.
    pub fn value_waits(&self) -> &ValueWaits {
        &self.value_waits
    }

    /// Waits that the host watches.
    pub fn host_waits(&self) -> &HostWaits {
        &self.host_waits
    }

    /// Records of events that other processes may wait for.
    pub fn event_records(&self) -> &EventRecords {
        &self.event_records
    }

    /// See [`limit_waits`](crate::backend::Stream::limit_waits).
    pub fn limit_waits(&self, until: Instant) {
        self.host_waits.limit(*self.waits_until.get_or_init(|| until));
    }

    /// Until when its waits may last, where it is ending.
    pub fn waits_until(&self) -> Option<Instant> {
        self.waits_until.get().copied()
    }

    /// Tells of a failure, and drops `hold` when those have been told who are to be told before.
    pub fn fail<T: Send + 'static>(&self, failure: Failure, hold: T) {
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

    pub fn observer(&self) -> Option<&Arc<dyn Observer>> {
        self.observer.as_ref()
    }

    /// The next operation uses memory of another device.
    pub fn note_crossing(&self) {
        // Relaxed: who sees the operation counted sees this too.
        self.crosses.store(true, Ordering::Relaxed);
    }

    /// Its work may use memory of other devices.
    pub fn crosses(&self) -> bool {
        self.crosses.load(Ordering::Relaxed)
    }

    /// The [`Stream`](crate::backend::Stream) of it is dropped.
    pub fn note_dropped(&self) {
        // Release: after the last count, see `is_dropped`.
        self.dropped.store(true, Ordering::Release);
    }

    pub fn is_dropped(&self) -> bool {
        // Acquire, with the Release in drop: its last operations are counted.
        self.dropped.load(Ordering::Acquire)
    }

    /// Gives the driver something to do in this stream.
    #[inline(always)]
    pub fn submit(&self, queue: impl FnOnce() -> Result<()>) -> Result<Position> {
        self.submit_with_calls(
            #[inline(always)]
            |_| queue(),
        )
    }

    /// As [`Self::submit`], with what the stream has for host functions.
    #[inline(always)]
    pub fn submit_with_calls(
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
    pub fn submit_calls(&self, calls: impl FnOnce(&Api) -> Outcome) -> Result<Position> {
        self.submit(|| self.device.call_here(calls))
    }

    /// How many operations were queued.
    pub fn submitted(&self) -> Position {
        self.submitted.load(Ordering::Acquire)
    }

    /// Others may give the driver's stream work from now on.
    pub fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Its priority, as it was created.
    pub fn priority(&self) -> u32 {
        self.priority
    }

    /// A mark behind what was queued so far.
    pub fn mark(&self) -> Result<Mark> {
        let mark = Mark::unset(&self.device)?;
        // SAFETY: the mark is new, and the caller's reference keeps the stream alive.
        self.device.call(|api| unsafe { api.event_record(mark.raw().0, self.raw.0) })?;
        Ok(mark)
    }

    /// Everything queued so far has been seen to finish: three loads, no question to the driver.
    pub fn is_known_idle(&self) -> bool {
        let submitted = self.submitted.load(Ordering::Acquire);
        self.has_finished(submitted)
    }

    fn has_finished(&self, submitted: u64) -> bool {
        // Relaxed: who shares the stream with others and waits for their work orders the two.
        !self.shared.load(Ordering::Relaxed) && self.finished.load(Ordering::Acquire) == submitted
    }

    /// Everything queued so far has finished.
    pub fn is_idle(&self) -> Result<bool> {
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
    pub fn look<T>(&self, look: impl FnOnce(&Self) -> T) -> Option<T> {
        let _open = self.device.keep_open()?;
        let destroyed = self.destroyed.read();
        (!*destroyed).then(|| look(self))
    }

    /// As [`Self::is_idle`], for those who come from elsewhere and may be late: a stream that is
    /// gone, or whose device has failed, runs nothing.
    pub fn is_settled(&self) -> bool {
        // A driver that refuses to answer is asked once more; one that refuses again has failed.
        let is_idle = |stream: &Self| stream.is_idle().or_else(|_| stream.is_idle());
        self.is_known_idle() || self.look(is_idle).is_none_or(|idle| idle.unwrap_or(true))
    }

    /// Destroys a dropped stream that has finished and was taken out of the driver's list.
    pub fn destroy(&self) {
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
    pub fn finish(&self) -> Result<()> {
        let submitted = self.submitted.load(Ordering::Acquire);
        // SAFETY: the stream's handle lives as long as `self`, and synchronising it takes nothing
        // else.
        self.device.call(|api| unsafe { api.stream_synchronize(self.raw.0) })?;
        self.note_finished(submitted);
        Ok(())
    }

    pub fn note_finished(&self, submitted: u64) {
        // Release: what was learnt from the driver comes before. Never backwards: two threads may
        // have asked at different times. (`fetch_max` would do, but ThreadSanitizer does not see it.)
        let later = |finished| (finished < submitted).then_some(submitted);
        let _ = self.finished.fetch_update(Ordering::Release, Ordering::Relaxed, later);
    }
}
