//! Traces: what streams and threads did, and when, as a file for Perfetto and chrome://tracing.

mod dependency;
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

use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::base::clock;
pub use host::{
    Details, Synchronous, begin_range, end_range, mark, start_range, stop_range, synchronous,
};
pub use lane::Lane;
pub use operation::Note;
pub use recorder::{
    Gauge, Gauges, Limits, at_end_of_device, close, is_open, open, record, set_gauges,
};
pub use stream::TraceStream;

/// A bit for each device whose work is recorded now. What threads of the program do is recorded
/// while there is any.
static DEVICES: AtomicU64 = AtomicU64::new(0);

/// The bit of a device in [`record`]'s argument. Devices from number 63 on share one.
pub const fn bit(device: u32) -> u64 {
    1 << if device < 63 { device } else { 63 }
}

/// Whether anything is recorded now.
#[inline(always)]
pub fn is_on() -> bool {
    DEVICES.load(Ordering::Relaxed) != 0
}

/// Whether the work of this device is recorded now.
pub fn is_on_for(device: u32) -> bool {
    DEVICES.load(Ordering::Relaxed) & bit(device) != 0
}

/// Nanoseconds of the machine's clock that never goes back.
fn now() -> u64 {
    clock::now().as_nanos() as u64
}
