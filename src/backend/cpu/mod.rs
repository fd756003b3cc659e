//! The CPU as a device. This file is a placeholder until the backend lands.

use std::sync::Arc;

use super::{Driver, Fault, FaultKind, Result};

/// How the CPU plays devices.
pub struct Options {
    /// How many.
    pub devices: u32,
    /// Bytes of memory of each.
    pub memory_per_device: u64,
    /// Nothing runs inline, and delays are added.
    pub asynchronous: bool,
    /// Seed of the delays.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { devices: 4, memory_per_device: 1 << 30, asynchronous: false, seed: 0 }
    }
}

/// Opens the backend.
pub fn open(_options: Options) -> Result<Arc<dyn Driver>> {
    Err(Fault::new(FaultKind::NoDevice, "the CPU backend is not in this build"))
}
