//! Vector clocks: a point for each stream.

use std::sync::Arc;

/// The number of a stream among all that were ever checked.
pub type Line = u32;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point<K = Line> {
    /// Its stream.
    pub line: K,
    /// Its number in the stream, from 1 on.
    pub number: u64,
}

impl Point {
    /// Whether the host knows that it is complete. `host`: what the host knows of each stream.
    #[inline]
    pub fn is_known(&self, host: &[u64]) -> bool {
        host[self.line as usize] >= self.number
    }
}

/// Points that something is ordered after: one for each stream, sorted by stream. Copies share them until one changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points<K = Line>(pub Option<Arc<Vec<Point<K>>>>);

impl<K: Copy + Ord> Points<K> {
    /// All of them.
    pub fn all(&self) -> &[Point<K>] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// The number of the point in this stream; 0: none.
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

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Drops those that are known.
    pub fn prune(&mut self, is_known: impl Fn(&Point<K>) -> bool) {
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

/// What is complete after an operation: it, and what is before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The operation. Apart, so that a stream's clock is a copy of what it is behind, and nothing is allocated.
    pub latest: Option<Point>,
    /// What is before it.
    pub before: Points,
}

impl Clock {
    /// All points.
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.latest.into_iter().chain(self.before.all().iter().copied())
    }

    /// Adds what is complete after something else.
    pub fn merge(&mut self, other: Self) {
        if self.latest.is_none() && self.before.is_empty() {
            *self = other;
        } else {
            self.add_before(&other);
        }
    }

    /// Adds what is complete after something else to what is before this operation.
    pub fn add_before(&mut self, other: &Self) {
        other.points().for_each(|point| self.before.add(point));
    }
}
