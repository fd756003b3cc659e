//! Pools of a driver.

use crate::backend::{self, Block, Fault};
use crate::base::error::Result;
use crate::base::owner::Owner;
use crate::memory::allocation::Allocation;
use crate::memory::memory_stats::Tally;
use crate::runtime::device::Device;
use crate::stream::Stream;

/// A pool of the driver.
pub struct DriverPool {
    pub(in crate::pool::mem_pool) pool: Box<dyn backend::Pool>,
    /// Counts blocks. A block is counted before it is published and until it is withdrawn.
    pub tally: Tally,
}

impl DriverPool {
    /// Creates a new pool without blocks.
    pub fn new(pool: Box<dyn backend::Pool>) -> Self {
        Self { pool, tally: Tally::default() }
    }

    /// Allocates again, after a first failure.
    #[cold]
    pub(super) fn alloc_again(
        &self,
        fault: Fault,
        len: usize,
        stream: &Stream,
        device: Option<&Device>,
    ) -> Result<Block> {
        let alloc = |_: &dyn backend::Device| self.pool.alloc(len, stream.native());
        Ok(match device {
            Some(device) => device.again_with_all_memory(fault, alloc)?,
            None => return Err(fault.into()),
        })
    }

    /// Removes all memory in the pool from the address map. Calls `each` with the memory that programs had.
    pub(super) fn drain(&self, owner: Owner, each: impl FnMut(Allocation)) {
        Allocation::drain_under(|drain| self.tally.paused(drain), owner, each);
    }
}
