//! The process as a whole: snapshots, statistics of its memory.

pub mod memory_stats;
pub mod snapshot;
