//! The session, devices and contexts.

pub mod context;
pub mod device;
pub mod device_info;
pub mod group;
pub mod init;
pub mod soc;
pub mod version;
