//! The CUDA driver: its functions, its status numbers, and what the backend got from it.

pub(crate) mod api;
pub(crate) mod error;
pub(crate) mod owned;
