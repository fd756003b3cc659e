//! Takes the place of the CUDA backend in a library that was built without it (`PORTACL_CUDA=OFF`).

use std::sync::Arc;

use crate::backend::{Driver, Fault, FaultKind, Result};

/// Fails, with the reason.
#[cfg(test)]
pub fn open() -> Result<Arc<dyn Driver>> {
    open_chosen(|_| Vec::new())
}

/// Fails, with the reason.
pub fn open_chosen(_choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Arc<dyn Driver>> {
    Err(Fault::new(
        FaultKind::NoDevice,
        "this portacl was built without the cuda backend (PORTACL_CUDA=OFF); use PORTACL_BACKEND=cpu, or another build",
    ))
}

/// There are no devices to count.
pub const fn count_without_start() -> Option<u32> {
    None
}
