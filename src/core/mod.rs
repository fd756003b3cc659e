//! What the API means: validation, life cycle, semantics. Knows no C and no driver.
#![cfg_attr(not(test), forbid(unsafe_code))]
#![cfg_attr(test, deny(unsafe_code))]

pub mod abort;
pub mod allocation;
pub mod call_site;
pub mod config;
pub mod context;
pub mod data_buffer;
pub mod data_type;
pub mod device;
pub mod device_info;
pub mod device_slot;
mod ending;
pub mod error;
pub mod error_name;
pub mod event;
pub mod exception;
pub mod failure;
pub mod handles;
mod hooked_memory;
pub mod host_register;
pub mod info;
pub mod kernel;
pub mod kernel_launch;
pub mod leak_check;
pub mod leave;
pub mod life_callback;
pub mod malloc_config;
pub mod managed_memory;
pub mod mem_pool;
pub mod memcpy;
pub mod memcpy_2d;
pub mod memcpy_batch;
pub mod memory;
pub mod memory_hook;
pub mod memory_stats;
pub mod memset;
pub mod native;
pub mod op_timeout;
pub mod order;
pub mod page_policy;
pub mod peer;
pub mod release_failure;
pub mod report;
pub mod runtime;
pub mod state_callback;
pub mod stream;
pub mod stream_attribute;
pub mod stream_config;
pub mod stream_value;
pub mod sys_param;
#[cfg(test)]
mod tests;
pub mod thread;
pub mod version;
pub mod virtual_memory;
pub mod visibility;
