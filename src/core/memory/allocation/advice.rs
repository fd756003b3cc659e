//! The program's advice about managed memory, by address.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::{Allocation, Kind};
use crate::backend::Home;

/// The advice for a block.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Advised {
    /// Whether the block is mostly read.
    pub read_mostly: bool,
    /// The place where it should be.
    pub preferred: Option<Home>,
    /// The devices, or the host, that access it.
    pub accessed_by: Vec<Home>,
    /// The place to which the latest prefetch moved it.
    pub prefetched: Option<Home>,
}

/// The advice, by address. It has no blocks without advice.
pub static ADVISED: Mutex<BTreeMap<usize, Advised>> = Mutex::new(BTreeMap::new());

impl Allocation {
    /// Removes the advice of memory that is freed.
    pub(crate) fn forget_advice(&self) {
        if matches!(self.kind, Kind::Managed(_)) {
            let end = self.base + self.len;
            ADVISED.lock().retain(|addr, _| !(self.base..end).contains(addr));
        }
    }
}
