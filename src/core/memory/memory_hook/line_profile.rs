//! Memory use by source line: the counterpart of CuPy's LineProfileHook.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};

use parking_lot::Mutex;

use super::{Event, MemoryHook, Moment, ProfileRow, Tally};
use crate::algo::host::grow::Grow as _;
use crate::base::call_site::{Frame, Stack};

/// Adds up allocations by call site while it is registered.
pub struct LineProfile {
    /// Number of levels of the report below its root; 0: all.
    max_depth: usize,
    sites: Mutex<HashMap<Stack, Tally>>,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.used += other.used;
        self.mallocs += other.mallocs;
        self.acquired += other.acquired;
        self.allocs += other.allocs;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, acquired) = (Bytes(self.used), Bytes(self.acquired));
        write!(f, "({used} in {}, {acquired} in {})", self.mallocs, self.allocs)
    }
}

/// A number of bytes, formatted.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = self.0 as f64;
        let mut unit = "B";
        for next in units {
            if value < 1024.0 {
                break;
            }
            value /= 1024.0;
            unit = next;
        }
        if unit == "B" { write!(f, "{} B", self.0) } else { write!(f, "{value:.2} {unit}") }
    }
}

/// A line of the report and its children.
#[derive(Default)]
struct LineNode {
    tally: Tally,
    below: BTreeMap<Frame, LineNode>,
}

impl LineNode {
    /// Adds an allocation to the node and to its descendants on the stack. `frames`: the outermost first.
    fn add(&mut self, frames: &[Frame], tally: &Tally) {
        self.tally.add(tally);
        if let [first, rest @ ..] = frames {
            self.below.entry(first.clone()).or_default().add(rest, tally);
        }
    }

    /// Adds the rows of this node and its descendants, each before its children.
    fn rows(&self, frame: Option<&Frame>, depth: usize, into: &mut Vec<ProfileRow>) {
        into.push(ProfileRow { depth, frame: frame.cloned(), tally: self.tally });
        let mut below: Vec<_> = self.below.iter().collect();
        // The node with the largest use comes first. Equal ones stay in the order of their names.
        below.sort_by_key(|(_, node)| std::cmp::Reverse(node.tally.used));
        for (frame, node) in below {
            node.rows(Some(frame), depth + 1, into);
        }
    }
}

impl fmt::Display for ProfileRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:depth$}", "", depth = 2 * self.depth)?;
        match &self.frame {
            Some(frame) => write!(f, "{frame} {}", self.tally),
            None => write!(f, "_root {}", self.tally),
        }
    }
}

impl LineProfile {
    /// Creates the hook. `max_depth`: number of levels of the report below its root; 0: all.
    pub fn new(max_depth: usize) -> Self {
        Self { max_depth, sites: Mutex::default() }
    }

    fn tree(&self) -> LineNode {
        let sites = self.sites.lock().clone();
        let mut root = LineNode::default();
        for (stack, tally) in &sites {
            let mut frames = stack.path();
            if self.max_depth != 0 {
                frames.truncate(self.max_depth);
            }
            root.add(&frames, tally);
        }
        root
    }
}

impl MemoryHook for LineProfile {
    fn after(&self, moment: Moment, event: &Event) {
        if event.failed || moment == Moment::Free {
            return;
        }
        let bytes = event.rounded as u64;
        let tally = match moment {
            Moment::Malloc => Tally { used: bytes, mallocs: 1, ..Tally::default() },
            Moment::Alloc | Moment::Free => Tally { acquired: bytes, allocs: 1, ..Tally::default() },
        };
        let stack = Stack::here();
        let mut sites = self.sites.lock();
        // If the host has no memory for it, the call site is left out.
        if sites.make_room(1).is_ok() {
            sites.entry(stack).or_default().add(&tally);
        }
    }

    fn profile(&self) -> Option<Vec<ProfileRow>> {
        let mut rows = Vec::new();
        self.tree().rows(None, 0, &mut rows);
        Some(rows)
    }
}

/// Returns the text of a profile.
pub(super) fn report(rows: &[ProfileRow]) -> String {
    let mut text =
        String::from("file:line:function (rounded bytes in N mallocs, rounded bytes in N allocs from the device)\n");
    for row in rows {
        writeln!(text, "{row}").expect("a text takes all");
    }
    text
}

#[cfg(test)]
#[path = "line_profile_tests.rs"]
mod tests;
