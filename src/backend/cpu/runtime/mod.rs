//! The driver and its devices.

pub mod device;
pub mod driver;
pub mod info;
pub mod shared;
pub mod snapshot;
pub mod utilization;
