//! The state of a stream, which it shares with the driver's list: what was enqueued, and what is known to be complete.

mod calls;
mod captures;
mod deferred;
mod frees;
mod list;
mod marks;
mod room;
mod waits;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUstream_st;
use parking_lot::{Mutex, RwLock};

pub(crate) use calls::{ROOM, StreamCalls};
use deferred::Deferred;
pub(crate) use deferred::Turn;
use frees::Frees;
#[cfg(test)]
pub(crate) use list::WALKED;
pub(crate) use list::reported;
pub(crate) use marks::StreamPosition;
pub(crate) use waits::{DriverWait, Held, HostWait, held, note, note_weak};

use crate::algo::sync::spin_lock::{Guard, SpinLock};
use crate::algo::thread::pause::Backoff;
use crate::backend::{Failure, Fault, Notify, Observer, Place, Position, Result, StopReason, StreamOptions, TaskRun};
use crate::base::api::{Api, Outcome};
use crate::runtime::{DeviceState, Raw};
use crate::stream::mark::Mark;

/// The state of a stream of the driver.
pub(crate) struct StreamState {
    pub device: Arc<DeviceState>,
    pub raw: Raw<CUstream_st>,
    /// The lock of a submission, so that the driver calls of one operation stay together.
    ///
    /// A driver's call may take milliseconds. A thread that waits for so long does not spin: it sleeps between tries,
    /// for 1 ms at most. A mutex would cost each submission a second locked instruction, to ask for threads that sleep.
    submitting: SpinLock<Submitting>,
    /// Whether there are deferred frees.
    defers: AtomicBool,
    /// The number of operations that were enqueued. They are counted after the driver accepted them: when a query
    /// returns "idle", all that were counted before the query are complete. Changed only under `submitting`.
    submitted: AtomicU64,
    /// The value of `submitted` up to which everything is known to be complete.
    finished: AtomicU64,
    /// Whether another library destroys the driver's stream.
    adopted: bool,
    /// Whether other libraries may submit to the driver's stream, which `submitted` does not count, or a call was added
    /// to `unordered`. Then only queries show that the stream is idle.
    shared: AtomicBool,
    /// Whether the stream has ever had a copy from or to another device, so that it may use memory of that one.
    crosses: AtomicBool,
    frees: Frees,
    /// The latest mark for frees, with its position.
    mark: Mutex<Option<(Position, Arc<Mark>)>>,
    /// The place in the driver's list of busy streams.
    place: AtomicUsize,
    /// True when the driver's stream is destroyed. A call for another stream holds the lock for reading, a destroy for
    /// writing.
    destroyed: RwLock<bool>,
    /// True after [`abandon`](crate::backend::Stream::abandon).
    abandoned: AtomicBool,
    /// The number of aborts.
    aborts: AtomicU64,
    /// The reason of the last abort.
    aborted: Mutex<Option<Fault>>,
    /// The calls for which the driver's stream does not wait, because the driver has refused that. While one runs, the
    /// stream counts as busy.
    unordered: Mutex<Vec<StreamCalls>>,
    /// The waits for values that the driver may still have.
    pub value_waits: Mutex<Vec<DriverWait>>,
    /// The waits that the host watches.
    pub host_waits: Held<HostWait>,
    /// The tasks of the host that are pending or run.
    pub tasks: Held<TaskRun>,
    /// The records of events for which other processes may wait: those that the stream has not reached, or has reached
    /// lately.
    pub event_records: Held<Notify>,
    /// The time from [`limit_waits`](crate::backend::Stream::limit_waits).
    waits_until: OnceLock<Instant>,
    pub observer: Option<Arc<dyn Observer>>,
    /// The priority with which the stream was created.
    pub priority: u32,
}

/// The state that a submission uses.
#[derive(Default)]
pub(crate) struct Submitting {
    /// The state for host functions, since the first one.
    pub calls: Option<StreamCalls>,
    deferred: Deferred,
    /// Whether the stream is in the driver's list of busy streams.
    is_listed: bool,
    /// False if [`StreamState::prepare`] has something to do before the next operation.
    is_prepared: bool,
}

/// The state, locked.
type Locked<'a> = Guard<'a, Submitting>;

