//! Device memory, pinned memory and virtual memory: allocates, uses and releases it.

pub mod blocks;
pub mod device_memory;
pub mod foreign;
pub mod host_register;
pub mod ipc;
pub mod managed_memory;
pub mod peer;
pub mod pending;
pub mod pinned;
pub mod virtual_memory;
