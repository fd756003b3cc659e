//! Memory pools of the CUDA driver.

pub mod mem_pool;
pub mod pool_pages;
