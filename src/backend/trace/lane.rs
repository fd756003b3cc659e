//! The recorded operations of a stream, until they are written.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::call::CallPart;
use super::dependency::RecordId;
use super::operation::{Note, Outcome, Point, Times, What};
use super::{now, recorder};
use crate::{Device, Event, Op, Stream};

/// The maximum number of unwritten operations of a stream. Further ones are counted, and not recorded.
pub(super) const MOST_ENTRIES: usize = 16 << 10;
/// The number of entries at which the writer is woken. For fewer it runs often enough.
const MANY_ENTRIES: usize = MOST_ENTRIES / 4;
/// The maximum number of events that are kept for later operations.
const MOST_SPARE: usize = 256;

/// A recorded entry of a stream.
pub(super) enum TraceEntry {
    Operation {
        what: What,
        /// The thread that enqueued it.
        thread: u32,
        times: Times,
        /// The record that it waits for.
        after: Option<RecordId>,
        /// The call that enqueued it.
        call: Option<CallPart>,
    },
    /// A note, with the point at which the stream reached it.
    Note(Note, Point),
    /// An event was recorded, by this call.
    Recorded(RecordId, Option<CallPart>),
}

/// A row of the timeline: a stream, as long as it exists and until its work is written.
pub struct Lane {
    pub(super) device: u32,
    pub(super) stream: i32,
    pub(super) name: String,
    /// The name of the device.
    pub(super) device_name: String,
    inbox: Mutex<Inbox>,
    /// The number of entries that are not written.
    pub(super) backlog: AtomicUsize,
    /// True if the backlog is full of incomplete entries.
    is_stuck: AtomicBool,
    /// True if operations were dropped: some may never complete although later ones do.
    pub(super) has_gaps: AtomicBool,
    /// The entries that the writer has taken.
    pub(super) taken: Mutex<VecDeque<TraceEntry>>,
}

#[derive(Default)]
struct Inbox {
    entries: Vec<TraceEntry>,
    /// The events for reuse.
    spare: Vec<Arc<dyn Event>>,
    lost: u64,
}

impl Lane {
    /// Creates a row for a stream.
    pub fn new(device: u32, device_name: &str, stream: i32, is_default: bool) -> Arc<Self> {
        let default = if is_default { " (default)" } else { "" };
        let lane = Arc::new(Self {
            device,
            stream,
            name: format!("stream {stream}{default}"),
            device_name: device_name.to_owned(),
            inbox: Mutex::default(),
            backlog: AtomicUsize::new(0),
            is_stuck: AtomicBool::new(false),
            has_gaps: AtomicBool::new(false),
            taken: Mutex::default(),
        });
        recorder::add(&lane);
        lane
    }

    /// Notes that the stream was aborted, or abandoned: its operations may never complete.
    pub fn note_abort(&self) {
        self.has_gaps.store(true, Ordering::Relaxed);
    }

    /// Adds a note of the program to the stream.
    pub fn note(&self, stream: &dyn Stream, device: &dyn Device, note: Note) {
        match self.make_room().then(|| self.point(stream, device)).flatten() {
            Some(point) => self.push(TraceEntry::Note(note, point)),
            None => self.lose(),
        }
    }

    /// Returns the current point of the stream: the time if it is known to be idle, otherwise an event. Returns `None`
    /// if no event is available.
    pub(super) fn point(&self, stream: &dyn Stream, device: &dyn Device) -> Option<Point> {
        // Drivers report this slowly, and not here.
        if stream.submitted().is_some_and(|last| stream.finished() >= last) {
            return Some(Point::At(now()));
        }
        let spare = self.inbox.lock().spare.pop();
        let event = spare.map_or_else(|| device.create_event(true), Ok).ok()?;
        stream.submit(Op::Record(&event)).ok()?;
        Some(Point::Event(event))
    }

    pub(super) fn push(&self, entry: TraceEntry) {
        if self.backlog.fetch_add(1, Ordering::Relaxed) + 1 == MANY_ENTRIES {
            recorder::wake();
        }
        self.inbox.lock().entries.push(entry);
    }

    /// Whether another entry fits. Waits briefly for the writer, but not for the stream.
    pub(super) fn make_room(&self) -> bool {
        let has_room = || self.backlog.load(Ordering::Relaxed) < MOST_ENTRIES;
        has_room() || (!self.is_stuck.load(Ordering::Relaxed) && recorder::wait_for(has_room))
    }

    /// Counts a lost entry.
    pub(super) fn lose(&self) {
        self.inbox.lock().lost += 1;
    }

    /// Takes, for the writer, the entries, and keeps events for reuse. Returns how many entries were lost.
    pub(super) fn collect(&self, taken: &mut VecDeque<TraceEntry>) -> u64 {
        let mut inbox = self.inbox.lock();
        taken.extend(inbox.entries.drain(..));
        std::mem::take(&mut inbox.lost)
    }

    /// Notes, for the writer, that this many entries are written, and that these events can be reused.
    pub(super) fn written(&self, count: usize, mut events: Vec<Arc<dyn Event>>) {
        let before = self.backlog.fetch_sub(count, Ordering::Relaxed);
        self.is_stuck.store(before - count >= MOST_ENTRIES, Ordering::Relaxed);
        let mut inbox = self.inbox.lock();
        let room = MOST_SPARE.saturating_sub(inbox.spare.len());
        events.truncate(room);
        inbox.spare.append(&mut events);
    }

    /// Drops entries that will not be written.
    pub(super) fn forget(&self) {
        let mut taken = self.taken.lock();
        self.collect(&mut taken);
        let count = taken.drain(..).count();
        self.written(count, Vec::new());
    }

    /// Drops all objects of the device.
    pub(super) fn release(&self) {
        let spare = std::mem::take(&mut self.inbox.lock().spare);
        drop(spare);
    }
}

impl TraceEntry {
    /// Returns the entry's result. A record has no time.
    pub(super) fn query(&self) -> Outcome {
        match self {
            Self::Operation { times, .. } => times.query(),
            Self::Note(_, point) => point.time().map_or(Outcome::Pending, |at| Outcome::Over(at, at)),
            Self::Recorded(..) => Outcome::Over(0, 0),
        }
    }

    /// Moves the entry's events to `into`, for reuse.
    pub(super) fn take_events(self, into: &mut Vec<Arc<dyn Event>>) {
        match self {
            Self::Operation { times: Times::Points(begin, end), .. } => {
                into.extend([begin, end].into_iter().filter_map(Point::into_event));
            }
            Self::Note(_, point) => into.extend(point.into_event()),
            Self::Operation { .. } | Self::Recorded(..) => {}
        }
    }
}
