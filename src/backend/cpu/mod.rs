//! Processors of this machine as devices: in-order asynchronous streams, private memory with a limit, events.
//! Self-contained and without global state, so that it can be opened, shut down and opened again.

mod base;
mod graph;
mod kernel;
mod memory;
mod pool;
mod runtime;
mod stream;
#[cfg(test)]
mod tests;
mod transfer;

pub use runtime::driver::{open, open_chosen};
pub use runtime::shared::Options;
