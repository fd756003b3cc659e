//! Memory pools, and memory that several processes share.

pub mod mem_pool;
pub mod shared_memory;
