//! The driver, its contexts and its devices.

pub mod context;
pub mod count;
pub mod device;
pub mod device_state;
pub mod driver;
pub mod info;
pub mod shared;
pub mod snapshot;
pub mod utilization;

pub use context::{Context, OutsideCaptures, Raw};
pub use device_state::DeviceState;
pub use shared::{CudaDriver, DriverState};
