//! The C boundary: every `extern "C"` function reads what C sends, calls the core, and answers in
//! codes. No logic lives here. One file per noun, as in `core` and `cpp_tests`.
//!
//! # Safety
//! One contract for all functions, the API's own: a pointer is null or points to as much memory as
//! the call reads or writes; texts end with a zero; functions passed in may be called as the header
//! says. Everything else - dead handles, unknown enumerators, wrong sizes - is checked.
#![allow(non_snake_case, reason = "functions and parameters have the names of the C header")]
#![allow(clippy::missing_safety_doc, reason = "one contract for all, stated above")]
#![allow(clippy::too_many_arguments, reason = "the C header decides")]
#![allow(unused_variables, reason = "functions that answer 207000 do not look at their arguments")]

pub mod allocator;
pub mod app_log;
pub mod buffer;
pub mod cache;
pub mod callback;
pub mod context;
pub mod data_buffer;
pub mod data_type;
pub mod device;
pub mod device_info;
pub mod dump;
pub mod error;
pub mod event;
pub mod exception;
pub mod fork;
pub mod graph;
mod graph_build;
mod graph_capture;
mod graph_condition;
mod graph_end;
mod graph_group;
mod graph_inspect;
mod graph_print;
mod graph_stream;
mod graph_task;
pub mod group;
pub mod guard;
pub mod host_register;
mod init;
pub mod ipc;
pub mod kernel;
pub mod kernel_args;
pub mod kernel_launch;
pub mod label;
pub mod managed_memory;
pub mod mem_pool;
pub mod mem_pool_sharing;
pub mod memcpy;
pub mod memcpy_2d;
pub mod memcpy_batch;
pub mod memcpy_indirect;
pub mod memory;
pub mod memory_hook;
pub mod memory_snapshot;
pub mod memory_stats;
pub mod memset;
pub mod native;
pub mod notify;
pub mod op_timeout;
pub mod overflow;
pub mod peer;
pub mod portacl;
pub mod portacl_graph;
pub mod portacl_graph_mem;
pub mod portacl_mem_pool;
pub mod portacl_symbol;
pub mod prof_range;
mod prof_stamp;
mod prof_step;
mod prof_subscribe;
pub mod prof_trace;
pub mod profiling;
pub mod random_num;
pub mod report;
pub mod resource_limit;
pub mod snapshot;
pub mod soc;
pub mod stream;
pub mod stream_config;
pub mod stream_value;
pub mod symbol;
pub mod types;
pub mod value;
pub mod version;
pub mod virtual_memory;
pub mod virtual_memory_sharing;
