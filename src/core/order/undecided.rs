//! Pairs of operations that nothing orders so far, where at least one is behind an open wait. What ends the wait
//! decides: it may order either of the two first.

use super::carriers::Gate;
use super::clock::{Clock, Point};
use super::sequence::Sequence;

/// Maximum number of pairs.
const MOST: usize = 1024;

/// Reports a pair that stays unordered.
pub type Report = Box<dyn FnOnce() + Send>;

/// Two operations that nothing orders so far.
pub struct Pair {
    /// The operation that was submitted first.
    pub earlier: Point,
    /// The operation that was submitted second.
    pub later: Point,
    /// The memory that both use: its address and its length in bytes.
    pub memory: Option<(usize, usize)>,
    /// Whether it is also correct that the later operation runs first.
    pub may_swap: bool,
    /// Reports the pair.
    pub report: Report,
}

impl Pair {
    /// Whether the other pair can be dropped for this one: both have the same earlier operation and the same stream of
    /// the later one.
    fn stands_for(&self, other: &Self) -> bool {
        let what = |pair: &Self| (pair.earlier, pair.later.line, pair.memory, pair.may_swap);
        what(self) == what(other)
    }
}

impl Sequence {
    /// Adds a pair that has an operation behind an open wait. If nothing orders the two until the wait is over, the
    /// pair is reported. Returns false if there is no room.
    #[must_use]
    pub fn decide_later(&mut self, pair: Pair) -> bool {
        // What is ordered after the second of two operations of a stream is ordered after the first as well.
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

    /// Drops the pairs that are ordered because a wait ends: what is behind the wait is ordered after this clock.
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

    /// Drops the pairs that the host orders: what it knows to be complete is ordered before all that is still open.
    /// Called before waits end that nothing submitted ends, and when the host begins a wait.
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

    /// Drops the pairs of operations that do not run.
    pub(super) fn drop_pairs_of(&mut self, is_dropped: impl Fn(Point) -> bool) {
        self.pairs.retain(|pair| !is_dropped(pair.earlier) && !is_dropped(pair.later));
    }

    /// Drops the pairs whose earlier operation is behind a wait that is about to be forgotten: it is unknown when that
    /// operation runs.
    pub(super) fn drop_pairs_behind(&mut self, is_forgotten: impl Fn(&Gate) -> bool) {
        self.drop_pairs(|order, pair| order.gates_before(pair.earlier).any(&is_forgotten));
    }

    /// Takes the pairs that stay unordered, because the waits before them are over. `None`: there are no pairs.
    #[inline]
    pub fn decided(&mut self) -> Option<Vec<Report>> {
        (!self.pairs.is_empty()).then(|| self.take_decided())
    }

    fn take_decided(&mut self) -> Vec<Report> {
        let mut pairs = std::mem::take(&mut self.pairs);
        let is_decided = |pair: &mut Pair| !self.waits(pair.earlier) && !self.waits(pair.later);
        // The host has learned that the wait before the earlier operation is over, but nothing submitted ends that
        // wait. So what is ordered before its end is unknown.
        let has_unseen_end = |pair: &Pair| self.gates_before(pair.earlier).any(|gate| !gate.may_be_over);
        let decided = pairs.extract_if(.., is_decided).filter(|pair| !has_unseen_end(pair));
        let reports = decided.map(|pair| pair.report).collect();
        self.pairs = pairs;
        reports
    }

    /// Takes all pairs, except those whose earlier operation is still behind an open wait: it does not run.
    pub(super) fn take_undecided(&mut self) -> Vec<Report> {
        self.order_known_pairs();
        let pairs = std::mem::take(&mut self.pairs);
        pairs.into_iter().filter(|pair| !self.waits(pair.earlier)).map(|pair| pair.report).collect()
    }

    /// Whether the operation is behind an open wait.
    pub fn waits(&self, point: Point) -> bool {
        self.open_gates(point).next().is_some()
    }
}

/// Reports the pairs that were decided. The caller does not hold the lock of the order.
pub fn report(decided: Vec<Report>) {
    decided.into_iter().for_each(|report| report());
}

#[cfg(test)]
#[path = "undecided_tests.rs"]
mod tests;
