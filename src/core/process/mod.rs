//! State of the whole process: snapshots, leak reports, statistics of all memory.

pub mod leak_check;
pub mod memory_stats;
pub mod snapshot;
