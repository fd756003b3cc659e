//! What concerns the whole process: snapshots of its state, and reports of leaks.

pub mod leak_check;
pub mod snapshot;
