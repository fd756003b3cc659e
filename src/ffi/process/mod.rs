//! The process as a whole: snapshots, statistics of its memory.

pub mod leak_check;
pub mod memory_stats;
pub mod snapshot;
