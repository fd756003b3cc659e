//! Operations on pool memory that the address map finds. The region of pools registers them before it creates its
//! first pool.

use std::fmt::Display;
use std::sync::OnceLock;

use super::{Allocation, Owner};
use crate::backend::{Block, Driver};
use crate::base::error::Result;

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

/// Operations on pool memory.
pub struct Backing {
    /// The user of this memory's pool. `None`: the pool has ended.
    pub pool_use: fn(&Allocation) -> Option<PoolUse>,
    /// Whether the pool of this memory ends with this opening of a device.
    pub is_on: fn(&Allocation, Owner) -> bool,
    /// The backend's block that this memory is in.
    pub block: fn(&Allocation) -> Block,
    /// Whether this address, which is in no live allocation, is idle pool memory.
    pub is_idle: fn(&dyn Driver, usize) -> bool,
    /// Fails if the device with this id may not read the memory, or not write it. The argument names the address.
    pub check_access: fn(&dyn Display, usize, &Allocation, u32, bool) -> Result<()>,
    /// Frees memory at once; nothing uses it any more. Returns false if another thread has freed it.
    pub release: fn(&Allocation) -> Result<bool>,
    /// Called when the program frees memory outside of captures. Returns true if the memory is a graph's, which keeps
    /// it for its next run.
    pub retains: fn(usize) -> Result<bool>,
    /// Frees what pools do not use, on the device of this owner and, if the flag is set, on devices that share its
    /// memory. Returns false if there was nothing.
    pub trim: fn(Owner, bool) -> bool,
}

static BACKING: OnceLock<&'static Backing> = OnceLock::new();

/// The operations before the first pool is created.
static NO_POOLS: Backing = Backing {
    pool_use: |_| None,
    is_on: |_, _| false,
    block: Allocation::block,
    is_idle: |_, _| false,
    check_access: |_, _, _, _, _| Ok(()),
    release: |_| Ok(false),
    retains: |_| Ok(false),
    trim: |_, _| false,
};

/// Registers the operations.
pub fn register(backing: &'static Backing) {
    BACKING.get_or_init(|| backing);
}

/// Returns the registered operations.
#[inline]
pub fn backing() -> &'static Backing {
    BACKING.get().copied().unwrap_or(&NO_POOLS)
}
