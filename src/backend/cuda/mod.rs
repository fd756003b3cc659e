//! NVIDIA GPUs, through the CUDA driver. This file is a placeholder until the backend lands.

use std::sync::Arc;

use super::{Driver, Fault, FaultKind, Result};

/// Opens the backend.
pub fn open() -> Result<Arc<dyn Driver>> {
    Err(Fault::new(FaultKind::NoDevice, "the CUDA backend is not in this build"))
}
