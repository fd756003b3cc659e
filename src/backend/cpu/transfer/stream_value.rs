//! Values that streams write, and wait for.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::cpu::base::bytes;
use crate::backend::cpu::runtime::shared::Shared;
use crate::backend::stream::watch::Condition;
use crate::backend::{Span, ValueWait, ValueWrite};

/// The address of a checked word in the library's view.
fn word(shared: &Shared, span: &Span) -> usize {
    shared.pointer(span).expose_provenance()
}

/// # Safety
/// There is a word at the address for as long as the result is used.
unsafe fn at<'a>(addr: usize) -> &'a AtomicU64 {
    // SAFETY: the caller vouches for the word, and the core checked that it is aligned. Programs,
    // devices and other processes may write it at any time, hence an atomic.
    unsafe { AtomicU64::from_ptr(bytes::address(addr).cast()) }
}

/// Writes a value now.
pub fn write(shared: &Shared, write: &ValueWrite) {
    // SAFETY: the core checked the range, and it stays while an operation uses it.
    let word = unsafe { at(word(shared, &write.dst)) };
    // Release: a thread that sees the value sees earlier writes.
    word.store(write.value, Ordering::Release);
}

/// Whether the memory has the value now.
pub fn holds(shared: &Shared, wait: &ValueWait) -> bool {
    // SAFETY: the core keeps the word that the wait reads mapped until the wait has ended.
    let word = unsafe { at(word(shared, &wait.src)) };
    wait.comparison.holds(word.load(Ordering::Acquire), wait.value)
}

/// Checks whether the memory has the value.
///
/// # Safety
/// The condition is called only while the wait uses the memory.
pub unsafe fn condition(shared: &Shared, wait: &ValueWait) -> Condition {
    let addr = word(shared, &wait.src);
    let ValueWait { value, comparison, .. } = *wait;
    Box::new(move || {
        // SAFETY: the core checked the range, and the caller keeps it mapped during this call.
        let word = unsafe { at(addr) };
        Ok(comparison.holds(word.load(Ordering::Acquire), value))
    })
}
