//! Caches large mappings of page-locked host memory that a program freed: mapping, filling and locking new pages takes
//! a thousand times as long as reusing one.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::backend::cpu::base::machine;
use crate::backend::cpu::base::pages::Mapping;

/// The most cached bytes; the oldest mappings are removed first.
pub const MOST_KEPT: usize = 256 << 20;
/// A mapping is used again for requests of at least this share of it.
const LEAST_USE: (usize, usize) = (4, 5);

/// The cached mappings.
pub struct Kept {
    list: Mutex<VecDeque<Mapping>>,
    /// Whether the machine has so little memory left that nothing should be cached.
    is_scarce: fn() -> bool,
}

impl Default for Kept {
    fn default() -> Self {
        Self::new(machine::memory_is_scarce)
    }
}

impl Kept {
    pub fn new(is_scarce: fn() -> bool) -> Self {
        Self { list: Mutex::default(), is_scarce }
    }

    /// The smallest mapping of at least `len` bytes that would not waste too much.
    pub fn take(&self, len: usize) -> Option<Mapping> {
        let fits = |have: usize| have >= len && have / LEAST_USE.1 * LEAST_USE.0 <= len;
        let mut list = self.list.lock();
        let sizes = list.iter().enumerate().map(|(index, mapping)| (mapping.len(), index));
        let (_, index) = sizes.filter(|&(have, _)| fits(have)).min()?;
        list.remove(index)
    }

    /// Caches a mapping, or unmaps it, and perhaps others with it.
    pub fn put(&self, mapping: Mapping) {
        if mapping.len() > MOST_KEPT {
            return;
        }
        let most = if (self.is_scarce)() { 0 } else { MOST_KEPT };
        let mut list = self.list.lock();
        list.push_back(mapping);
        let gone = trim(&mut list, most);
        // Unmapping is slow: not under the lock.
        drop(list);
        drop(gone);
    }

    /// Unmaps all; true if there were any.
    pub fn release(&self) -> bool {
        let gone = std::mem::take(&mut *self.list.lock());
        !gone.is_empty()
    }

    /// The cached bytes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.list.lock().iter().map(Mapping::len).sum()
    }
}

/// Removes the oldest mappings while there are more than `most` bytes.
pub fn trim(list: &mut VecDeque<Mapping>, most: usize) -> Vec<Mapping> {
    let mut bytes: usize = list.iter().map(Mapping::len).sum();
    let mut gone = Vec::new();
    while bytes > most
        && let Some(oldest) = list.pop_front()
    {
        bytes -= oldest.len();
        gone.push(oldest);
    }
    gone
}

#[cfg(test)]
#[path = "kept_tests.rs"]
mod tests;
