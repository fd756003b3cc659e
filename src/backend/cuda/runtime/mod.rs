//! The driver, its contexts and its devices.

pub mod context;
pub mod device;
pub mod driver;
pub mod info;
pub mod peer;
pub mod snapshot;
pub mod utilization;
