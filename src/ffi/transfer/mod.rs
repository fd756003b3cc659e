//! Copies, fills, reductions and random numbers.

pub mod cache;
pub mod data_type;
pub mod memcpy;
pub mod memcpy_2d;
pub mod memcpy_batch;
pub mod memcpy_indirect;
pub mod memset;
pub mod random_num;
