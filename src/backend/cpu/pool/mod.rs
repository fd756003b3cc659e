//! Memory that several processes share.

pub mod imports;
pub mod shared_file;
pub mod shared_memory;
