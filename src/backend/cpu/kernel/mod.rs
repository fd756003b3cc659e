//! Modules, kernels and their launches.

pub mod kernel_launch;
pub mod kernel_uses;
pub mod module;
