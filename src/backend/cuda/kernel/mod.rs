//! Modules, kernels and their launches.

pub mod kernel_launch;
pub mod library_module;
pub mod module;
