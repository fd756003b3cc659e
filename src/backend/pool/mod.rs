//! Memory pools, and memory that processes share.

pub mod mem_pool;
pub mod shared_memory;
