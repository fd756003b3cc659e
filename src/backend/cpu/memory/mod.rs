//! Device memory, pinned memory, virtual memory: allocation, use, release.

pub mod bounds;
pub mod capacity;
pub mod device_memory;
pub mod host_access;
pub mod host_register;
pub mod ipc;
pub mod pending;
pub mod pinned;
pub mod ranges;
pub mod virtual_memory;
pub mod windows;
