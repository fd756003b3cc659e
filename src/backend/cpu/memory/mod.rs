//! Device memory, pinned memory and virtual memory: allocates, uses and releases it.

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
