//! Operations that move and fill memory.

pub(crate) mod host_task;
pub(crate) mod memcpy;
pub(crate) mod memcpy_2d;
mod memcpy_batch;
pub(crate) mod memcpy_indirect;
pub(crate) mod random_num;
pub(crate) mod reduce;
pub(crate) mod stream_value;
