//! Streams: operations, events, failures, host functions, waits.

pub mod failure;
pub mod hand_over;
pub mod host_fn;
pub mod notify;
pub mod op;
pub mod stream_value;
pub mod watch;
