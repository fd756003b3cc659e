//! The machine and its kernel: memory files, pages, ranges of addresses.

pub mod arena;
pub mod bytes;
pub mod files;
pub mod host_ranges;
pub mod machine;
pub mod pages;
pub mod write_barrier;
