//! Memory that several processes share.

pub(crate) mod imports;
pub(crate) mod shared_file;
pub(crate) mod shared_memory;
