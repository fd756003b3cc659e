//! The session, devices and contexts.

pub mod atomics;
pub mod context;
pub mod device;
pub mod device_info;
pub mod device_limit;
pub mod group;
pub mod info;
pub mod life_callback;
pub mod lifecycle;
pub mod state_callback;
pub mod sys_param;
pub mod version;
pub mod visibility;
