//! The meaning of the API: validation, life cycle, semantics. The core knows no C and no driver.
#![cfg_attr(not(test), forbid(unsafe_code))]
#![cfg_attr(test, deny(unsafe_code))]

#[macro_use]
extern crate portacl_algo as algo;
extern crate portacl_backend as backend;

pub mod assembly;
pub mod base;
pub mod graph;
pub mod kernel;
pub mod memory;
pub mod order;
pub mod pool;
pub mod process;
pub mod profiling;
pub mod runtime;
pub mod stream;
#[cfg(test)]
mod tests;
pub mod transfer;

/// Tests make it fail.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: algo::host::host_memory::HostMemory = algo::host::host_memory::HostMemory;
