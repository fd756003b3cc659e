//! Data structures, and what the library needs of the operating system. They know no device and no function of the API.
//! Properties and, through [`sync::primitives`], loom test them.

#[macro_use]
mod ensure;

pub mod alloc;
pub mod count;
pub mod host;
pub mod map;
pub mod math;
pub mod queue;
pub mod sync;
pub mod thread;

#[cfg(test)]
mod tests;

#[cfg(all(test, not(loom)))]
#[global_allocator]
static ALLOCATOR: host::host_memory::HostMemory = host::host_memory::HostMemory;
