//! Traces: a file for Perfetto and chrome://tracing with what streams and threads did, and when.
//!
//! Without a trace the cost is one load of a word for each submission, [`decorators::any`]. During a trace the core
//! submits to a decorator, which is created for one submission, so it covers streams that were created before. The
//! decorator enqueues an event before and after each operation, on every backend, unless the stream is known to be
//! idle. A thread queries these events, and writes the file. The order of a stream's operations does not change, and a
//! failure of the additional calls never fails a call of the program.
//!
//! | file | what |
//! |---|---|
//! | `stream.rs` | the decorator of a stream |
//! | `operation.rs` | the description of an operation |
//! | `lane.rs` | the unwritten entries of a stream |
//! | `dependency.rs` | which record of an event a wait is for |
//! | `host.rs` | the notes of the program's threads |
//! | `call.rs` | the call that a thread is in |
//! | `recorder.rs` | when the trace is written |
//! | `timeline.rs`, `arrow.rs` | converts entries to events of the format; arrows between them |
//! | `json.rs`, `file.rs` | their text, and the file |

mod arrow;
mod call;
pub mod dependency;
mod file;
mod host;
mod json;
mod lane;
mod operation;
mod recorder;
mod stream;
#[cfg(test)]
mod tests;
mod timeline;

use crate::base::clock;
use crate::stream::decorators;
pub use call::{begin_call, current_call, show_python};
pub use host::{Detail, HostWhat, note, synchronous, waited};
pub use lane::Lane;
pub use operation::{Note, What};
pub use recorder::{Report, at_end_of_device, close, is_open, open, record};
pub use stream::TraceStream;

/// The bit of a device in [`record`]'s argument, and among the [decorators]. Devices from number 62 on share one.
pub const fn bit(device: u32) -> u64 {
    1 << if device < 62 { device } else { 62 }
}

/// Whether anything is recorded now. Threads of the program are recorded while any device is.
pub fn is_on() -> bool {
    decorators::has(!decorators::CHECKER)
}

/// Whether the work of this device is recorded now.
pub fn is_on_for(device: u32) -> bool {
    decorators::has(bit(device))
}

/// Returns the nanoseconds of the machine's monotonic clock.
fn now() -> u64 {
    clock::now().as_nanos() as u64
}
