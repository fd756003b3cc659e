//! Pairs of operations that nothing orders so far, of which the later one is behind an open wait. What ends the wait
//! decides.

use super::clock::{Clock, Point};
use super::sequence::Sequence;

/// The most pairs.
const MOST: usize = 1024;

/// Reports a pair that is in no order.
pub type Report = Box<dyn FnOnce() + Send>;

/// A pair.
pub(super) struct Pair {
    earlier: Point,
    later: Point,
    report: Report,
}

impl Sequence {
    /// The later one is behind an open wait. If nothing orders the two until the wait is over, the pair is reported.
    /// False: there is no room.
    #[must_use]
    pub fn decide_later(&mut self, earlier: Point, later: Point, report: Report) -> bool {
        let has_room = self.pairs.len() < MOST;
        if has_room {
            self.pairs.push(Pair { earlier, later, report });
        }
        has_room
    }

    /// A wait ends, and what is behind it comes after this clock.
    pub(super) fn order_pairs(&mut self, wait: Point, clock: &Clock) {
        let comes_before = |earlier: Point| {
            let is_at = |point: Point| point.line == earlier.line && point.number >= earlier.number;
            self.is_known(earlier) || clock.points().any(is_at)
        };
        let is_behind = |later: Point| later.line == wait.line && later.number >= wait.number;
        let is_ordered = |pair: &Pair| is_behind(pair.later) && comes_before(pair.earlier);
        let ordered: Vec<bool> = self.pairs.iter().map(is_ordered).collect();
        self.drop_pairs(&ordered);
    }

    /// Waits are about to end that nothing submitted ends, or the host begins to wait. What the host knows already
    /// comes before all that is still open.
    #[inline]
    pub(super) fn order_known_pairs(&mut self) {
        if !self.pairs.is_empty() {
            self.drop_known_pairs();
        }
    }

    fn drop_known_pairs(&mut self) {
        let ordered: Vec<bool> = self.pairs.iter().map(|pair| self.is_known(pair.earlier)).collect();
        self.drop_pairs(&ordered);
    }

    fn drop_pairs(&mut self, are_dropped: &[bool]) {
        let mut are_dropped = are_dropped.iter();
        self.pairs.retain(|_| !are_dropped.next().copied().unwrap_or_default());
    }

    /// An operation does not run.
    pub(super) fn drop_pairs_of(&mut self, is_dropped: impl Fn(Point) -> bool) {
        self.pairs.retain(|pair| !is_dropped(pair.later));
    }

    /// Takes the pairs that stay in no order, because the waits before them are over. `None`: there are no pairs.
    #[inline]
    pub fn decided(&mut self) -> Option<Vec<Report>> {
        (!self.pairs.is_empty()).then(|| self.take_decided())
    }

    fn take_decided(&mut self) -> Vec<Report> {
        let (open, decided) = std::mem::take(&mut self.pairs).into_iter().partition(|pair| self.waits(pair.later));
        self.pairs = open;
        reports(decided)
    }

    /// Takes all pairs.
    pub(super) fn take_undecided(&mut self) -> Vec<Report> {
        self.order_known_pairs();
        reports(std::mem::take(&mut self.pairs))
    }

    /// Whether it is behind an open wait.
    pub fn waits(&self, point: Point) -> bool {
        self.open_gates(point).next().is_some()
    }
}

fn reports(pairs: Vec<Pair>) -> Vec<Report> {
    pairs.into_iter().map(|pair| pair.report).collect()
}

/// Reports what was decided. Without the lock of the order.
pub fn report(decided: Vec<Report>) {
    decided.into_iter().for_each(|report| report());
}

#[cfg(test)]
#[path = "undecided_tests.rs"]
mod tests;
