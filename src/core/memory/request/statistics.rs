//! The stage of statistics.

use crate::core::base::error::Result;
use crate::core::memory::request::{Claim, MemoryRequest, Named, Resource, Source};

/// Counts what a source allocates and frees. Opens the device, or the session, of a request.
pub struct Statistics<S>(pub S);

impl<S: Source> Resource for Statistics<S> {
    type Request = MemoryRequest;
    type Memory = S::Memory;
    type Release = S::Release;

    fn allocate(&self, mut request: MemoryRequest) -> Result<S::Memory> {
        request.open()?;
        let tally = request.tally()?;
        let memory = self.0.take(&request).inspect_err(|_| tally.failed())?;
        tally.made(memory.bytes());
        Ok(memory)
    }

    fn release(&self, release: S::Release) -> Result<()> {
        self.0.free(release.claim()?)
    }
}
