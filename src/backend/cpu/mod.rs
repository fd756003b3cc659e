//! The CPU as a device.
