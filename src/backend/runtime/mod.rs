//! Devices: facts about them, and their atomic operations.

pub mod atomics;
pub mod info;
