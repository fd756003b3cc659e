//! The types and constants of the headers, with their C names. `tests/headers` generates
//! `include/acl` from them.
//!
//! C can pass any number where the header has an `enum`. Such parameters and fields are therefore
//! `MaybeUninit<...>`, which becomes the plain C enum in the header and is read by
//! [`enum_value`](super::base::value::enum_value).
#![allow(non_camel_case_types, reason = "types have the names of the C header")]
#![allow(non_snake_case, reason = "fields have the names of the C header")]

mod allocator;
mod base;
mod base_errors;
mod ge_errors;
mod graph_mem;
mod memory_hook;
mod memory_stats;
mod portacl;
mod prof;
mod rt_constants;
mod rt_device;
mod rt_errors;
mod rt_fault;
mod rt_graph;
mod rt_kernel;
mod rt_memory;
mod rt_process;
mod rt_stream;
mod soma;

pub use allocator::*;
pub use base::*;
pub use base_errors::*;
pub use ge_errors::*;
pub use graph_mem::*;
pub use memory_hook::*;
pub use memory_stats::*;
pub use portacl::*;
pub use prof::*;
pub use rt_constants::*;
pub use rt_device::*;
pub use rt_errors::*;
pub use rt_fault::*;
pub use rt_graph::*;
pub use rt_kernel::*;
pub use rt_memory::*;
pub use rt_process::*;
pub use rt_stream::*;
pub use soma::*;
