//! The objects that wait to be released, by the streams whose work may use them.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{MOST_KEPT, PendingRelease, Release};
use crate::runtime::{DeviceState, DriverState};
use crate::stream::state::{StreamPosition, StreamState};

/// The maximum number of allocations and frees between two checks.
const MOST_SKIPPED: usize = 64;

/// All objects that wait, and when the next call checks them.
#[derive(Default)]
pub(super) struct Lists {
    pub queues: Vec<Queue>,
    /// The mappings that wait to be unmapped: their ends by their first addresses.
    pub mappings: BTreeMap<usize, usize>,
    /// The number of bytes that were added since they were last compared with [`MOST_KEPT`].
    pub kept: usize,
    /// The number of allocations and frees before the next check.
    skips: usize,
    /// That number after the last check. It grows while checks release nothing.
    skipped: usize,
}

/// The objects that the work of the same streams may use.
pub(super) struct Queue {
    pub users: Users,
    /// The objects without positions.
    pub open: Vec<PendingRelease>,
    /// The objects that wait for positions of streams, in the order of their frees, with few exceptions.
    pub batches: VecDeque<Batch>,
    /// The objects that no work uses any more.
    pub unused: Vec<PendingRelease>,
}

/// Objects, and the positions that streams must reach before they are released.
pub(super) struct Batch {
    pub entries: Vec<PendingRelease>,
    positions: Vec<StreamPosition>,
}

/// Says which streams have work that may use an object.
#[derive(Clone)]
pub(super) struct Users {
    /// See [`Release::device`].
    pub device: Option<Arc<DeviceState>>,
    /// See [`Release::is_shared`].
    is_shared: bool,
}

impl Users {
    /// Whether work of the stream may use the object. Work of another device is no reason to keep device memory, nor to
    /// keep the device open.
    fn include(&self, stream: &StreamState) -> bool {
        self.device.as_ref().is_none_or(|device| Arc::ptr_eq(device, &stream.device))
            || self.is_shared && stream.crosses()
    }

    pub(super) fn are_same(&self, other: &Self) -> bool {
        self.device.as_ref().map(Arc::as_ptr) == other.device.as_ref().map(Arc::as_ptr)
            && self.is_shared == other.is_shared
    }

    /// Returns their positions in these streams. With `may_call`, queries the driver and records marks.
    pub(super) fn positions(&self, streams: Vec<Arc<StreamState>>, may_call: bool) -> Vec<StreamPosition> {
        let users = streams.into_iter().filter(|stream| self.include(stream));
        users.filter_map(|stream| StreamPosition::now(stream, may_call)).collect()
    }
}

impl Release {
    pub(super) fn users(&self) -> Users {
        Users { device: self.device.clone(), is_shared: self.is_shared }
    }
}

impl Lists {
    pub(super) fn queue(&mut self, users: Users) -> &mut Queue {
        let place = self.queues.iter().position(|queue| queue.users.are_same(&users));
        let place = place.unwrap_or_else(|| {
            let (open, batches, unused) = Default::default();
            self.queues.push(Queue { users, open, batches, unused });
            self.queues.len() - 1
        });
        &mut self.queues[place]
    }

    pub(super) fn has_any_for(&self, users: &Users) -> bool {
        self.queues.iter().any(|queue| queue.users.are_same(users) && !queue.is_empty())
    }

    /// Notes a new object.
    pub(super) fn note(&mut self, driver: &DriverState, release: &Release) {
        self.kept += release.bytes;
        let mapping = &release.mapping;
        if !mapping.is_empty() {
            self.mappings.insert(mapping.start, mapping.end);
        }
        // Relaxed: the count is a hint. A thread that misses it checks again in its next call.
        driver.pending_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an allocation or a free, and returns whether it checks the lists.
    pub(super) fn is_due(&mut self) -> bool {
        self.skips = self.skips.saturating_sub(1);
        self.skips == 0 || self.kept >= MOST_KEPT
    }

    /// Notes a check while `busy` streams had work. Calls check less and less often while that releases nothing.
    pub(super) fn checked(&mut self, busy: usize, has_released: bool) {
        self.skipped = if has_released { 0 } else { (2 * self.skipped + 1).min(MOST_SKIPPED) };
        self.skips = if has_released { 0 } else { self.skipped.max(busy) };
    }

    pub(super) fn overlaps_mapping(&self, range: &Range<usize>) -> bool {
        // Mappings do not overlap each other.
        let before_end = self.mappings.range(..range.end).next_back();
        before_end.is_some_and(|(_, end)| *end > range.start)
    }
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.batches.is_empty() && self.unused.is_empty()
    }

    /// Adds objects that wait for these positions.
    pub(super) fn add(&mut self, entries: Vec<PendingRelease>, positions: Vec<StreamPosition>) {
        let is_same = |latest: &Batch| {
            let pairs = || latest.positions.iter().zip(&positions);
            latest.positions.len() == positions.len() && pairs().all(|(one, other)| one.is_same(other))
        };
        match self.batches.back_mut().filter(|latest| is_same(latest)) {
            Some(latest) => latest.entries.extend(entries),
            None => self.batches.push_back(Batch { entries, positions }),
        }
    }
}

impl Batch {
    /// Whether the streams have reached the positions. Removes those that are reached.
    pub(super) fn is_past(&mut self, may_record: bool) -> bool {
        while self.positions.last_mut().is_some_and(|position| position.is_reached(may_record)) {
            self.positions.pop();
        }
        self.positions.is_empty()
    }
}
