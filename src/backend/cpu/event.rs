//! Events and their records.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::queue::Queue;
use crate::algo::completion::Completion;
use crate::backend::{Event, Fault, FaultKind, Result, Wait, clock};

/// Nanoseconds of a clock that never goes back.
fn now() -> u64 {
    clock::now().as_nanos() as u64
}

/// A point in a stream that has not happened when it is made.
pub(super) struct Record {
    /// Streams subscribe that are set aside until it happens.
    pub(super) completion: Completion<Queue>,
    time: AtomicU64,
    timing: bool,
    /// Where it is queued; nowhere if it happens outside of all streams. A stream that is gone has
    /// run, or dropped, everything.
    stream: Weak<Queue>,
}

impl Record {
    fn new(stream: Weak<Queue>, timing: bool) -> Self {
        Self { completion: Completion::new(), time: AtomicU64::new(0), timing, stream }
    }

    /// One that no stream makes happen.
    pub(super) fn outside_streams() -> Self {
        Self::new(Weak::new(), false)
    }

    pub(super) fn has_happened(&self) -> bool {
        self.completion.is_complete()
    }

    /// The stream that it is queued on, while there is one.
    pub(super) fn stream(&self) -> Option<Arc<Queue>> {
        self.stream.upgrade()
    }

    /// Whether it is queued on this stream.
    pub(super) fn is_of(&self, stream: &Arc<Queue>) -> bool {
        std::ptr::eq(self.stream.as_ptr(), Arc::as_ptr(stream))
    }

    /// It happens now. Returns the streams that can go on: the caller runs or lists them.
    pub(super) fn happen(&self) -> Vec<Arc<Queue>> {
        if self.timing {
            self.time.store(now(), Ordering::Relaxed);
        }
        let mut waiting = self.completion.complete();
        waiting.retain(|queue| queue.operations.resume());
        waiting
    }
}

/// What an event stands for.
#[derive(Clone)]
enum Latest {
    /// It was never recorded.
    Never,
    /// Its latest record happened at this time.
    Happened(u64),
    /// Its latest record is, or was, queued.
    Queued(Arc<Record>),
}

/// An event of the CPU backend.
pub(super) struct CpuEvent {
    timing: bool,
    latest: Mutex<Latest>,
    /// False while `latest` may still be to happen: the common query is one load.
    settled: AtomicBool,
}

impl CpuEvent {
    pub(super) fn new(timing: bool) -> Self {
        Self { timing, latest: Mutex::new(Latest::Never), settled: AtomicBool::new(true) }
    }

    /// The event as this backend made it.
    pub(super) fn of(event: &dyn Event) -> Result<&Self> {
        event.as_any().downcast_ref().ok_or_else(|| {
            Fault::new(FaultKind::Driver, "the event belongs to another backend".to_owned())
        })
    }

    /// Everything queued so far has finished already: the record happens at once.
    pub(super) fn record_now(&self) {
        let time = if self.timing { now() } else { 0 };
        *self.latest.lock() = Latest::Happened(time);
        self.settled.store(true, Ordering::Release);
    }

    /// A new latest record, for the caller to queue on `stream`.
    pub(super) fn record_later(&self, stream: &Arc<Queue>) -> Arc<Record> {
        let record = Arc::new(Record::new(Arc::downgrade(stream), self.timing));
        let mut latest = self.latest.lock();
        *latest = Latest::Queued(Arc::clone(&record));
        self.settled.store(false, Ordering::Release);
        record
    }

    /// The latest record, if it is still to happen.
    pub(super) fn pending(&self) -> Option<Arc<Record>> {
        if self.settled.load(Ordering::Acquire) {
            return None;
        }
        let mut latest = self.latest.lock();
        match &*latest {
            Latest::Queued(record) if !record.has_happened() => Some(Arc::clone(record)),
            Latest::Queued(record) => {
                // Forget the record, and with it its stream.
                *latest = Latest::Happened(record.time.load(Ordering::Relaxed));
                self.settled.store(true, Ordering::Release);
                None
            }
            _ => None,
        }
    }

    fn time(&self) -> Result<u64> {
        if self.pending().is_none()
            && let (true, Latest::Happened(time)) = (self.timing, &*self.latest.lock())
        {
            return Ok(*time);
        }
        let text = "the event has no time: it was made without timing, or has not happened";
        Err(Fault::new(FaultKind::Driver, text))
    }
}

impl Event for CpuEvent {
    fn is_complete(&self) -> Result<bool> {
        Ok(self.pending().is_none())
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        let Some(record) = self.pending() else { return Ok(Wait::Done) };
        Ok(match record.stream() {
            Some(stream) => stream.wait_until(&|| record.has_happened(), deadline),
            None => Wait::Done,
        })
    }

    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        let (start, end) = (Self::of(start)?.time()?, self.time()?);
        Ok((end.wrapping_sub(start) as i64 as f64 / 1e6) as f32)
    }

    fn time_us(&self) -> Result<u64> {
        Ok(self.time()? / 1000)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
