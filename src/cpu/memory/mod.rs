//! Device memory, pinned memory and virtual memory: allocates, uses and releases it.

pub(crate) mod bounds;
pub(crate) mod capacity;
pub(crate) mod device_memory;
pub(crate) mod host_access;
pub(crate) mod host_register;
pub(crate) mod ipc;
pub(crate) mod pending;
pub(crate) mod pinned;
pub(crate) mod ranges;
pub(crate) mod virtual_memory;
pub(crate) mod windows;
