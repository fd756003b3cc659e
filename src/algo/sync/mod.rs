//! Locks, counters, and deferred release.

pub mod event_count;
pub mod gap;
pub mod level;
pub mod primitives;
pub mod published;
pub mod reclaim;
pub mod share;
pub mod spin_lock;
pub mod striped_count;
