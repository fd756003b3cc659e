//! Modules, kernels and their launches.

pub(crate) mod kernel_launch;
pub(crate) mod library_module;
pub(crate) mod module;
