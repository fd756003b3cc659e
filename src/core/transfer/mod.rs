//! Operations that move and fill memory: copies, fills, reductions, random numbers, and values that streams write and
//! wait for.

pub mod cache;
pub mod data_type;
pub mod ends;
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
mod synchronous;
