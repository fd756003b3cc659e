//! Memory: allocation, registration, sharing, hooks.

pub mod buffer;
pub mod data_buffer;
pub mod host_register;
pub mod ipc;
pub mod managed_memory;
pub mod mem_info;
pub mod memory;
pub mod memory_hook;
pub mod memory_hook_ready;
pub mod peer;
pub mod pointer;
pub mod virtual_memory;
pub mod virtual_memory_physical;
pub mod virtual_memory_sharing;
