//! The machine and its kernel: memory files, pages, ranges of addresses.

pub(crate) mod arena;
pub(crate) mod bytes;
pub(crate) mod files;
pub(crate) mod host_ranges;
pub(crate) mod machine;
pub(crate) mod pages;
pub(crate) mod write_barrier;
