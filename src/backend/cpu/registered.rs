//! Host memory of the caller, locked while it is registered.

use std::io;

use parking_lot::Mutex;

use super::copy;
use super::pages::ordinary;
use crate::backend::{Fault, FaultKind, Result};

/// Pages that one question to the kernel is about.
const ASKED_AT_ONCE: usize = 4096;

/// Whole pages: first byte, and first byte behind.
type Pages = (usize, usize);

/// The pages of all registrations, those included that queued operations still use.
///
/// The kernel does not count how often a page was locked: a range that is unregistered and, while
/// operations still use it, registered again, is unlocked with the second one only.
#[derive(Default)]
pub(super) struct Registered(Mutex<Vec<Pages>>);

impl Registered {
    /// Locks the pages of a range. An error of the lock itself is for the caller to note: the
    /// memory is registered all the same.
    pub(super) fn lock(&self, addr: usize, len: usize) -> Result<io::Result<()>> {
        let pages = pages_of(addr, len);
        if let Some(hole) = first_hole(pages) {
            return Err(Fault::new(
                FaultKind::Driver,
                format!(
                    "nothing is mapped at {hole:#x}, which is in the {len} bytes at {addr:#x}; \
                     register memory that the process has"
                ),
            ));
        }
        // First, so that nobody unlocks them from here on; locking many pages takes long.
        self.0.lock().push(pages);
        let (first, len) = (copy::address(pages.0), pages.1 - pages.0);
        // SAFETY: locking changes no contents; what is not there any more is refused.
        Ok(match unsafe { libc::mlock(first.cast(), len) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        })
    }

    /// Takes back one [`Self::lock`] of these numbers.
    pub(super) fn unlock(&self, addr: usize, len: usize) {
        let pages = pages_of(addr, len);
        let mut all = self.0.lock();
        let Some(index) = all.iter().position(|other| *other == pages) else { return };
        all.swap_remove(index);
        for (first, end) in without(pages, &all) {
            // SAFETY: unlocking changes no contents; what is not there any more is refused, which
            // is as good.
            unsafe { libc::munlock(copy::address(first).cast(), end - first) };
        }
    }
}

fn pages_of(addr: usize, len: usize) -> Pages {
    let page = ordinary();
    (addr & !(page - 1), (addr + len).next_multiple_of(page))
}

/// The first page of a range that is not mapped.
fn first_hole((first, end): Pages) -> Option<usize> {
    let page = ordinary();
    let is_mapped = |addr: usize, len: usize| {
        let mut residency = [0_u8; ASKED_AT_ONCE];
        // SAFETY: the kernel checks the range, and writes a byte for each page of it.
        unsafe { libc::mincore(copy::address(addr).cast(), len, residency.as_mut_ptr()) == 0 }
    };
    let step = ASKED_AT_ONCE * page;
    let mut starts = (first..end).step_by(step);
    let bad = starts.find(|&start| !is_mapped(start, step.min(end - start)))?;
    (bad..end).step_by(page).find(|&start| !is_mapped(start, page))
}

/// The parts of a range that none of the others covers.
fn without(range: Pages, others: &[Pages]) -> Vec<Pages> {
    let mut left = vec![range];
    for &(first, end) in others {
        left = left
            .into_iter()
            .flat_map(|(from, to)| [(from, to.min(first)), (from.max(end), to)])
            .filter(|(from, to)| from < to)
            .collect();
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_cover_is_left_out() {
        assert_eq!(without((10, 20), &[]), [(10, 20)]);
        assert_eq!(without((10, 20), &[(0, 10), (20, 30)]), [(10, 20)]);
        assert_eq!(without((10, 20), &[(12, 14)]), [(10, 12), (14, 20)]);
        assert_eq!(without((10, 20), &[(12, 14), (5, 11), (19, 40)]), [(11, 12), (14, 19)]);
        assert_eq!(without((10, 20), &[(10, 20)]), []);
        assert_eq!(without((10, 20), &[(0, 15), (15, 20)]), []);
    }

    #[test]
    fn memory_with_a_hole_is_refused() {
        let page = ordinary();
        let len = 5000 * page;
        // SAFETY: a new mapping that nobody else knows, taken back in two parts.
        let fault = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let start = libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            let addr = start.expose_provenance();
            let hole = addr + 4500 * page;
            libc::munmap(copy::address(hole).cast(), page);
            let fault = Registered::default().lock(addr, len).unwrap_err();
            libc::munmap(start, len);
            assert!(fault.text().contains(&format!("{hole:#x}")), "{}", fault.text());
            fault
        };
        assert_eq!(fault.kind(), FaultKind::Driver);
    }
}
