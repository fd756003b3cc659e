//! Values that streams write, and what they wait for in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::{Shared, copy};
use crate::backend::watch::{Condition, End, Range, Seat};
use crate::backend::{Fault, Result, Span, ValueWait, ValueWrite};

/// The word that a checked span is, as this library reaches it.
fn word(shared: &Shared, span: &Span) -> usize {
    shared.pointer(span).expose_provenance()
}

/// # Safety
/// There is a word at the address for as long as the result is used.
unsafe fn at<'a>(addr: usize) -> &'a AtomicU64 {
    // SAFETY: as promised by the caller; the core checked that it is aligned. Programs, devices and
    // other processes may write it at any time, hence an atomic.
    unsafe { AtomicU64::from_ptr(copy::address(addr).cast()) }
}

/// Writes a value now.
pub(super) fn write(shared: &Shared, write: &ValueWrite) {
    // SAFETY: the core checked the range, and it stays while an operation uses it.
    let word = unsafe { at(word(shared, &write.dst)) };
    // Release: who sees the value sees what was done before.
    word.store(write.value, Ordering::Release);
}

/// Whether the memory has the value now.
pub(super) fn holds(shared: &Shared, wait: &ValueWait) -> bool {
    // SAFETY: as in `write`.
    let word = unsafe { at(word(shared, &wait.src)) };
    wait.comparison.holds(word.load(Ordering::Acquire), wait.value)
}

/// What a stream waits for that happens in memory.
pub(super) struct Watched {
    seat: Seat,
    wait: ValueWait,
    word: usize,
}

impl Watched {
    /// A wait for a value, which is about to be queued.
    pub(super) fn value(shared: &Shared, wait: ValueWait) -> Result<Arc<Self>> {
        Ok(Arc::new(Self { seat: shared.watcher.seat()?, word: word(shared, &wait.src), wait }))
    }

    /// The memory that the wait uses.
    pub(super) fn range(&self) -> Range {
        (self.wait.src.addr, self.wait.src.len)
    }

    /// The stream has come to the wait: false if it is over already, else `end` is called when it is.
    pub(super) fn begin(&self, until: Option<Instant>, end: End) -> bool {
        let (addr, ValueWait { value, comparison, .. }) = (self.word, self.wait);
        let condition: Condition = Box::new(move || {
            // SAFETY: the wait uses the memory, and is over only after the watcher has been told to
            // look no more.
            let word = unsafe { at(addr) };
            Ok(comparison.holds(word.load(Ordering::Acquire), value))
        });
        self.seat.begin(self.range(), condition, until.map(|until| (until, self.fault())), end)
    }

    /// A wait that is under way lasts until then at the longest.
    pub(super) fn limit(&self, until: Instant) {
        self.seat.set_deadline(until, self.fault());
    }

    /// The wait is given up: nobody looks at the memory any more.
    pub(super) fn cancel(&self) {
        self.seat.cancel();
    }

    fn fault(&self) -> Fault {
        self.wait.never_came()
    }
}
