//! Vector clocks: a point for each stream.

use std::sync::Arc;

/// The index of a stream among all streams that were checked so far.
pub type LaneIndex = u32;

/// An operation: its stream and its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Point<K = LaneIndex> {
    /// The stream of the operation.
    pub line: K,
    /// The number of the operation in its stream, from 1 on.
    pub number: u64,
}

impl Point {
    /// Whether the host knows that the operation is complete. `host`: for each stream, the number up to which the host
    /// knows this.
    #[inline]
    pub fn is_known(&self, host: &[u64]) -> bool {
        host[self.line as usize] >= self.number
    }
}

/// Points that something is ordered after: one for each stream, sorted by stream. Copies share them until one changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points<K = LaneIndex>(pub Option<Arc<Vec<Point<K>>>>);

impl<K: Copy + Ord> Points<K> {
    /// Returns all points.
    pub fn all(&self) -> &[Point<K>] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Returns the number of the point in this stream; 0: none.
    pub fn number(&self, line: K) -> u64 {
        let all = self.all();
        all.binary_search_by_key(&line, |point| point.line).map_or(0, |index| all[index].number)
    }

    /// Adds a point.
    pub fn add(&mut self, point: Point<K>) {
        if self.number(point.line) >= point.number {
            return;
        }
        let all = Arc::make_mut(self.0.get_or_insert_default());
        match all.binary_search_by_key(&point.line, |known| known.line) {
            Ok(index) => all[index].number = point.number,
            Err(index) => all.insert(index, point),
        }
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Drops the points that are known.
    pub(crate) fn prune(&mut self, is_known: impl Fn(&Point<K>) -> bool) {
        if !self.all().iter().any(&is_known) {
            return;
        }
        if self.all().iter().all(&is_known) {
            self.0 = None;
        } else if let Some(all) = &mut self.0 {
            Arc::make_mut(all).retain(|point| !is_known(point));
        }
    }
}

/// The operations that are complete after an operation: itself and those ordered before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    /// The operation, or number 0. It is separate, so that the clock of a stream shares `before` with the stream and
    /// needs no allocation. It is no `Option`: the compiler compares the stream first, also of `None`, and tools report
    /// that as a use of bytes that nothing wrote.
    latest: Point,
    /// The operations that are ordered before it.
    pub before: Points,
}

impl Clock {
    /// Creates the clock of an operation.
    pub(super) fn new(latest: Option<Point>, before: Points) -> Self {
        Self { latest: latest.unwrap_or_default(), before }
    }

    /// Returns all points.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> {
        let latest = &std::slice::from_ref(&self.latest)[..usize::from(self.latest.number != 0)];
        latest.iter().chain(self.before.all()).copied()
    }

    /// Whether there are no points.
    pub(super) fn is_empty(&self) -> bool {
        self.latest.number == 0 && self.before.is_empty()
    }

    /// Replaces the operation by the previous one of its stream.
    pub(super) fn step_back(&mut self) {
        self.latest.number = self.latest.number.saturating_sub(1);
    }

    /// Adds the operations of another clock.
    pub(super) fn merge(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
        } else {
            self.add_before(&other);
        }
    }

    /// Adds the operations of another clock to those that are ordered before this operation.
    pub(super) fn add_before(&mut self, other: &Self) {
        other.points().for_each(|point| self.before.add(point));
    }
}
