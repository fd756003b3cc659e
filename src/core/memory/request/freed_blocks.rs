//! The stage of freed blocks: serves requests from the cache, and caches what is freed.

use std::sync::Arc;

use super::super::ipc;
use super::freeing::not_freed;
use crate::algo::map::slot_table::{self, Ref};
use crate::base::error::Result;
use crate::memory::allocation::Allocation;
use crate::memory::allocation::backing::backing;
use crate::memory::request::bounded::Bounded;
use crate::memory::request::hooks::Hooks;
use crate::memory::request::{AddressRelease, MemoryRequest, Resource, Source, Statistics, Target};
use crate::runtime::context::Context;
use crate::runtime::thread;

/// Unit of sizes in bytes.
const GRAIN: usize = 32;
/// Number of bytes past the end that a program may read.
const TAIL: usize = 32;

/// Returns the size of an allocation: rounded up to 32 bytes, plus 32 readable bytes if `tail` is set. `None` on
/// overflow.
#[inline]
pub fn padded(size: usize, tail: bool) -> Option<usize> {
    size.checked_next_multiple_of(GRAIN)?.checked_add(if tail { TAIL } else { 0 })
}

/// Serves requests from the cache, and caches what is freed. Cached memory counts as free.
pub struct FreedBlocks<S>(pub Bounded<Hooks<Statistics<S>>>);

impl<S: Source> Resource for FreedBlocks<S> {
    type Request = MemoryRequest;
    type Memory = usize;
    type Release = AddressRelease;

    #[inline]
    fn allocate(&self, request: MemoryRequest) -> Result<usize> {
        let context = thread::current()?;
        let device = &context.device;
        if let Some(pages) = request.pages
            && let Some(len) = padded(request.size, request.tail && device.readable_tail)
            && let Some(addr) = Allocation::reuse(device, len, pages)
        {
            return Ok(addr);
        }
        self.allocate_new(request, context)
    }

    #[inline]
    fn release(&self, release: AddressRelease) -> Result<()> {
        let is_shared = ipc::freeing(release.addr);
        if !is_shared && Allocation::cache(release.addr) { Ok(()) } else { self.release_now(release) }
    }
}

impl<S: Source> FreedBlocks<S> {
    /// Allocates from the device: the cache has no block for the request.
    #[cold]
    fn allocate_new(&self, mut request: MemoryRequest, context: Ref<'static, Context>) -> Result<usize> {
        let device = Arc::clone(&context.device);
        drop(context);
        request.len = padded(request.size, request.tail && device.readable_tail);
        request.target = Target::Device(device);
        Ok(self.0.allocate(request)?.addr)
    }

    /// Frees memory that cannot be cached, or fails if there is no allocation.
    #[cold]
    fn release_now(&self, release: AddressRelease) -> Result<()> {
        match Allocation::find(release.addr) {
            Some(found) if found.pool().is_some() => release_to_pool(&found, release.addr),
            Some(_) | None => self.0.release(release),
        }
    }
}

/// Frees a pool's memory by aclrtFree: at once, as cudaFree does it.
fn release_to_pool(found: &Allocation, addr: usize) -> Result<()> {
    if (backing().retains)(addr)? {
        return Ok(());
    }
    if found.base == addr && (backing().release)(found)? {
        slot_table::flush_if_many();
        return Ok(());
    }
    Err(not_freed("devPtr", addr))
}

#[cfg(test)]
#[path = "freed_blocks_tests.rs"]
mod tests;
