//! Allocators, which cut ranges of memory into blocks.

pub mod block_cache;
pub mod heap;
mod large_vec;
pub mod pool;
pub(crate) mod prefetch;
