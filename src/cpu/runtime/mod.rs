//! The driver and its devices.

pub(crate) mod device;
pub(crate) mod driver;
pub(crate) mod info;
pub(crate) mod shared;
pub(crate) mod snapshot;
pub(crate) mod utilization;
