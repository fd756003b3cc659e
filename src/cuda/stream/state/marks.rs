//! Marks of a stream for frees. Memory that is freed may be used by everything that was enqueued before: a stream has
//! passed that work when it has reached the position of the free.
//!
//! Frees share one mark for each position. A record waits while the driver's queue of the stream is full, so a stream
//! that waits for the program gets none. An operation that depends on the program is enqueued after the mark that
//! frees want.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::frees::MARK;
use super::{StreamCalls, StreamState, Submitting};
use crate::backend::{Position, Result};
use crate::stream::mark::Mark;

/// A position that a stream must reach.
pub(crate) struct StreamPosition {
    stream: Arc<StreamState>,
    position: Position,
    /// The mark that follows it. Without a mark, the stream must be idle, or get a mark later.
    mark: Option<Arc<Mark>>,
}

impl StreamPosition {
    /// Returns the position of a stream, or `None` if nothing is pending there. With `may_call`, queries the driver and
    /// records a mark if there is none.
    pub(crate) fn now(stream: Arc<StreamState>, may_call: bool) -> Option<Self> {
        let position = stream.submitted();
        let mut mark = stream.recorded_mark(position);
        if mark.is_none() && may_call {
            if stream.is_drained() {
                return None;
            }
            mark = stream.while_alive(|stream| stream.new_mark()).flatten();
        }
        if mark.is_none() {
            stream.want_mark();
        }
        Some(Self { stream, position, mark })
    }

    /// Whether both are the same position of a stream to which only this library submits.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.stream, &other.stream) && self.position == other.position;
        is_same && !self.stream.shared.load(Ordering::Relaxed)
    }

    /// Whether the stream has reached the position. This may query the driver, and records a mark that is missing if
    /// `may_record` is true: no stream waits for the program.
    pub(crate) fn is_reached(&mut self, may_record: bool) -> bool {
        let Self { stream, position, mark } = self;
        if stream.has_passed(*position) {
            return true;
        }
        if mark.is_none() {
            *mark = stream.recorded_mark(*position);
        }
        if mark.is_none() {
            if !stream.has_pending_calls() && stream.is_drained() {
                return true;
            }
            *mark = stream.while_alive(|stream| may_record.then(|| stream.new_mark())?).flatten();
        }
        let Some(mark) = mark else { return false };
        let is_past = mark.is_past() && !stream.runs_unordered();
        if is_past {
            stream.note_finished(*position);
        }
        is_past
    }
}

impl StreamState {
    /// Returns a mark after what was enqueued so far.
    pub(crate) fn mark(&self) -> Result<Mark> {
        let mark = Mark::unset(&self.device)?;
        self.record(&mark).map(|()| mark)
    }

    /// Returns a mark after the work that was enqueued so far, for a wait with a deadline. Returns `None` while its
    /// record has no room, or another thread submits to the stream. A record takes a place in the driver's queue until
    /// the stream has reached it, so waits share one: a program may wait for a stream again and again while it holds
    /// it.
    pub(crate) fn mark_for_wait(&self) -> Result<Option<Arc<Mark>>> {
        let Some(mut submitting) = self.submitting.try_lock() else { return Ok(None) };
        let position = self.submitted();
        if let Some(mark) = self.recorded_mark(position) {
            return Ok(Some(mark));
        }
        if !submitting.take_mark() {
            return Ok(None);
        }
        let mark = Arc::new(self.mark()?);
        if !self.shared.load(Ordering::Relaxed) {
            *self.mark.lock() = Some((position, Arc::clone(&mark)));
        }
        Ok(Some(mark))
    }

    /// Records the mark after what was enqueued so far.
    pub(crate) fn record(&self, mark: &Mark) -> Result<()> {
        self.refuse_capture()?;
        // SAFETY: the reference keeps the mark alive, and the caller's reference the stream.
        self.device.call(|api| unsafe { api.event_record(mark.raw.0, self.raw.0) })
    }

    /// Whether everything up to the position is known to be complete.
    fn has_passed(&self, position: Position) -> bool {
        !self.shared.load(Ordering::Relaxed) && self.finished.load(Ordering::Acquire) >= position
    }

    /// Returns the latest mark, if it follows the position. Other libraries may have submitted after the mark of a
    /// shared stream.
    fn recorded_mark(&self, position: Position) -> Option<Arc<Mark>> {
        let latest = self.mark.lock();
        let follows = |(at, _): &&(Position, _)| *at >= position && !self.shared.load(Ordering::Relaxed);
        latest.as_ref().filter(follows).map(|(_, mark)| Arc::clone(mark))
    }

    /// Records a mark for frees, unless the stream is held, or another thread submits to it.
    fn new_mark(&self) -> Option<Arc<Mark>> {
        let submitting = self.submitting.try_lock()?;
        if self.is_held_locked(&submitting) { None } else { self.record_mark() }
    }

    /// Records a mark for frees. The caller has locked `submitting`.
    pub(super) fn record_mark(&self) -> Option<Arc<Mark>> {
        let mut latest = self.mark.lock();
        // A shared stream has one pending mark: other libraries may let it wait for the program.
        let is_pending = |(_, mark): &(Position, Arc<Mark>)| !mark.is_past();
        if self.shared.load(Ordering::Relaxed) && latest.as_ref().is_some_and(is_pending) {
            return None;
        }
        let position = self.submitted();
        let mark = Arc::new(self.mark().ok()?);
        *latest = Some((position, Arc::clone(&mark)));
        Some(mark)
    }

    /// Lets the next operation that depends on the program be enqueued after a mark for frees. It does not wait for
    /// the lock: the mark only makes memory free earlier.
    fn want_mark(&self) {
        if let Some(_submitting) = self.submitting.try_lock() {
            self.frees.want(MARK);
        }
    }

    /// Whether the stream waits for the program, as far as that is known without the driver. Streams of other libraries
    /// do not count: what these submit is not known.
    pub(crate) fn is_held(&self) -> bool {
        // A thread that submits may wait for the stream.
        self.submitting.try_lock().is_none_or(|submitting| self.is_held_locked(&submitting))
    }

    fn is_held_locked(&self, submitting: &Submitting) -> bool {
        let finished = self.finished.load(Ordering::Relaxed);
        let is_over = !self.depends_on_program() || self.adopted || self.device.context.failure().is_some();
        !is_over && (self.frees.waits_after(finished) || has_pending_calls(submitting))
    }

    /// Whether a call by the driver is pending that writes the stream's word, so that the stream is not idle.
    pub(crate) fn has_pending_calls(&self) -> bool {
        let Some(submitting) = self.submitting.try_lock() else { return false };
        self.device.context.failure().is_none() && has_pending_calls(&submitting)
    }
}

fn has_pending_calls(submitting: &Submitting) -> bool {
    submitting.calls.as_ref().is_some_and(StreamCalls::are_pending)
}
