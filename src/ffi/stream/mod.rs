//! Streams, and what works on them: events, notifies, callbacks, limits.

pub mod abort;
pub mod allocator;
pub mod event;
pub mod exception;
pub mod native;
pub mod notify;
pub mod op_timeout;
pub mod report;
pub mod resource_limit;
pub mod stream;
pub mod stream_config;
