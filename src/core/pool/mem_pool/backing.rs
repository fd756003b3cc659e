//! Operations on memory of pools for lower regions.

use std::fmt::Display;

use super::pool::Pool;
use super::{access, free_now, owned, trim_where};
use crate::backend::{Block, Driver};
use crate::core::base::error::Result;
use crate::core::base::owner::Owner;
use crate::core::memory::allocation::Allocation;
use crate::core::memory::allocation::backing::{self, Backing, PoolUse};

struct Pools;

/// Registers them.
pub fn register() {
    backing::register(&Pools);
}

impl Backing for Pools {
    fn pool_use(&self, memory: &Allocation) -> Option<PoolUse> {
        Pool::share_of(memory).map(|pool| pool.pool_use())
    }

    fn is_on(&self, memory: &Allocation, owner: Owner) -> bool {
        Pool::share_of(memory).is_some_and(|pool| pool.home.is_of(owner))
    }

    fn block(&self, memory: &Allocation) -> Block {
        let segment = Pool::share_of(memory).and_then(|pool| pool.segment(memory.base));
        segment.unwrap_or_else(|| memory.block())
    }

    #[cold]
    fn is_idle(&self, driver: &dyn Driver, addr: usize) -> bool {
        driver.pools().is_some_and(|pools| pools.have_had(addr))
            || Pool::all().iter().any(|pool| pool.segment(addr).is_some())
    }

    fn check_access(
        &self,
        argument: &dyn Display,
        addr: usize,
        memory: &Allocation,
        device: u32,
        writes: bool,
    ) -> Result<()> {
        access::check(argument, addr, memory, device, writes)
    }

    fn release(&self, memory: &Allocation) -> Result<bool> {
        free_now(memory)
    }

    fn retains(&self, addr: usize) -> Result<bool> {
        owned::retains(addr)
    }

    fn trim(&self, owner: Owner, shares_memory: bool) -> bool {
        trim_where(|home| home.is_of(owner) || shares_memory && home.device().is_some())
    }
}
