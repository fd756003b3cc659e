//! Threads of the library, and thread-local values.

#[cfg(any(test, debug_assertions))]
pub mod asleep;
pub mod cancellation;
pub mod deep_stack;
pub mod pause;
pub mod per_thread;
pub mod quiet_thread;
pub mod serving_thread;
pub mod state;
pub mod thread_attributes;
pub mod wake_up;