impl StreamState {
    /// Creates the state of a stream around the driver's `raw`, and adds it to the driver's list. `adopted`: another
    /// library created the stream and destroys it.
    pub(crate) fn new(
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
            submitting: SpinLock::new(Submitting::default()),
            defers: AtomicBool::new(false),
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            crosses: AtomicBool::new(false),
            frees: Frees::new(adopted),
            mark: Mutex::default(),
            place: AtomicUsize::new(0),
            destroyed: RwLock::new(false),
            abandoned: AtomicBool::new(false),
            aborts: AtomicU64::new(0),
            aborted: Mutex::default(),
            unordered: Mutex::default(),
            value_waits: Mutex::default(),
            host_waits: Mutex::default(),
            tasks: Mutex::default(),
            event_records: Mutex::default(),
            waits_until: OnceLock::new(),
            observer: options.observer,
            priority: options.priority.level(),
        });
        device.driver.streams().add(&state);
        if adopted {
            state.list_as_busy(&mut state.submitting.lock());
        }
        state
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        // Relaxed: the flag publishes nothing else. Work that is running may or may not see it.
        self.abandoned.load(Ordering::Relaxed)
    }

    pub(crate) fn aborts(&self) -> u64 {
        self.aborts.load(Ordering::Acquire)
    }

    /// Whether to skip an operation that was enqueued after this number of aborts.
    pub(crate) fn has_dropped(&self, aborts: u64) -> bool {
        self.is_abandoned() || self.aborts() != aborts
    }

    /// Skips what has not begun, see [`abandon`](crate::backend::Stream::abandon).
    pub(crate) fn abandon(&self) -> Position {
        self.abandoned.store(true, Ordering::Relaxed);
        held(&self.host_waits).iter().for_each(|wait| wait.cancel());
        self.stop_tasks(StopReason::Dropped);
        self.submitted()
    }

    /// Skips what has not begun, and returns `why` from the waits that run now.
    pub(crate) fn abort(&self, why: Fault) {
        *self.aborted.lock() = Some(why);
        self.aborts.fetch_add(1, Ordering::Release);
        held(&self.host_waits).iter().for_each(|wait| wait.cancel());
        self.stop_tasks(StopReason::Dropped);
    }

    /// Stops the tasks that are pending or run.
    pub(crate) fn stop_tasks(&self, stop: StopReason) {
        held(&self.tasks).iter().for_each(|run| run.stop(stop));
    }

    /// Fails if there have been more aborts than this number.
    pub(crate) fn check_aborts(&self, aborts: u64) -> Result<()> {
        if self.aborts() == aborts {
            return Ok(());
        }
        self.aborted.lock().clone().map_or(Ok(()), Err)
    }

    /// Implements [`limit_waits`](crate::backend::Stream::limit_waits).
    pub(crate) fn limit_waits(&self, until: Instant) {
        let until = *self.waits_until.get_or_init(|| until);
        held(&self.host_waits).iter().for_each(|wait| wait.watched.limit(until));
    }

    /// Returns the time at which the stream's waits end, if it is being destroyed.
    pub(crate) fn waits_until(&self) -> Option<Instant> {
        self.waits_until.get().copied()
    }

    /// Reports a failure to the observer, with its position and thread if they are known, and then drops `hold`.
    pub(crate) fn fail<T>(&self, fault: Fault, position: Option<Position>, thread: Option<u32>, hold: T)
    where
        T: Send + 'static,
    {
        let failure = Failure { fault, position, thread, launch: None };
        let Some(report) = self.observer.as_ref().and_then(|observer| observer.failed(failure)) else {
            return;
        };
        let job = move || {
            report.run();
            drop(hold);
        };
        if let Err(job) = self.device.driver.workers.start(Box::new(job)) {
            // The system has refused a thread for it.
            job();
        }
    }

    /// Notes that the next operation uses memory on another device.
    pub(crate) fn note_crossing(&self) {
        // Relaxed: a thread that reads the count of the operation reads this too.
        self.crosses.store(true, Ordering::Relaxed);
    }

    /// Notes that the next operation uses memory in these places. All but this device count as other devices, also the
    /// host.
    pub(crate) fn note_use_of(&self, places: impl IntoIterator<Item = Place>) {
        let here = Place::Device(self.device.context.ordinal);
        if places.into_iter().any(|place| place != here) {
            self.note_crossing();
        }
    }

    /// Whether the stream's work may use memory on other devices.
    pub(crate) fn crosses(&self) -> bool {
        self.crosses.load(Ordering::Relaxed)
    }

    /// Enqueues something by calling `queue`.
    #[inline(always)]
    pub(crate) fn submit(&self, queue: impl FnOnce() -> Result<()>) -> Result<Position> {
        self.submit_in_places(
            0,
            #[inline(always)]
            |_| queue(),
        )
    }

    /// Enqueues something by calling `queue`: host functions and records of events, at most `places` of both.
    #[inline(always)]
    pub(crate) fn submit_in_places(
        &self,
        places: u32,
        queue: impl FnOnce(&mut Submitting) -> Result<()>,
    ) -> Result<Position> {
        ensure!(!self.is_abandoned(), Fault::abandoned());
        let mut submitting = self.submitting.lock();
        if !submitting.is_prepared {
            submitting = self.prepare(submitting, places)?;
        }
        let queued = queue(&mut submitting);
        let position = self.count_submitted();
        drop(submitting);
        queued.map(|()| position)
    }

    /// Calls `work` as the next operation of the stream, if that is idle: others are enqueued behind it. Returns `None`
    /// if the stream is not known to be idle. The work is complete when `work` returns.
    pub(crate) fn run_while_idle(&self, work: impl FnOnce() -> Result<()>) -> Option<Result<Position>> {
        if self.is_abandoned() {
            return Some(Err(Fault::abandoned()));
        }
        let mut submitting = self.submitting.lock();
        // Threads that want the frees submitted wait for the thread with the lock.
        self.flush_deferred_locked(&mut submitting);
        if !self.is_known_idle() {
            return None;
        }
        let done = work();
        let position = self.count_submitted();
        self.note_finished(position);
        Some(done.map(|()| position))
    }

    /// Counts something that was enqueued. This is called after a failure, too: a part may have been enqueued.
    #[inline(always)]
    fn count_submitted(&self) -> Position {
        // Release: pairs with the Acquire in `is_known_idle`. A thread that reads the count queries the driver.
        let position = self.submitted.load(Ordering::Relaxed) + 1;
        self.submitted.store(position, Ordering::Release);
        position
    }

    /// Returns the position of the operation that is being enqueued. The caller has locked `submitting`.
    pub(crate) fn next_position(&self) -> Position {
        self.submitted.load(Ordering::Relaxed) + 1
    }

    pub(crate) fn submit_calls(&self, calls: impl FnOnce(&Api) -> Outcome) -> Result<Position> {
        self.submit(|| self.device.call_here(calls))
    }

    /// Returns the number of operations that were enqueued.
    pub(crate) fn submitted(&self) -> Position {
        self.submitted.load(Ordering::Acquire)
    }

    /// Whether everything enqueued so far is known to be complete. This takes three loads and no query of the driver.
    pub(crate) fn is_known_idle(&self) -> bool {
        let submitted = self.submitted.load(Ordering::Acquire);
        self.has_finished(submitted)
    }

    fn has_finished(&self, submitted: u64) -> bool {
        // Relaxed: a program that shares the stream with another library, and waits for its work, orders the two.
        !self.shared.load(Ordering::Relaxed) && self.finished.load(Ordering::Acquire) == submitted
    }

    /// Whether everything enqueued so far is complete. A stream that another library captures counts as busy: work from
    /// before the capture may be pending.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        let submitted = self.submitted.load(Ordering::Acquire);
        if self.has_finished(submitted) {
            return Ok(true);
        }
        if self.is_captured()? {
            return Ok(false);
        }
        // SAFETY: the stream lives as long as its device is open.
        let idle = self.device.poll(|api| unsafe { api.stream_query(self.raw.0) })? && !self.runs_unordered();
        if idle {
            self.note_finished(submitted);
        }
        Ok(idle)
    }

    /// Runs `call` while the stream exists. Returns `None` if it is destroyed, or its device is closed.
    pub(crate) fn while_alive<T>(&self, call: impl FnOnce(&Self) -> T) -> Option<T> {
        let _open = self.device.keep_open()?;
        let destroyed = self.destroyed.read();
        (!*destroyed).then(|| call(self))
    }

    /// Whether nothing is pending, for a call about another stream or device. A stream that is destroyed, or whose
    /// device has failed, runs nothing.
    pub(crate) fn is_drained(&self) -> bool {
        // If a query fails, this queries again. If that fails too, the device has failed.
        let is_idle = |stream: &Self| stream.is_idle().or_else(|_| stream.is_idle());
        self.is_known_idle() || self.while_alive(is_idle).is_none_or(|idle| idle.unwrap_or(true))
    }

    /// Destroys a dropped stream that is idle and was removed from the driver's list.
    pub(crate) fn destroy(&self) {
        let mut destroyed = self.destroyed.write();
        *destroyed = true;
        self.end_deferred();
        self.value_waits.lock().clear();
        *self.frees.before.lock() = None;
        *self.mark.lock() = None;
        if !self.adopted {
            // SAFETY: idle, and destroyed once, by the thread that removed it from the list.
            self.device.driver.end_in(&self.device.context, |api| unsafe { api.stream_destroy(self.raw.0) });
        }
        let calls = self.submitting.lock().calls.take();
        let unordered = std::mem::take(&mut *self.unordered.lock());
        calls.into_iter().chain(unordered).for_each(StreamCalls::end);
    }

    /// Waits until everything enqueued before is complete.
    pub(crate) fn finish(&self) -> Result<()> {
        self.refuse_capture()?;
        let submitted = self.submitted.load(Ordering::Acquire);
        // SAFETY: the stream's handle lives as long as `self`, and synchronising it takes nothing
        // else.
        self.device.call(|api| unsafe { api.stream_synchronize(self.raw.0) })?;
        let mut sleeps = Backoff::default();
        while self.runs_unordered() {
            sleeps.sleep(Duration::MAX);
        }
        self.note_finished(submitted);
        Ok(())
    }

    pub(crate) fn note_finished(&self, submitted: u64) {
        // Release: the query of the driver comes before. The value never decreases, although two threads may have
        // queried at different times. (`fetch_max` would do, but ThreadSanitizer does not detect it.)
        let later = |finished| (finished < submitted).then_some(submitted);
        let _ = self.finished.try_update(Ordering::Release, Ordering::Relaxed, later);
    }
}
