//! Counts frees of pools' memory in a stream. An allocation that finds no memory waits for those that complete whatever
//! the program does.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::StreamState;
use crate::backend::{Position, Result};
use crate::stream::mark::Mark;

/// There are frees of pools' memory, see [`StreamState::has_frees`].
pub(super) const OF_POOLS: u8 = 1;

/// Frees of other memory wait for the work so far, and it has no mark.
pub(super) const MARK: u8 = 2;

/// The frees of one stream. Changed under `submitting`.
pub(super) struct Frees {
    /// What waits for the stream's work: [`OF_POOLS`] and [`MARK`].
    wanted: AtomicU8,
    /// The position of the last operation that completes only when the program does something: user code, or a wait for
    /// work that is ordered after user code. [`u64::MAX`]: there may be one at any time.
    dependent: AtomicU64,
    /// The position of the last of these operations that waits for the program itself, and not by a word.
    waits: AtomicU64,
    /// The mark after the frees that come before the first of those operations.
    pub before: Mutex<Option<Mark>>,
}

impl Frees {
    /// Creates the state. `adopted`: other libraries submit to the driver's stream as well.
    pub(super) fn new(adopted: bool) -> Self {
        Self {
            wanted: AtomicU8::new(0),
            dependent: AtomicU64::new(if adopted { u64::MAX } else { 0 }),
            waits: AtomicU64::new(0),
            before: Mutex::default(),
        }
    }

    /// Notes that something waits for the stream's work.
    #[inline(always)]
    pub(super) fn want(&self, what: u8) {
        // Relaxed, and in two steps, also below: the caller has locked `submitting`, and the others read a hint.
        let before = self.wanted.load(Ordering::Relaxed);
        self.wanted.store(before | what, Ordering::Relaxed);
    }

    fn fulfil(&self, what: u8) {
        let before = self.wanted.load(Ordering::Relaxed);
        self.wanted.store(before & !what, Ordering::Relaxed);
    }

    /// Whether an operation after this position waits for the program itself, and not by a word.
    pub(super) fn waits_after(&self, position: Position) -> bool {
        self.waits.load(Ordering::Relaxed) > position
    }
}

impl StreamState {
    /// Notes that the operation which is being enqueued completes only when the program does something.
    pub(crate) fn note_dependence(&self) {
        if self.frees.wanted.load(Ordering::Relaxed) != 0 && !self.depends_on_program() {
            self.mark_before_dependence();
        }
        let position = self.next_position();
        // Relaxed, and in two steps: each thread that changes the value or waits for frees holds the lock that is held
        // now. For other threads it is a hint.
        let before = self.frees.dependent.load(Ordering::Relaxed);
        self.frees.dependent.store(before.max(position), Ordering::Relaxed);
    }

    /// Notes what [`Self::note_dependence`] does about an operation for which the stream has no word: user code that
    /// the driver calls, or a wait for a value.
    pub(crate) fn note_wait(&self) {
        self.note_dependence();
        self.frees.waits.store(self.next_position(), Ordering::Relaxed);
    }

    /// Records the marks that frees need before an operation that depends on the program.
    #[cold]
    fn mark_before_dependence(&self) {
        if self.has_frees() {
            // Without a mark, no allocation waits for these frees.
            *self.frees.before.lock() = self.mark().ok();
        }
        if self.frees.wanted.load(Ordering::Relaxed) & MARK != 0 && self.record_mark().is_some() {
            self.frees.fulfil(MARK);
        }
    }

    /// Whether a pending operation completes only when the program does something.
    pub(crate) fn depends_on_program(&self) -> bool {
        let dependent = self.frees.dependent.load(Ordering::Relaxed);
        dependent > self.finished.load(Ordering::Relaxed)
    }

    /// Whether the stream has an operation that frees pool memory and for which no [`Self::wait_for_frees`] has
    /// waited.
    pub(crate) fn has_frees(&self) -> bool {
        self.frees.wanted.load(Ordering::Relaxed) & OF_POOLS != 0
    }

    /// Waits for frees of pools' memory, unless what is before them depends on the program.
    pub(crate) fn wait_for_frees(&self) -> Result<()> {
        let mut submitting = self.submitting.lock();
        self.flush_deferred_locked(&mut submitting);
        // Other libraries may submit to a shared stream at any time.
        let shared = self.shared.load(Ordering::Relaxed);
        let depends = self.is_captured()? || self.depends_on_program() && (shared || !self.is_idle()?);
        let mark = if depends {
            self.frees.before.lock().take()
        } else {
            let mark = self.mark()?;
            self.frees.fulfil(OF_POOLS);
            Some(mark)
        };
        drop(submitting);
        mark.map_or(Ok(()), |mark| mark.finish())
    }
}
