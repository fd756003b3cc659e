//! Uses NVIDIA GPUs through the CUDA driver.
//!
//! Folders and files have the names of the CPU backend's; `tests/architecture/one_backend.tsv` lists the exceptions.
//! This table lists lower files first; a file imports no higher one:
//!
//! | files | contents |
//! |---|---|
//! | `base/` | the driver's functions, its status numbers, the addresses that it returned |
//! | `runtime/`: context, shared, device_state | primary contexts; the state of the driver, then of a device |
//! | `stream/mark.rs`, `stream/state.rs` | events of the library; the state of a stream, and the list of all streams |
//! | `memory/pending.rs` | what is released to the driver when no work uses it any more |
//! | the rest of `memory/`, `pool/`, `stream/`, `transfer/`, `kernel/`, `graph/` | what they do with these states |
//! | `stream/mod.rs`, `runtime/device.rs`, `runtime/driver.rs` | the traits of streams, devices and the driver |
//!
//! A higher file keeps its state of the driver or of a device in typed slots (`algo/map/typed_slots.rs`) of the lower
//! ones: for example the list of streams, and what is pending.

#[macro_use]
extern crate portacl_algo as algo;
extern crate portacl_backend as backend;

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

#[cfg(any(test, debug_assertions))]
pub use runtime::driver::open;

/// What the library lists.
pub static BACKEND: backend::Backend = backend::Backend {
    name: c"cuda",
    takes_schedules: false,
    binds_process: true,
    count_unopened: runtime::count::without_start,
    open: |_, choose| runtime::driver::open_chosen(choose),
};
