//! Memory pools.

pub mod mem_pool;
pub mod mem_pool_sharing;
pub mod portacl_mem_pool;
