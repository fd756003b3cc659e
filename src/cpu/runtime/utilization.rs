//! Measures how busy a device is.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The time in which at least one thread works for a device.
pub(crate) struct Busy(Mutex<BusyTime>);

struct BusyTime {
    /// The number of threads that work.
    working: u32,
    /// The time at which the first of them began.
    since: Instant,
    /// The completed part of the working time since `asked`.
    total: Duration,
    /// The time of the previous query, or of the opening of the device.
    asked: Instant,
}

/// Marks that a thread works for the device, while this lives.
pub(crate) struct Working<'a>(&'a Busy);

impl Default for Busy {
    fn default() -> Self {
        let now = Instant::now();
        Self(Mutex::new(BusyTime { working: 0, since: now, total: Duration::ZERO, asked: now }))
    }
}

impl Busy {
    pub(crate) fn begin(&self) -> Working<'_> {
        let mut state = self.0.lock();
        if state.working == 0 {
            state.since = Instant::now();
        }
        state.working += 1;
        Working(self)
    }

    #[inline(never)]
    fn end(&self) {
        let mut state = self.0.lock();
        state.working -= 1;
        if state.working == 0 {
            let worked = state.since.elapsed();
            state.total += worked;
        }
    }

    /// Returns the number of threads that work now.
    pub(crate) fn working(&self) -> u32 {
        self.0.lock().working
    }

    /// Returns the percentage of the time since the previous query in which the device was busy.
    pub(crate) fn percentage(&self) -> u32 {
        self.percentage_at(Instant::now())
    }

    fn percentage_at(&self, now: Instant) -> u32 {
        let mut state = self.0.lock();
        let mut busy = std::mem::take(&mut state.total);
        if state.working > 0 {
            busy += now.saturating_duration_since(state.since);
            // The rest of the work belongs to the next query.
            state.since = now.max(state.since);
        }
        let window = now.saturating_duration_since(state.asked);
        state.asked = now.max(state.asked);
        if window.is_zero() {
            return if state.working > 0 { 100 } else { 0 };
        }
        (busy.as_secs_f64() / window.as_secs_f64() * 100.0).round().min(100.0) as u32
    }
}

impl Drop for Working<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
#[path = "utilization_tests.rs"]
mod tests;
