//! The program's advice about managed memory, by address.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::{Allocation, Kind};
use crate::backend::Home;

/// The advice for a block.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Advised {
    /// It is mostly read.
    pub read_mostly: bool,
    /// Where it should be.
    pub preferred: Option<Home>,
    /// Who accesses it.
    pub accessed_by: Vec<Home>,
    /// Where the latest prefetch moved it.
    pub prefetched: Option<Home>,
}

/// Advice by address; blocks without advice are not in it.
pub static ADVISED: Mutex<BTreeMap<usize, Advised>> = Mutex::new(BTreeMap::new());

impl Allocation {
    /// Removes the advice of memory that is freed.
    pub fn forget_advice(&self) {
        if matches!(self.kind, Kind::Managed(_)) {
            let end = self.base + self.len;
            ADVISED.lock().retain(|addr, _| !(self.base..end).contains(addr));
        }
    }
}
