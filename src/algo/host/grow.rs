//! Containers that grow only if there is memory, for callers that report failures.

use std::cell::Cell;
use std::collections::{BinaryHeap, HashMap, HashSet, TryReserveError, VecDeque};
use std::hash::{BuildHasher, Hash};

use crate::thread::per_thread::per_thread;

per_thread! {
    static REPORTS: Cell<bool> = Cell::new(false);
}

/// Runs `allocate`, whose caller reports failures, so that the allocator's reserve is not used.
pub fn fallible<R>(allocate: impl FnOnce() -> R) -> R {
    let before = REPORTS.replace(true);
    let result = allocate();
    REPORTS.set(before);
    result
}

/// Whether this thread is inside [`fallible`].
pub fn caller_reports() -> bool {
    REPORTS.get()
}

/// The maximum number of bytes of lists that come from the allocator's reserve if the system has no memory.
const SHORT: usize = 4096;

/// Returns a list of `len` copies of `value`, or `None` if there is no memory for it.
pub fn filled<T: Clone>(value: T, len: usize) -> Option<Vec<T>> {
    if len <= SHORT / size_of::<T>().max(1) {
        return Some(vec![value; len]);
    }
    let mut all = Vec::new();
    fallible(|| all.try_reserve_exact(len)).ok()?;
    all.resize(len, value);
    Some(all)
}

/// Containers that grow only if there is memory.
pub trait Grow {
    /// Makes room for `more` elements. On failure nothing has changed.
    fn make_room(&mut self, more: usize) -> Result<(), TryReserveError>;
}

macro_rules! grow {
    ($([$($parameters:tt)*] $type:ty),+ $(,)?) => {$(
        impl<$($parameters)*> Grow for $type {
            fn make_room(&mut self, more: usize) -> Result<(), TryReserveError> {
                if self.capacity() - self.len() >= more {
                    return Ok(());
                }
                fallible(|| self.try_reserve(more))
            }
        }
    )+};
}

grow! {
    [T] Vec<T>,
    [T] VecDeque<T>,
    [T: Ord] BinaryHeap<T>,
    [K: Eq + Hash, V, S: BuildHasher] HashMap<K, V, S>,
    [T: Eq + Hash, S: BuildHasher] HashSet<T, S>,
}
