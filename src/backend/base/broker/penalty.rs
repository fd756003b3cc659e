//! Slows processes down that ask for offers which do not exist: they may be guessing.
//!
//! The refusal of a wrong key comes late, for each process later from one wrong key to the next, and then not at all. A
//! process can start others that go on, so there is also a rate for all of them together.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::process::Caller;

/// The delay of the first refusal of a process. Each further one takes twice as long.
const FIRST: Duration = Duration::from_millis(10);
/// The number of wrong keys after which a process gets no more refusals: it is disconnected.
const MOST_WRONG: u32 = 8;
/// The time after which one wrong key of a process is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(2);
/// The number of processes that are remembered. The oldest is forgotten for another one.
const REMEMBERED: usize = 256;

/// The time between the refusals of all processes, ...
const SPACING: Duration = Duration::from_millis(100);
/// ... and how much of it the next refusals may be ahead, so that a few wrong keys are refused without it.
const AHEAD: Duration = Duration::from_secs(2);

/// The wrong keys of a process.
struct Offender {
    caller: Caller,
    wrong: u32,
    latest: Instant,
}

#[derive(Default)]
pub(super) struct Penalties {
    records: VecDeque<Offender>,
    /// The time up to which the refusals of all processes have used the common rate.
    used: Option<Instant>,
}

impl Penalties {
    /// Counts a wrong key of a process. Returns when it is refused, or `None`: the process is disconnected. No refusal
    /// comes later than `most` from now.
    pub(super) fn wrong(&mut self, caller: Caller, now: Instant, most: Duration) -> Option<Instant> {
        let used = self.used.map_or(now, |used| used.max(now)) + SPACING;
        let common = used.checked_sub(AHEAD).unwrap_or(now);
        let wrong = self.count(caller, now);
        let at = (now + FIRST * 2u32.pow(wrong.min(MOST_WRONG) - 1)).max(common);
        if wrong > MOST_WRONG || at > now + most {
            return None;
        }
        self.used = Some(used);
        Some(at)
    }

    /// Returns the number of wrong keys of a process with this one.
    fn count(&mut self, caller: Caller, now: Instant) -> u32 {
        let index = self.records.iter().position(|record| record.caller == caller);
        let mut record =
            index.and_then(|index| self.records.remove(index)).unwrap_or(Offender { caller, wrong: 0, latest: now });
        let forgotten = now.saturating_duration_since(record.latest).as_millis() / FORGOTTEN.as_millis();
        record.wrong = record.wrong.saturating_sub(u32::try_from(forgotten).unwrap_or(u32::MAX)) + 1;
        record.latest = now;
        let wrong = record.wrong;
        if self.records.len() == REMEMBERED {
            self.records.pop_front();
        }
        self.records.push_back(record);
        wrong
    }
}

#[cfg(test)]
#[path = "penalty_tests.rs"]
mod tests;
