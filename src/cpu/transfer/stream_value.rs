//! Writes values for streams, and checks values that they wait for.

use std::sync::atomic::Ordering;

use crate::backend::stream::watch::word_at;
use crate::backend::{Span, ValueWait, ValueWrite};
use crate::runtime::shared::Shared;

/// Returns the address of a checked word in the library's view.
pub(crate) fn word_addr(shared: &Shared, span: &Span) -> usize {
    shared.pointer(span).expose_provenance()
}

/// Writes a value now.
pub(crate) fn write(shared: &Shared, write: &ValueWrite) {
    // SAFETY: the core checked the range, and it stays while an operation uses it.
    let word = unsafe { word_at(word_addr(shared, &write.dst)) };
    // Release: a thread that reads the value sees earlier writes.
    word.store(write.value, Ordering::Release);
}

/// Whether the memory has the value now.
pub(crate) fn holds(shared: &Shared, wait: &ValueWait) -> bool {
    // SAFETY: the core keeps the word that the wait reads mapped until the wait has ended.
    let word = unsafe { word_at(word_addr(shared, &wait.src)) };
    wait.comparison.holds(word.load(Ordering::Acquire), wait.value)
}
