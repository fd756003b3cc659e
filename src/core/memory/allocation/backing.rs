//! Operations on memory of pools that the address map finds. The region of pools implements [`Backing`] and registers
//! it before it creates its first pool.

use std::fmt::Display;
use std::sync::OnceLock;

use super::{Allocation, Owner};
use crate::backend::{Block, Driver};
use crate::core::base::error::Result;

/// The users of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolUse {
    /// The program.
    Program,
    /// Another process, which exports single allocations.
    Imported,
    /// Graphs, for captured requests.
    Graphs,
}

/// Operations on memory of pools.
pub trait Backing: Sync {
    /// The user of this memory's pool. `None`: the pool has ended.
    fn pool_use(&self, memory: &Allocation) -> Option<PoolUse>;

    /// Whether the pool of this memory ends with this opening of a device.
    fn is_on(&self, memory: &Allocation, owner: Owner) -> bool;

    /// The backend's block that this memory is in.
    fn block(&self, memory: &Allocation) -> Block;

    /// Whether this address, which is in no live allocation, is idle memory of a pool.
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

    /// Frees memory at once; nothing uses it any more. False: another thread has freed it.
    fn release(&self, memory: &Allocation) -> Result<bool>;

    /// The program frees memory outside of captures. True: the memory is a graph's, which keeps it for its next run.
    fn retains(&self, addr: usize) -> Result<bool>;

    /// Frees what pools do not use, on the device of this owner and on devices that share its memory. False: there was
    /// nothing.
    fn trim(&self, owner: Owner, shares_memory: bool) -> bool;
}

static BACKING: OnceLock<&'static dyn Backing> = OnceLock::new();

/// Registers the operations.
pub fn register(backing: &'static dyn Backing) {
    BACKING.get_or_init(|| backing);
}

/// The registered operations.
#[inline]
pub fn backing() -> &'static dyn Backing {
    BACKING.get().copied().unwrap_or(&NoPools)
}

/// The operations before the first pool.
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
