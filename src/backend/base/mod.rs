//! The base of all backends: faults, the broker, time, random numbers, exit.

pub mod at_exit;
pub mod broker;
pub mod call_stack;
pub mod clock;
pub mod error;
pub mod hull;
pub mod loader;
pub mod memory_file;
pub mod numa;
pub mod probe;
pub mod protect;
pub mod python;
pub mod random;
