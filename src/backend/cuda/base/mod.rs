//! The CUDA driver: its functions, its status numbers, and what the backend got from it.

pub mod api;
pub mod error;
pub mod owned;
