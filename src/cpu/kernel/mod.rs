//! Modules, kernels and their launches.

pub(crate) mod kernel_launch;
pub(crate) mod kernel_uses;
pub(crate) mod module;
