//! Queues of work.

pub mod completion;
pub mod stream_queue;
