//! Counts frees of pools' memory in a stream. An allocation that finds no memory waits for those that complete whatever
//! the program does.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::StreamState;
use crate::backend::Result;
use crate::stream::mark::Mark;

/// The frees of one stream. Changed under `submitting`.
pub(super) struct Frees {
    /// True if there are such frees, see [`StreamState::has_frees`].
    pub any: AtomicBool,
    /// The position of the last operation that completes only when the program does something: user code, or a wait for
    /// work that is ordered after user code. [`u64::MAX`]: there may be one at any time.
    dependent: AtomicU64,
    /// The mark after the frees that come before the first of those operations.
    pub before: Mutex<Option<Mark>>,
}

impl Frees {
    /// Creates the state. `adopted`: other libraries submit to the driver's stream as well.
    pub(super) fn new(adopted: bool) -> Self {
        Self {
            any: AtomicBool::new(false),
            dependent: AtomicU64::new(if adopted { u64::MAX } else { 0 }),
            before: Mutex::default(),
        }
    }
}

impl StreamState {
    /// Notes that the operation which is being enqueued completes only when the program does something.
    pub(crate) fn note_dependence(&self) {
        if self.has_frees() && !self.depends_on_program() {
            // Without a mark, no allocation waits for these frees.
            *self.frees.before.lock() = self.mark().ok();
        }
        let position = self.submitted.load(Ordering::Relaxed) + 1;
        // Relaxed, and in two steps: each thread that changes the value or waits for frees holds the lock that is held
        // now. For other threads it is a hint.
        let before = self.frees.dependent.load(Ordering::Relaxed);
        self.frees.dependent.store(before.max(position), Ordering::Relaxed);
    }

    /// Whether a pending operation completes only when the program does something.
    pub(crate) fn depends_on_program(&self) -> bool {
        let dependent = self.frees.dependent.load(Ordering::Relaxed);
        dependent > self.finished.load(Ordering::Relaxed)
    }

    /// Whether the stream has an operation that frees pool memory and for which no [`Self::wait_for_frees`] has
    /// waited.
    pub(crate) fn has_frees(&self) -> bool {
        self.frees.any.load(Ordering::Relaxed)
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
            self.frees.any.store(false, Ordering::Relaxed);
            Some(mark)
        };
        drop(submitting);
        mark.map_or(Ok(()), |mark| mark.finish())
    }
}
