//! Notifies are limited in number, and each has a private number.

use std::ops::Range;

use parking_lot::Mutex;

/// The numbers of a device's notifies, from 0 on: those that were released, and those that were never in use.
pub struct Numbers(Mutex<(Vec<u32>, Range<u32>)>);

impl Default for Numbers {
    fn default() -> Self {
        Self(Mutex::new((Vec::new(), 0..Self::MOST)))
    }
}

impl Numbers {
    /// The limit.
    pub const MOST: u32 = 8192;

    /// A free number; `None` at the limit.
    pub fn take(&self) -> Option<u32> {
        let (released, fresh) = &mut *self.0.lock();
        released.pop().or_else(|| fresh.next())
    }

    /// Frees this number.
    pub fn release(&self, number: u32) {
        self.0.lock().0.push(number);
    }
}

#[cfg(test)]
#[path = "numbers_tests.rs"]
mod tests;
