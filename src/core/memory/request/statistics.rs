//! The stage of statistics.

use crate::backend::Block;
use crate::core::base::error::Result;
use crate::core::memory::request::{AddressRelease, MemoryRequest, Resource, Source};

/// Counts what a source allocates and frees. Opens the device, or the session, of a request.
pub struct Statistics<S>(pub S);

impl<S: Source> Resource for Statistics<S> {
    type Request = MemoryRequest;
    type Memory = Block;
    type Release = AddressRelease;

    fn allocate(&self, mut request: MemoryRequest) -> Result<Block> {
        request.open()?;
        let tally = request.tally()?;
        self.0.take(&request).inspect(|block| tally.made(block.len)).inspect_err(|_| tally.failed())
    }

    fn release(&self, release: AddressRelease) -> Result<()> {
        self.0.free(release.addr)
    }
}
