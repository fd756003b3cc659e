//! What concerns the whole process: snapshots of its state, reports of leaks, statistics of all its memory.

pub mod leak_check;
pub mod memory_stats;
pub mod snapshot;
