//! Operations on memory of pools for lower regions.

use super::pool::Pool;
use super::{access, free_now, owned, trim_where};
use crate::core::memory::allocation::backing::Backing;

/// What this region registers.
pub static OPERATIONS: Backing = Backing {
    pool_use: |memory| Pool::share_of(memory).map(|pool| pool.used_by),
    is_on: |memory, owner| Pool::share_of(memory).is_some_and(|pool| pool.home.opening == Some(owner)),
    block: |memory| {
        let segment = Pool::share_of(memory).and_then(|pool| pool.segment(memory.base));
        segment.unwrap_or_else(|| memory.block())
    },
    is_idle: |driver, addr| {
        driver.pools().is_some_and(|pools| pools.have_had(addr))
            || Pool::all().iter().any(|pool| pool.segment(addr).is_some())
    },
    check_access: access::check,
    release: free_now,
    retains: owned::retains,
    trim: |owner, shares_memory| {
        trim_where(|home| home.opening == Some(owner) || shares_memory && home.device().is_some())
    },
};
