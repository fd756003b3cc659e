//! Binaries, kernels, their arguments, and launches.

pub mod function;
pub mod kernel;
pub mod kernel_args;
pub mod kernel_launch;
pub mod kernel_launch_host_args;
pub mod portacl_symbol;
pub mod symbol;
