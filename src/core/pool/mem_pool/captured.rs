//! Requests of captured streams: the region of graphs registers its recorder here.

use std::sync::OnceLock;

use crate::base::error::{Code, Error, Result};
use crate::stream::Stream;

/// Records requests of captured streams.
pub trait Recording: Sync {
    /// Allocates memory for the graph of a captured stream. `allocate` takes it from a pool.
    fn malloc(&self, stream: &Stream, allocate: &mut dyn FnMut() -> Result<usize>) -> Result<usize>;

    /// Frees memory in a captured stream.
    fn free(&self, stream: &Stream, addr: usize) -> Result<()>;
}

static RECORDING: OnceLock<&'static dyn Recording> = OnceLock::new();

/// Registers the recorder.
pub fn register(recording: &'static dyn Recording) {
    RECORDING.get_or_init(|| recording);
}

/// Returns the recorder.
pub(crate) fn recording() -> Result<&'static dyn Recording> {
    // The recorder is registered before a stream is captured.
    RECORDING.get().copied().ok_or_else(|| {
        Error::new(
            Code::InternalError,
            "this is a defect in portacl: a stream is captured, but no recorder is registered; report it",
        )
    })
}
