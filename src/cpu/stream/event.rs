//! Events and their records.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::queue::Queue;
use crate::algo::queue::completion::Completion;
use crate::backend::base::clock;
use crate::backend::{Event, Fault, FaultKind, Result, Wait, downcast};

/// Returns the nanoseconds of a monotonic clock.
fn now() -> u64 {
    clock::now().as_nanos() as u64
}

/// A record of an event in a stream. It is not complete at first.
pub(crate) struct Record {
    /// The completion, with the streams that wait for it.
    pub completion: Completion<Queue>,
    time: AtomicU64,
    timing: bool,
    /// The stream of the record, or none for a record outside of streams. A dropped stream has run, or dropped,
    /// everything.
    stream: Weak<Queue>,
    /// The reason why an abort dropped the record. It then completes when its event is recorded again and that record
    /// is complete.
    dropped: OnceLock<Fault>,
    /// True if the event was recorded again.
    superseded: AtomicBool,
    /// The event's previous record, if an abort dropped it.
    orphan: Option<Arc<Self>>,
}

impl Record {
    fn new(stream: Weak<Queue>, timing: bool, orphan: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            completion: Completion::new(),
            time: AtomicU64::new(0),
            timing,
            stream,
            dropped: OnceLock::new(),
            superseded: AtomicBool::new(false),
            orphan,
        })
    }

    /// Creates a record that no stream completes.
    pub(crate) fn outside_streams() -> Arc<Self> {
        Self::new(Weak::new(), false, None)
    }

    /// Creates a record without an event. The caller enqueues it on `stream`.
    pub(crate) fn queued(stream: &Arc<Queue>) -> Arc<Self> {
        Self::new(Arc::downgrade(stream), false, None)
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.completion.is_complete()
    }

    /// Returns the stream that the record is enqueued on, while that exists.
    pub(crate) fn stream(&self) -> Option<Arc<Queue>> {
        self.stream.upgrade()
    }

    /// Whether the record is enqueued on this stream.
    pub(crate) fn is_of(&self, stream: &Arc<Queue>) -> bool {
        std::ptr::eq(self.stream.as_ptr(), Arc::as_ptr(stream))
    }

    /// Completes the record. Returns the streams that can resume: the caller runs or lists them.
    pub(crate) fn complete(&self) -> Vec<Arc<Queue>> {
        if self.timing {
            self.time.store(now(), Ordering::Relaxed);
        }
        let mut waiting = self.completion.complete();
        let mut orphan = &self.orphan;
        while let Some(record) = orphan {
            waiting.append(&mut record.completion.complete());
            orphan = &record.orphan;
        }
        waiting.retain(|queue| queue.operations.resume());
        waiting
    }

    /// Returns why the record does not complete, if an abort has dropped it.
    pub(crate) fn dropped(&self) -> Option<&Fault> {
        self.dropped.get()
    }

    /// Drops the record for an abort. Returns the streams that do not wait for its event's next record, as
    /// [`Self::complete`] does.
    pub(crate) fn drop_for(&self, why: Fault) -> Vec<Arc<Queue>> {
        // Only the record's stream drops it.
        let _ = self.dropped.set(why);
        // Either this thread reads earlier writes, or later readers read the drop: in `supersede`, and in
        // `Queue::retire`.
        fence(Ordering::SeqCst);
        if self.superseded.load(Ordering::SeqCst) {
            return self.complete();
        }
        let mut waiting = self.completion.take_waiters(|queue| queue.is_retired());
        waiting.retain(|queue| queue.operations.resume());
        waiting
    }

    /// Marks that the event is recorded again. Returns true if an abort has dropped this record: its waits are for the
    /// new record then.
    fn supersede(&self) -> bool {
        self.superseded.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        self.dropped.get().is_some() && !self.is_complete()
    }
}

/// The state of an event.
enum Latest {
    /// The event was never recorded.
    Never,
    /// The latest record completed at this time.
    Complete(u64),
    /// The latest record is, or was, pending.
    Queued(Arc<Record>),
}

impl Latest {
    /// Returns the previous record of an event that is recorded again, if an abort has dropped it.
    fn orphaned(self) -> Option<Arc<Record>> {
        match self {
            Self::Queued(record) => record.supersede().then_some(record),
            Self::Never | Self::Complete(_) => None,
        }
    }
}

/// An event of the CPU backend.
pub(crate) struct CpuEvent {
    timing: bool,
    latest: Mutex<Latest>,
    /// False while `latest` may be pending, so that the common query is one load.
    known_complete: AtomicBool,
}

impl CpuEvent {
    pub(crate) fn new(timing: bool) -> Self {
        Self { timing, latest: Mutex::new(Latest::Never), known_complete: AtomicBool::new(true) }
    }

    /// Downcasts an event of this backend.
    pub(crate) fn of(event: &dyn Event) -> Result<&Self> {
        downcast(event, "the event belongs to another backend")
    }

    /// Records the event as complete, because everything enqueued so far is complete. Returns a dropped record that the
    /// caller must complete with it.
    pub(crate) fn record_now(&self) -> Option<Arc<Record>> {
        let time = if self.timing { now() } else { 0 };
        let before = std::mem::replace(&mut *self.latest.lock(), Latest::Complete(time));
        self.known_complete.store(true, Ordering::Release);
        before.orphaned()
    }

    /// Creates the new latest record. The caller enqueues it on `stream`.
    pub(crate) fn record_later(&self, stream: &Arc<Queue>) -> Arc<Record> {
        let mut latest = self.latest.lock();
        let orphan = std::mem::replace(&mut *latest, Latest::Never).orphaned();
        let record = Record::new(Arc::downgrade(stream), self.timing, orphan);
        *latest = Latest::Queued(Arc::clone(&record));
        self.known_complete.store(false, Ordering::Release);
        record
    }

    /// Returns the latest record, if it is pending.
    pub(crate) fn pending(&self) -> Option<Arc<Record>> {
        if self.known_complete.load(Ordering::Acquire) {
            return None;
        }
        let mut latest = self.latest.lock();
        match &*latest {
            Latest::Queued(record) if !record.is_complete() => Some(Arc::clone(record)),
            Latest::Queued(record) => {
                // This drops the record, and with it its stream.
                *latest = Latest::Complete(record.time.load(Ordering::Relaxed));
                self.known_complete.store(true, Ordering::Release);
                None
            }
            Latest::Never | Latest::Complete(_) => None,
        }
    }
}

impl Event for CpuEvent {
    fn is_complete(&self) -> Result<bool> {
        Ok(self.is_known_complete() || self.pending().is_none())
    }

    fn is_known_complete(&self) -> bool {
        self.known_complete.load(Ordering::Acquire)
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        let Some(record) = self.pending() else { return Ok(Wait::Done) };
        let over = || record.is_complete() || record.dropped().is_some();
        let wait = record.stream().map_or(Wait::Done, |stream| stream.wait_until(&over, deadline));
        match record.dropped() {
            Some(why) if !record.is_complete() => Err(why.clone()),
            _ => Ok(wait),
        }
    }

    fn time_ns(&self) -> Result<u64> {
        if self.pending().is_none()
            && let (true, Latest::Complete(time)) = (self.timing, &*self.latest.lock())
        {
            return Ok(*time);
        }
        let text = "the event has no time: it was created without timing, or another thread recorded it again during \
                    the call; create it with ACL_EVENT_TIME_LINE, and record it again only after the call";
        Err(Fault::new(FaultKind::Driver, text))
    }
}
