//! Remembers where a pool's blocks have been.
//!
//! What the driver returns about an address is undefined after its block was freed in stream order, so this backend
//! does not query it. An address in one of these pages belongs to the pool, and is stale if no live block has it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};

use crate::backend::base::hull::Hull;

/// The number of runs of pages that can be checked without a lock. A driver allocates memory for a pool in large
/// ranges, most of them side by side.
const RUNS: usize = 4;

/// The pages of a pool. Pages are added, and never removed.
pub(crate) struct PoolPages {
    /// The number of bytes of a page, a power of two. No two pools share a page.
    page: usize,
    runs: [Hull; RUNS],
    /// The first addresses of the pages that touch no run.
    others: Mutex<BTreeSet<usize>>,
}

impl PoolPages {
    /// Creates an empty set.
    pub(crate) fn new(page: usize) -> Self {
        Self { page, runs: [const { Hull::new() }; RUNS], others: Mutex::default() }
    }

    /// Adds a block. Returns true if no block has been on some of its pages.
    pub(crate) fn add(&self, addr: usize, len: usize) -> bool {
        let (first, last) = (addr, addr + len - 1);
        let known = |run: &Hull| run.contains(first) && run.contains(last);
        !self.runs.iter().any(known) && self.add_pages(first & !(self.page - 1), last)
    }

    #[cold]
    fn add_pages(&self, first: usize, last: usize) -> bool {
        let mut others = self.others.lock();
        let pages = || (first..=last).step_by(self.page);
        if pages().all(|page| others.contains(&page)) {
            return false;
        }
        let end = (last | (self.page - 1)) + 1;
        // Runs are used in order, so that empty ones come last.
        let fits = |run: &&Hull| run.is_empty() || run.touches(first, end);
        match self.runs.iter().find(fits) {
            Some(run) => run.add(first, end),
            None => others.extend(pages()),
        }
        true
    }

    /// Whether a block is at this address, or was.
    pub(crate) fn contains(&self, addr: usize) -> bool {
        self.runs.iter().any(|run| run.contains(addr)) || self.others.lock().contains(&(addr & !(self.page - 1)))
    }
}

/// The pools of this process.
#[derive(Default)]
pub(crate) struct KnownPools {
    /// The pages of each pool.
    pages: RwLock<Vec<Weak<PoolPages>>>,
    /// True if there is a pool, or was.
    used: AtomicBool,
}

impl KnownPools {
    pub(crate) fn add(&self, pages: &Arc<PoolPages>) {
        // Relaxed: a thread that waits for work with a pool's memory was ordered after the creation of the pool.
        self.used.store(true, Ordering::Relaxed);
        let mut known = self.pages.write();
        known.retain(|pages| pages.strong_count() > 0);
        known.push(Arc::downgrade(pages));
    }

    /// Whether a block of a pool is at this address, or was.
    pub(crate) fn contains(&self, addr: usize) -> bool {
        self.are_used() && self.pages.read().iter().filter_map(Weak::upgrade).any(|pages| pages.contains(addr))
    }

    /// Whether there is a pool, or was. The driver trims pools in calls that wait for something. So a wait must call
    /// the driver, even if the work is known to be complete.
    pub(crate) fn are_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
#[path = "pool_pages_tests.rs"]
mod tests;
