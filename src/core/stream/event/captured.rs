//! Events in captures: places in what is recorded, by which streams join and come back.
//!
//! A record in a captured stream does not touch what the event stands for otherwise, unless it has a
//! time: then each run of the graph records it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use super::Event;
use crate::algo::map::slot_table::Handle;
use crate::backend::{Position, Work};
use crate::core::base::error::{Code, Error, Result};
use crate::core::graph::capture::{Capture, check_capturable};
use crate::core::graph::mode;
use crate::core::graph::task::What;
use crate::core::stream::Stream;

/// The record of an event in a captured stream.
pub struct Captured {
    capture: Weak<Capture>,
    /// The task that stands for it.
    place: usize,
    /// The event's latest record in other streams as of then: it is the later one if that is not the
    /// same any more.
    before: Option<(Handle, Position)>,
}

impl Event {
    /// Whether [`Self::captured`] is worth asking.
    #[inline(always)]
    pub(super) fn may_be_captured(&self) -> bool {
        // Relaxed: threads that share an event order what they do with it.
        self.was_captured.load(Ordering::Relaxed)
    }

    /// The capture that its latest record belongs to, and the task there.
    fn captured(&self) -> Option<(Arc<Capture>, usize)> {
        let mut uses = self.uses.lock();
        let captured = uses.captured.as_ref()?;
        let capture = captured.capture.upgrade().filter(|capture| !capture.is_over());
        match capture.filter(|_| captured.before == self.recorded.get()) {
            Some(capture) => Some((capture, captured.place)),
            None => {
                uses.captured = None;
                self.was_captured.store(false, Ordering::Relaxed);
                None
            }
        }
    }

    /// Fails while its latest record is only recorded in a capture, which is then invalid.
    #[inline]
    pub(super) fn check_not_captured(&self) -> Result<()> {
        if self.may_be_captured() { self.refuse_wait() } else { Ok(()) }
    }

    #[cold]
    fn refuse_wait(&self) -> Result<()> {
        match self.captured() {
            Some((capture, _)) => {
                Err(mode::refuse_wait(&capture, Code::EventCaptured, "the event"))
            }
            None => Ok(()),
        }
    }

    /// What each run of a graph does for a record that is only a place in its order.
    pub fn record_inside(&self) -> Option<Work> {
        self.has_time().then(|| Work::Record(Arc::clone(&self.native)))
    }

    /// A run of a graph records it, as operation `position` of `stream`.
    pub fn note_record(&self, stream: &Stream, position: Position) {
        let mut uses = self.uses.lock();
        self.note_recorded(stream, position);
        uses.resets.clear();
    }
}

/// The capture of a stream whose work is recorded.
pub(super) fn capture_of(stream: &Stream) -> Result<Arc<Capture>> {
    stream.recorder.take_part()
}

/// Records an event in a captured stream.
#[cold]
pub(super) fn record(raw: u64, event: &Event, stream: &Stream) -> Result<()> {
    let capture = capture_of(stream)?;
    let mut uses = event.uses.lock();
    let place = capture.record(stream.handle, raw, event.record_inside())?;
    let before = event.recorded.get();
    uses.captured = Some(Captured { capture: Arc::downgrade(&capture), place, before });
    event.was_captured.store(true, Ordering::Relaxed);
    event.is_plain.store(false, Ordering::Relaxed);
    Ok(())
}

/// Has a stream wait where it is captured, or the event is; false if neither is so after all.
#[cold]
pub(super) fn wait(raw: u64, event: &Event, stream: &Stream) -> Result<bool> {
    stream.recorder.check_not_updating()?;
    match (stream.recorder.capture(), event.captured()) {
        (None, _) if stream.recorder.is_persistent() => capture_of(stream).map(|_| false),
        (None, None) => Ok(false),
        (Some(own), Some((capture, place))) if Arc::ptr_eq(&own, &capture) => {
            own.wait(stream.handle, raw, place).map(|()| true)
        }
        (Some(own), Some((other, _))) => {
            own.spoil("it was to wait for another capture");
            other.spoil("another capture was to wait for it");
            Err(Error::new(
                Code::StreamCaptureConflict,
                format_args!(
                    "event {raw:#x} was recorded in {}, and stream {:#x} takes part in {}: captures cannot wait for \
                     each other. Both are invalid now",
                    other.name(),
                    stream.handle.raw(),
                    own.name()
                ),
            ))
        }
        (Some(own), None) => {
            own.spoil("a stream of it was to wait for work outside of it");
            Err(Error::new(
                Code::CaptureDependency,
                format_args!(
                    "stream {:#x} takes part in {}, and event {raw:#x} was not recorded there: what is recorded \
                     cannot wait for what is not. Record the event in one of its streams first, or wait outside of \
                     it. The capture is invalid now",
                    stream.handle.raw(),
                    own.name()
                ),
            ))
        }
        (None, Some((capture, place))) => {
            join(stream, &capture)?;
            capture.wait(stream.handle, raw, place).map(|()| true)
        }
    }
}

/// A stream takes part from now on.
fn join(stream: &Stream, capture: &Arc<Capture>) -> Result<()> {
    capture.check()?;
    if capture.is_built {
        return Err(Error::new(
            Code::CaptureDependency,
            format_args!(
                "stream {:#x} is not bound to modelRI {:#x}, where the event was recorded; bind a stream with \
                 ACL_STREAM_PERSISTENT to it, or wait in the stream that runs the graph, after the run",
                stream.handle.raw(),
                capture.graph.raw()
            ),
        ));
    }
    if let Err(error) = check_capturable(stream) {
        capture.spoil("a default stream was to join it");
        return Err(error);
    }
    if stream.device.owner != capture.owner {
        capture.spoil("a stream of another device was to join it");
        return Err(Error::unsupported(format_args!(
            "stream {:#x} is on device {}, and the capture on another one: a graph is of one device; capture a \
             graph on each. The capture is invalid now",
            stream.handle.raw(),
            stream.device.id
        )));
    }
    if stream.recorder.join(capture) {
        return Ok(());
    }
    Err(Error::new(
        Code::StreamCaptureConflict,
        format_args!(
            "stream {:#x} has joined another capture meanwhile, by another thread",
            stream.handle.raw()
        ),
    ))
}

/// Resets an event in a captured stream: what a graph records is recorded in each run anew.
#[cold]
pub(super) fn reset(raw: u64, stream: &Stream) -> Result<()> {
    capture_of(stream)?.add(stream.handle, What::EventReset(raw), vec![None]).map(drop)
}
