//! Device memory, pinned memory and virtual memory: allocates, uses and releases it.

pub(crate) mod blocks;
pub(crate) mod device_memory;
pub(crate) mod foreign;
pub(crate) mod host_register;
pub(crate) mod ipc;
pub(crate) mod managed_memory;
pub(crate) mod mapped_memory;
pub(crate) mod peer;
pub(crate) mod pending;
pub(crate) mod pinned;
pub(crate) mod virtual_memory;
