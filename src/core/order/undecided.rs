//! Pairs of operations that nothing orders so far, of which one is behind an open wait, or both are. What ends the wait
//! decides: it may put either of the two first.

use super::carriers::Gate;
use super::clock::{Clock, Point};
use super::sequence::Sequence;

/// The most pairs.
const MOST: usize = 1024;

/// Reports a pair that is in no order.
pub type Report = Box<dyn FnOnce() + Send>;

/// A pair.
pub struct Pair {
    /// The one that was submitted first.
    pub earlier: Point,
    /// The other one.
    pub later: Point,
    /// The memory that both use: its first byte, and how many.
    pub memory: Option<(usize, usize)>,
    /// Whether it is right that the later one runs first.
    pub may_swap: bool,
    /// Reports it.
    pub report: Report,
}

impl Pair {
    /// Whether this one is found if the other one is: the same operation, and a later one of the other stream.
    fn stands_for(&self, other: &Self) -> bool {
        let what = |pair: &Self| (pair.earlier, pair.later.line, pair.memory, pair.may_swap);
        what(self) == what(other)
    }
}

impl Sequence {
    /// One of the two is behind an open wait. If nothing orders the two until the wait is over, the pair is reported.
    /// False: there is no room.
    #[must_use]
    pub fn decide_later(&mut self, pair: Pair) -> bool {
        // Of two operations that follow each other, what comes after the second one comes after both.
        if !self.waits(pair.later)
            && let Some(known) = self.pairs.iter_mut().find(|known| pair.stands_for(known))
        {
            *known = pair;
            return true;
        }
        let has_room = self.pairs.len() < MOST;
        if has_room {
            self.pairs.push(pair);
        }
        has_room
    }

    /// A wait ends, and what is behind it comes after this clock.
    pub(super) fn order_pairs(&mut self, wait: Point, clock: &Clock) {
        let is_behind = |second: Point| second.line == wait.line && second.number >= wait.number;
        self.drop_pairs(|order, pair| {
            let comes_before = |first: Point| {
                let is_at = |point: Point| point.line == first.line && point.number >= first.number;
                order.is_known(first) || clock.points().any(is_at)
            };
            let Pair { earlier, later, may_swap, .. } = *pair;
            is_behind(later) && comes_before(earlier) || may_swap && is_behind(earlier) && comes_before(later)
        });
    }

    /// Waits are about to end that nothing submitted ends, or the host begins to wait. What the host knows already
    /// comes before all that is still open.
    #[inline]
    pub(super) fn order_known_pairs(&mut self) {
        self.drop_pairs(|order, pair| order.is_known(pair.earlier) || pair.may_swap && order.is_known(pair.later));
    }

    #[inline]
    fn drop_pairs(&mut self, is_dropped: impl Fn(&Self, &Pair) -> bool) {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.retain(|pair| !is_dropped(self, pair));
        self.pairs = pairs;
    }

    /// An operation does not run.
    pub(super) fn drop_pairs_of(&mut self, is_dropped: impl Fn(Point) -> bool) {
        self.pairs.retain(|pair| !is_dropped(pair.earlier) && !is_dropped(pair.later));
    }

    /// Waits are about to be forgotten. When the earlier operations behind them run is not known any more.
    pub(super) fn drop_pairs_behind(&mut self, is_forgotten: impl Fn(&Gate) -> bool) {
        self.drop_pairs(|order, pair| order.gates_before(pair.earlier).any(&is_forgotten));
    }

    /// Takes the pairs that stay in no order, because the waits before them are over. `None`: there are no pairs.
    #[inline]
    pub fn decided(&mut self) -> Option<Vec<Report>> {
        (!self.pairs.is_empty()).then(|| self.take_decided())
    }

    fn take_decided(&mut self) -> Vec<Report> {
        let mut pairs = std::mem::take(&mut self.pairs);
        let is_decided = |pair: &mut Pair| !self.waits(pair.earlier) && !self.waits(pair.later);
        // The host has learned that the wait before the earlier one is over, but nothing that was submitted ends it. So
        // it is not known what came before the end.
        let has_unseen_end = |pair: &Pair| self.gates_before(pair.earlier).any(|gate| !gate.may_be_over);
        let decided = pairs.extract_if(.., is_decided).filter(|pair| !has_unseen_end(pair));
        let reports = decided.map(|pair| pair.report).collect();
        self.pairs = pairs;
        reports
    }

    /// Takes all pairs. What is still behind an open wait does not run, if it is the earlier one: the later one did.
    pub(super) fn take_undecided(&mut self) -> Vec<Report> {
        self.order_known_pairs();
        let pairs = std::mem::take(&mut self.pairs);
        pairs.into_iter().filter(|pair| !self.waits(pair.earlier)).map(|pair| pair.report).collect()
    }

    /// Whether it is behind an open wait.
    pub fn waits(&self, point: Point) -> bool {
        self.open_gates(point).next().is_some()
    }
}

/// Reports what was decided. Without the lock of the order.
pub fn report(decided: Vec<Report>) {
    decided.into_iter().for_each(|report| report());
}

#[cfg(test)]
#[path = "undecided_tests.rs"]
mod tests;
