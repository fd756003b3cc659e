//! Uses processors of this machine as devices with in-order asynchronous streams, private memory with a limit, and
//! events. The backend has no global state that prevents it from being opened, shut down and opened again.
//!
//! | folder | contents |
//! |---|---|
//! | `base/` | the machine and its kernel: memory files, pages, ranges of host addresses; the arena (`arena.rs`) |
//! | `runtime/` | the driver, its devices, their properties, snapshots |
//! | `memory/` | device memory, pinned and registered host memory, virtual memory, memory of other processes |
//! | `memory/capacity.rs` | the memory of each device, and of all devices |
//! | `memory/bounds.rs`, `memory/host_access.rs` | optional checks of accesses (guard mode, AddressSanitizer) |
//! | `memory/pending.rs` | freed memory that pending operations still use |
//! | `pool/` | memory that several processes share |
//! | `stream/` | streams, their queues, the threads that run them, events, waits |
//! | `stream/schedule.rs` | optional: a chosen order of all operations and calls |
//! | `transfer/` | operations that move and fill memory |
//! | `kernel/` | modules (shared objects), kernels and their launches |
//! | `graph/` | graphs |

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

pub use memory::pinned::closed;
#[cfg(test)]
pub use runtime::driver::open;
pub use runtime::driver::open_chosen;
pub use runtime::shared::Options;
pub use stream::schedule::{self, Schedule};
