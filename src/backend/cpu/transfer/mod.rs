//! Operations that move and fill memory.

pub mod memcpy;
pub mod memcpy_2d;
pub mod memcpy_indirect;
pub mod random_num;
pub mod reduce;
pub mod stream_value;
