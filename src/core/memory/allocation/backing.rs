//! What pools do for their memory, which the address map finds: the region of pools implements [`Backing`] and
//! registers it before it creates its first pool.

use std::fmt::Display;
use std::sync::OnceLock;

use super::{Allocation, Owner};
use crate::backend::{Block, Driver};
use crate::core::base::error::Result;

/// Whose requests a pool serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolUse {
    /// The program's.
    Program,
    /// Another process's, which exports single allocations.
    Imported,
    /// Captured ones, of graphs.
    Graphs,
}

/// What answers for memory of pools.
pub trait Backing: Sync {
    /// Whose requests the pool of this memory serves. None: the pool has ended.
    fn pool_use(&self, memory: &Allocation) -> Option<PoolUse>;

    /// Whether the pool of this memory ends with this opening of a device.
    fn is_on(&self, memory: &Allocation, owner: Owner) -> bool;

    /// The backend's block that this memory is in.
    fn block(&self, memory: &Allocation) -> Block;

    /// Whether a pool has this address, which is in no live allocation.
    fn is_idle(&self, driver: &dyn Driver, addr: usize) -> bool;

    /// Fails if the device with this id may not read the memory, or not write it. `argument` names `addr`.
    fn check_access(
        &self,
        argument: &dyn Display,
        addr: usize,
        memory: &Allocation,
        device: u32,
        writes: bool,
    ) -> Result<()>;

    /// Frees memory at once, as nothing uses it any more. False: another thread was faster.
    fn release(&self, memory: &Allocation) -> Result<bool>;

    /// The program frees memory outside of captures. True: it is a graph's, which keeps it for its next run.
    fn retains(&self, addr: usize) -> Result<bool>;

    /// Returns what pools do not use to the device that this owner opened, and to those that share its memory
    /// if it shares it. False: there was nothing.
    fn trim(&self, owner: Owner, shares_memory: bool) -> bool;
}

static BACKING: OnceLock<&'static dyn Backing> = OnceLock::new();

/// From now on this answers for memory of pools.
pub fn register(backing: &'static dyn Backing) {
    BACKING.get_or_init(|| backing);
}

/// What answers for memory of pools.
#[inline]
pub fn backing() -> &'static dyn Backing {
    BACKING.get().copied().unwrap_or(&NoPools)
}

/// Before the first pool.
struct NoPools;

impl Backing for NoPools {
    fn pool_use(&self, _memory: &Allocation) -> Option<PoolUse> {
        None
    }

    fn is_on(&self, _memory: &Allocation, _owner: Owner) -> bool {
        false
    }

    fn block(&self, memory: &Allocation) -> Block {
        memory.block()
    }

    fn is_idle(&self, _driver: &dyn Driver, _addr: usize) -> bool {
        false
    }

    fn check_access(
        &self,
        _argument: &dyn Display,
        _addr: usize,
        _memory: &Allocation,
        _device: u32,
        _writes: bool,
    ) -> Result<()> {
        Ok(())
    }

    fn release(&self, _memory: &Allocation) -> Result<bool> {
        Ok(false)
    }

    fn retains(&self, _addr: usize) -> Result<bool> {
        Ok(false)
    }

    fn trim(&self, _owner: Owner, _shares_memory: bool) -> bool {
        false
    }
}
