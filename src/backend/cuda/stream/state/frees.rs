//! What a stream gives back to pools. Who needs memory waits for that, as far as it comes whatever the
//! program does.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::StreamState;
use crate::backend::Result;
use crate::backend::cuda::stream::mark::Mark;

/// Of one stream. Changed under `submitting`.
pub struct Frees {
    /// See [`StreamState::has_frees`].
    any: AtomicBool,
    /// Where the last operation stands whose end depends on the program: user code, or a wait for what is
    /// behind some. [`u64::MAX`]: there may be some at any time.
    dependent: AtomicU64,
    /// Behind what was given back before those of them that are not over.
    before: Mutex<Option<Mark>>,
}

impl Frees {
    /// `adopted`: others give the driver's stream work as well.
    pub fn new(adopted: bool) -> Self {
        Self {
            any: AtomicBool::new(false),
            dependent: AtomicU64::new(if adopted { u64::MAX } else { 0 }),
            before: Mutex::default(),
        }
    }

    /// The driver's stream is about to go.
    pub fn clear(&self) {
        *self.before.lock() = None;
    }
}

impl StreamState {
    /// The operation that is being queued ends when the program lets it.
    pub fn note_dependence(&self) {
        if self.has_frees() && !self.depends_on_program() {
            // What cannot be marked is not waited for.
            *self.frees.before.lock() = self.mark().ok();
        }
        let position = self.submitted.load(Ordering::Relaxed) + 1;
        // Relaxed, and in two steps: who changes it or settles the stream holds the lock that is held now. Others
        // want a hint.
        let before = self.frees.dependent.load(Ordering::Relaxed);
        self.frees.dependent.store(before.max(position), Ordering::Relaxed);
    }

    /// Something that it was given, and that was not seen to be over, ends when the program lets it.
    pub fn depends_on_program(&self) -> bool {
        let dependent = self.frees.dependent.load(Ordering::Relaxed);
        dependent > self.finished.load(Ordering::Relaxed)
    }

    /// The operation that is being queued gives memory back to a pool.
    pub fn note_free(&self) {
        // Relaxed: whoever needs memory looks for what was given back before.
        self.frees.any.store(true, Ordering::Relaxed);
    }

    /// It was given such an operation that nobody has [settled](Self::settle_frees).
    pub fn has_frees(&self) -> bool {
        self.frees.any.load(Ordering::Relaxed)
    }

    /// Waits for frees of pools' memory, unless what is before them depends on the program.
    pub fn settle_frees(&self) -> Result<()> {
        let mut submitting = self.submitting.lock();
        self.settle_deferred(&mut submitting);
        // Others may give a shared one work at any time.
        let depends = self.depends_on_program()
            && (self.shared.load(Ordering::Relaxed) || !self.is_idle()?);
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
