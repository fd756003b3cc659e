//! Devices: their properties, and their atomic operations.

pub mod atomics;
pub mod backend;
pub mod info;
