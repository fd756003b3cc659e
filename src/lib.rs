//! portacl: the Ascend runtime API (`acl*`, `aclrt*`) as an independent library.
//!
//! Direction of calls: [`ffi`] -> [`core`] -> [`backend`]; everything may use [`algo`]; nothing
//! points upwards. `ARCHITECTURE.md` shows where each part is, and why.

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", target_endian = "little")))]
compile_error!("portacl supports Linux with glibc on 64-bit little-endian machines only");

#[cfg(panic = "abort")]
compile_error!(
    "portacl needs panic=unwind: each C entry turns a panic into ACL_ERROR_INTERNAL_ERROR, and panic=abort would end the process"
);

#[macro_use]
pub mod algo;
// Loom's primitives cannot be made in constants, and nothing but `algo` is modelled.
#[cfg(not(loom))]
pub mod backend;
#[cfg(not(loom))]
pub mod core;
#[cfg(not(loom))]
pub mod ffi;

#[cfg(not(loom))]
#[global_allocator]
static ALLOCATOR: algo::host::host_memory::HostMemory = algo::host::host_memory::HostMemory;
