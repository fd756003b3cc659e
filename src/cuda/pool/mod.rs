//! Memory pools of the CUDA driver.

pub(crate) mod mem_pool;
pub(crate) mod pool_pages;
