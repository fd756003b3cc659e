//! Notifies are limited in number, and each has a private number.

use parking_lot::Mutex;

/// The numbers of a device's notifies, from 0 on.
#[derive(Default)]
pub struct Numbers(Mutex<InUse>);

#[derive(Default)]
struct InUse {
    /// Numbers that were released.
    vacant: Vec<u32>,
    /// The largest count of numbers in use at one time.
    used: u32,
}

impl Numbers {
    /// The limit.
    pub const MOST: u32 = 8192;

    /// A free number; `None` at the limit.
    pub fn take(&self) -> Option<u32> {
        let mut numbers = self.0.lock();
        if let Some(number) = numbers.vacant.pop() {
            return Some(number);
        }
        let number = numbers.used;
        numbers.used += u32::from(number < Self::MOST);
        (number < Self::MOST).then_some(number)
    }

    /// Frees this number.
    pub fn release(&self, number: u32) {
        self.0.lock().vacant.push(number);
    }
}

#[cfg(test)]
#[path = "numbers_tests.rs"]
mod tests;
