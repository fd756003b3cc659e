//! Uses processors of this machine as devices with in-order asynchronous streams, private memory with a limit, and
//! events. The backend has no global state that prevents it from being opened, shut down and opened again.
//!
//! | folder | contents |
//! |---|---|
//! | `base/` | the machine and its kernel: memory files, pages, ranges of host addresses; the arena (`arena.rs`) |
//! | `runtime/` | the driver, its devices, their properties, snapshots |
//! | `memory/` | device memory, pinned and registered host memory, virtual memory, memory from other processes |
//! | `memory/capacity.rs` | the memory on each device, and on all devices |
//! | `memory/bounds.rs`, `memory/host_access.rs` | optional checks of accesses (guard mode, AddressSanitizer) |
//! | `memory/pending.rs` | freed memory that pending operations still use |
//! | `pool/` | memory that several processes share |
//! | `stream/` | streams, their queues, the threads that run them, events, waits |
//! | `transfer/` | operations that move and fill memory |
//! | `kernel/` | modules (shared objects), kernels and their launches |
//! | `graph/` | graphs |

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
    name: c"cpu",
    takes_schedules: true,
    binds_process: false,
    count_unopened: || None,
    open: |options, choose| runtime::driver::open_chosen(options.clone(), choose),
};
