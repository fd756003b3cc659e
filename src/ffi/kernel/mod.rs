//! Binaries, kernels, their arguments, and launches.

pub mod kernel;
pub mod kernel_args;
pub mod kernel_launch;
pub mod portacl_symbol;
pub mod symbol;
