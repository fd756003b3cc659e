//! portacl: the Ascend runtime API (`acl*`, `aclrt*`) as an independent library. This crate is the C boundary: every
//! `extern "C"` function reads the arguments from C, calls the core, and returns a code. There is no logic here. One
//! folder per region and one file per noun, as in the core and in `cpp_tests`.
//!
//! # Safety
//! One contract for all functions, the API's own: a pointer is null or points to as much memory as the call reads or
//! writes; texts end with a zero; functions passed in may be called as the header says. Everything else - dead handles,
//! unknown enumerators, wrong sizes - is checked.
#![allow(non_snake_case, reason = "functions and parameters have the names of the C header")]
#![allow(clippy::missing_safety_doc, reason = "one contract for all, stated above")]
#![allow(clippy::module_inception, reason = "a region's folder has a file for the noun of that name")]
#![allow(clippy::too_many_arguments, reason = "the C header decides")]
#![allow(unused_variables, reason = "functions that return 207000 do not read their arguments")]

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", target_endian = "little")))]
compile_error!("portacl supports Linux with glibc on 64-bit little-endian machines only");

#[cfg(panic = "abort")]
compile_error!(
    "portacl needs panic=unwind: each C entry turns a panic into ACL_ERROR_INTERNAL_ERROR, and panic=abort would end the process"
);

#[macro_use]
extern crate portacl_algo as algo;
extern crate portacl_backend as backend;

use portacl_core as core;

mod assembly;
pub mod base;
pub mod graph;
pub mod kernel;
pub mod memory;
pub mod pool;
pub mod process;
pub mod profiling;
pub mod runtime;
pub mod stream;
pub mod transfer;
pub mod types;

#[global_allocator]
static ALLOCATOR: algo::host::host_memory::HostMemory = algo::host::host_memory::HostMemory;
