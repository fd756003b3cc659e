//! The driver, its contexts and its devices.

pub(crate) mod context;
pub(crate) mod count;
pub(crate) mod device;
pub(crate) mod device_state;
pub(crate) mod driver;
pub(crate) mod info;
pub(crate) mod priorities;
pub(crate) mod shared;
pub(crate) mod snapshot;
pub(crate) mod utilization;

pub(crate) use context::{Context, Raw};
pub(crate) use device_state::DeviceState;
pub(crate) use shared::{CudaDriver, DriverState};
