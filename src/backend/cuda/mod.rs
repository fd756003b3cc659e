//! NVIDIA GPUs, through the CUDA driver.
//!
//! Folders and files have the names of the cpu backend's. Only this backend has the table of the driver's functions
//! (`base/api.rs`), its status numbers (`base/error.rs`), the addresses that it got from the driver (`base/owned.rs`),
//! primary contexts (`runtime/context.rs`), access between devices (`runtime/peer.rs`), memory of other libraries
//! (`memory/foreign.rs`), releases (`memory/release.rs`), and what streams of the driver need: host functions
//! (`stream/host_fn.rs`, `stream/call_slots.rs`, `stream/workers.rs`), time limits (`stream/timed_wait.rs`) and absolute
//! times (`stream/clock.rs`).

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
