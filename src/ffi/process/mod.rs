//! Snapshots of the process.

pub mod snapshot;
