//! Memory pools: stream-ordered allocation.

pub mod mem_pool;
