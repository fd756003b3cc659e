//! What goes back to the driver when no queued work uses it any more: memory, mappings, modules, graphs.

use std::sync::Arc;

use crate::backend::Result;
use crate::backend::cuda::runtime::device_state::DeviceState;
use crate::backend::cuda::runtime::shared::DriverState;
use crate::backend::cuda::stream::state::StreamState;

/// Something to release. [`pending::release`](super::pending::release) releases it now, or after the queued work
/// that may use it.
pub trait Release: Send + 'static {
    /// The device that it belongs to. `None`: host memory, which work of every device may use.
    fn device(&self) -> Option<&Arc<DeviceState>>;

    /// Streams of other devices may use it as well, if they have work for several devices.
    fn is_shared(&self) -> bool {
        true
    }

    /// The driver may wait for running work before it releases this.
    fn may_wait(&self) -> bool {
        true
    }

    /// How much memory goes back to the driver.
    fn bytes(&self) -> usize {
        0
    }

    /// It is a mapping in this range.
    fn is_mapping_in(&self, _from: usize, _len: usize) -> bool {
        false
    }

    /// Returns it to the driver. No queued work uses it any more. Called once.
    fn now(&mut self, driver: &DriverState) -> Result<()>;

    /// The driver has refused [`Self::now`], and no call returns that.
    fn refused(&mut self, _driver: &DriverState) {}
}

impl dyn Release {
    /// Whether it belongs to this device.
    pub fn is_of(&self, owner: &DeviceState) -> bool {
        self.device().is_some_and(|device| std::ptr::eq(&**device, owner))
    }

    /// Whether work of this stream can use it. Work of another device is no reason to keep device memory, nor to
    /// keep the device open.
    pub fn may_be_used_by(&self, stream: &StreamState) -> bool {
        self.device().is_none() || self.is_of(&stream.device) || self.is_shared() && stream.crosses()
    }
}
