//! Modules, kernels and their launches.

pub mod kernel_launch;
pub mod module;
pub mod own_module;
