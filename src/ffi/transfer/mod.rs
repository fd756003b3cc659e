//! Copies, fills, reductions, random numbers, values in memory, and the state of overflows.

pub mod cache;
pub mod data_type;
pub mod host_task;
pub mod memcpy;
pub mod memcpy_2d;
pub mod memcpy_batch;
pub mod memcpy_indirect;
pub mod memset;
pub mod overflow;
pub mod random_num;
pub mod reduce;
pub mod stream_value;
