//! The numbers of notifies. Each notify of a device has a private one, and their number is limited.

use std::ops::Range;

use parking_lot::Mutex;

/// The free numbers of a device's notifies: those that were released, and the range of those that were never in use.
pub struct Numbers(Mutex<(Vec<u32>, Range<u32>)>);

impl Default for Numbers {
    fn default() -> Self {
        Self(Mutex::new((Vec::new(), 0..Self::MOST)))
    }
}

impl Numbers {
    /// Maximum number of notifies of a device.
    pub const MOST: u32 = 8192;

    /// Takes a free number; `None` at the limit.
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
