//! Streams: in-order queues of work, and waiting for them.

pub mod abort;
pub mod allocator;
pub mod device;
pub mod event;
pub mod exception;
pub mod failure;
pub mod interceptor;
pub mod native;
pub mod notify;
pub mod op_timeout;
pub mod report;
pub mod resource_limit;
#[expect(clippy::module_inception, reason = "the type has the name of its region")]
mod stream;
pub mod stream_config;

pub(crate) use self::stream::lifetime::create_on;
pub use self::stream::lifetime::{create, create_with_priority, destroy};
pub(crate) use self::stream::synchronize::synchronize_until;
pub use self::stream::synchronize::{always_wait, deadline, in_time, is_idle, synchronize, synchronize_with_timeout};
pub use self::stream::{
    Stream, StreamFlags, available, current_default, flags, id, priority, resolve, stream_attribute,
};
