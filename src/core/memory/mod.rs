//! Memory: allocations, and what an address refers to.

pub mod access;
pub mod allocation;
pub mod buffer;
pub mod data_buffer;
pub mod host_register;
pub mod ipc;
pub mod managed_memory;
pub mod mem_info;
pub mod memory_hook;
pub mod memory_stats;
pub mod peer;
mod pointer;
pub mod request;
pub mod virtual_memory;

pub use self::pointer::hold::Held;
pub(crate) use self::pointer::hold::{check_pointer, check_reach, hold_other, must_ask};
pub use self::pointer::span::span;
pub(crate) use self::pointer::span::{is_ordinary, is_plain};
pub use self::pointer::{
    address_range, all_are_of_type, host_memory, is_managed, place_in_words, pointer_attributes, usage,
};
pub(crate) use self::request::device_memory::{
    forget_device_memory, forget_memory, free_word_of_graph, release_device_memory, word_of_graph, zeros_of_device,
};
pub use self::request::device_memory::{free, free_with_sync, malloc, malloc_align32, malloc_with_config};
pub(crate) use self::request::freeing::{freeing_call, not_freed};
pub(crate) use self::request::pinned_memory::release_host_memory;
pub use self::request::pinned_memory::{free_host, free_host_with_sync, malloc_host, malloc_host_with_config};
