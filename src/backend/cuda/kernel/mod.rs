//! Modules, kernels and their launches.

pub mod kernel_launch;
pub mod own_module;
