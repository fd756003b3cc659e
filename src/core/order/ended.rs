//! Streams that have ended. A new stream gets the line of an ended one, so that the order does not grow with the number
//! of streams that a program creates and destroys.
//!
//! The host knows all operations of the ended stream to be complete, and the numbers of the line go on. So a point of
//! the ended stream that some clock still has is complete, as it was, and no point of the new stream is equal to it.

use super::clock::{Clock, LaneIndex, Point, Points};
use super::known::Known;
use super::sequence::{Progress, Sequence, with};

/// The number of ended streams whose last operations the host does not know to be complete. With more, the operations
/// of the stream that ended first count as complete.
const MOST_UNKNOWN: usize = 1024;

impl Sequence {
    /// Records that a stream has ended: nothing more is submitted to it.
    pub(crate) fn end_stream(&mut self, stream: u64) {
        let Some(line) = self.forget_line(stream) else { return };
        if self.is_over(line) {
            self.ended.free.push(line);
            return;
        }
        self.ended.unknown.push_back(line);
        if self.ended.unknown.len() > MOST_UNKNOWN
            && let Some(oldest) = self.ended.unknown.pop_front()
        {
            self.stop_line(oldest);
            let latest = Some(Point { line: oldest, number: self.streams[oldest as usize].submitted });
            self.know(&Known::of_clock(Clock::new(latest, Points::default())));
            self.ended.free.push(oldest);
        }
    }

    /// Returns the line of an ended stream for a new one.
    pub(super) fn reuse_line(&mut self) -> Option<LaneIndex> {
        let oldest = self.ended.unknown.front().copied().filter(|&line| self.is_over(line));
        if oldest.is_some() {
            self.ended.unknown.pop_front();
        }
        let line = oldest.or_else(|| self.ended.free.pop())?;
        let progress = &mut self.streams[line as usize];
        *progress = Progress { submitted: progress.submitted, ..Progress::default() };
        Some(line)
    }

    /// Whether the host knows all operations of this line to be complete.
    fn is_over(&mut self, line: LaneIndex) -> bool {
        let progress = &mut self.streams[line as usize];
        progress.drop_known(&self.host);
        progress.gates.is_empty() && self.host[line as usize] >= progress.submitted
    }
}

/// Records that a stream has ended.
pub(crate) fn stream_ended(stream: u64) {
    with(|sequence| sequence.end_stream(stream));
}

#[cfg(test)]
#[path = "ended_tests.rs"]
mod tests;
