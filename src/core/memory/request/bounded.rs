//! The stage of bounds: refuses requests that are larger than all memory on their device, or on the host.
//!
//! It comes after the hooks of the program, which see the failure, and before anything is allocated: a system that
//! overcommits would promise memory that no machine has.

use crate::base::error::{Code, Result, error_with};
use crate::memory::request::freed_blocks::padded;
use crate::memory::request::{MemoryRequest, Resource};

/// Checks the size of requests for the next stage. Opens the device, or the session, of a request.
pub struct Bounded<R>(pub R);

impl<R: Resource<Request = MemoryRequest>> Resource for Bounded<R> {
    type Request = MemoryRequest;
    type Memory = R::Memory;
    type Release = R::Release;

    fn allocate(&self, mut request: MemoryRequest) -> Result<R::Memory> {
        request.open()?;
        if let Err(error) = request.check_bound() {
            request.tally()?.failed();
            return Err(error);
        }
        self.0.allocate(request)
    }

    fn release(&self, release: R::Release) -> Result<()> {
        self.0.release(release)
    }
}

impl MemoryRequest {
    /// Fails if the bytes of an open request, including padding, are more than there are.
    fn check_bound(&self) -> Result<()> {
        let len = self.len.or_else(|| padded(self.size, self.tail)).map(|len| len as u64);
        let (code, most, place) = match self.target.device() {
            Some(device) => (Code::MemoryAllocation, device.total_memory, format!("device {}", device.id)),
            None => (Code::BadAlloc, self.session()?.driver.host_memory(), "the host".to_owned()),
        };
        if len.is_some_and(|len| len <= most) {
            return Ok(());
        }
        Err(error_with!(
            code,
            "size {}, with its padding, is more than all memory on {place} ({most} bytes); allocate less",
            self.size
        ))
    }
}
