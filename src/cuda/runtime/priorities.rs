//! The priorities of a device's streams.
//!
//! Streams of one priority share hardware queues, in which work stands behind that of other streams. So the library
//! keeps the most urgent priorities for its own streams: the most urgent one for those of synchronous calls, whose work
//! waits for nothing, and the next one for those of graphs, whose user code may wait.

use std::ffi::c_int;

use crate::backend::Priority;

/// The driver's numbers of priorities. Smaller numbers are more urgent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Priorities {
    /// That of streams for synchronous calls.
    pub library: c_int,
    /// That of streams of graphs.
    graphs: c_int,
    /// The most urgent one of programs.
    first: c_int,
    /// That of programs which choose none, and of other libraries.
    plain: c_int,
    /// The number of the least urgent priority of programs; their most urgent one is 0.
    pub least: u32,
}

impl Priorities {
    /// Divides the driver's range. A device with few priorities has none for graphs alone, or for the library.
    pub(crate) fn new(least_urgent: c_int, most_urgent: c_int) -> Self {
        let reserved = (least_urgent - most_urgent).clamp(0, 2);
        let first = most_urgent + reserved;
        Self {
            library: most_urgent,
            graphs: most_urgent + (reserved - 1).max(0),
            first,
            plain: 0.clamp(first.min(least_urgent), least_urgent),
            least: (least_urgent - first).max(0) as u32,
        }
    }

    /// Returns the driver's number.
    pub(crate) fn number(&self, priority: Priority) -> c_int {
        match priority {
            Priority::Plain => self.plain,
            Priority::Level(level) => self.first + level.min(self.least) as c_int,
            Priority::Library => self.graphs,
        }
    }
}

#[cfg(test)]
#[path = "priorities_tests.rs"]
mod tests;
