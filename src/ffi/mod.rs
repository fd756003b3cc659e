//! The C boundary: every `extern "C"` function reads the arguments from C, calls the core, and returns
//! a code. There is no logic here. One folder per region and one file per
//! noun, as in `core` and `cpp_tests`.
//!
//! # Safety
//! One contract for all functions, the API's own: a pointer is null or points to as much memory as
//! the call reads or writes; texts end with a zero; functions passed in may be called as the header
//! says. Everything else - dead handles, unknown enumerators, wrong sizes - is checked.
#![allow(non_snake_case, reason = "functions and parameters have the names of the C header")]
#![allow(clippy::missing_safety_doc, reason = "one contract for all, stated above")]
#![allow(clippy::module_inception, reason = "a region's folder has a file for the noun of that name")]
#![allow(clippy::too_many_arguments, reason = "the C header decides")]
#![allow(unused_variables, reason = "functions that return 207000 do not read their arguments")]

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
