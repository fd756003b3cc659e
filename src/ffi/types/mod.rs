//! The types and constants of the headers, with their C names. `tests/headers` generates
//! `include/acl` from them.
//!
//! C can pass any number where the header has an `enum`. Such parameters and fields are therefore
//! `MaybeUninit<...>`, which becomes the plain C enum in the header and is read by
//! `enum_value` of `src/ffi/base`.
#![allow(non_camel_case_types, reason = "types have the names of the C header")]
#![allow(non_snake_case, reason = "fields have the names of the C header")]

mod allocator;
mod base;
mod base_errors;
mod ge_errors;
mod portacl;
mod portacl_finding;
mod portacl_task;
mod prof;
mod rt;
mod soma;

pub use self::{
    allocator::*, base::*, base_errors::*, ge_errors::*, portacl::*, portacl_finding::*, portacl_task::*, prof::*,
    rt::*, soma::*,
};
