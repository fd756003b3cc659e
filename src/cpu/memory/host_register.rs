//! Locks the caller's host memory while it is registered.

use std::collections::BTreeMap;
use std::io;

use parking_lot::Mutex;
use rustix::mm::munlock;

use crate::algo::host::system_call::refused;
use crate::algo::math::gaps::gaps;
use crate::backend::base::probe;
use crate::backend::{Fault, FaultKind, Result};
use crate::base::bytes;
use crate::base::pages::{self, ordinary};

/// The number of pages of one query of the kernel.
const ASKED_AT_ONCE: usize = 4096;

/// A range of whole pages: first byte, and end.
type Pages = (usize, usize);

/// Whether the kernel locked the pages. The memory is registered in either case.
pub(crate) type LockOutcome = io::Result<()>;

/// The pages of all registrations, including those that pending operations still use.
///
/// The kernel does not count how often a page was locked. So a range that is registered again while operations still
/// use its former registration is unlocked only when both have ended.
#[derive(Default)]
pub(crate) struct Registered(Mutex<Locks>);

impl Registered {
    /// Registers the pages of a range and locks them.
    pub(crate) fn lock(&self, addr: usize, len: usize) -> Result<LockOutcome> {
        let range = pages_of(addr, len);
        check(range, addr, len)?;
        // The range is counted first, so that no other thread unlocks it from here on: locking many pages takes long.
        self.0.lock().add(range);
        Ok(pages::lock(range.0, range.1 - range.0))
    }

    /// Undoes one [`Self::lock`] with the same arguments.
    pub(crate) fn unlock(&self, addr: usize, len: usize) {
        let mut locks = self.0.lock();
        for (first, end) in locks.remove(pages_of(addr, len)) {
            // SAFETY: unlocking changes no contents; unmapped pages are an error, which is ignored.
            let _ = unsafe { munlock(bytes::address(first).cast(), end - first) };
        }
    }
}

fn pages_of(addr: usize, len: usize) -> Pages {
    let page = ordinary();
    (addr & !(page - 1), (addr + len).next_multiple_of(page))
}

/// Returns the fault that the range has a page that is not mapped. If `unasked` is some error, the kernel did not
/// report the mappings, so that it is only known that the page is not readable.
#[cold]
fn not_mapped(page: usize, unasked: Option<io::Error>, addr: usize, len: usize) -> Fault {
    let (what, why) = match unasked {
        None => ("nothing is mapped", String::new()),
        Some(why) => ("nothing can be read", format!(" (the system does not say whether it is mapped: {why})")),
    };
    Fault::new(
        FaultKind::Driver,
        format!(
            "{what} at {page:#x}, a page of the {len} bytes at {addr:#x}{why}; register memory that the process has \
             mapped"
        ),
    )
}

/// Whether all pages of a range are mapped. Fails if the kernel does not report that.
fn ask(addr: usize, len: usize) -> io::Result<bool> {
    let mut residency = [0_u8; ASKED_AT_ONCE];
    // SAFETY: the kernel checks the range, and writes a byte for each page of it.
    match unsafe { libc::mincore(bytes::address(addr).cast(), len, residency.as_mut_ptr()) } {
        0 => Ok(true),
        _ => match refused("mincore") {
            why if why.kind() == io::ErrorKind::OutOfMemory => Ok(false),
            why => Err(why),
        },
    }
}

/// Fails unless all pages of a range are mapped. If the kernel does not report mappings, they must at least be
/// readable.
fn check((first, end): Pages, addr: usize, len: usize) -> Result<()> {
    let page = ordinary();
    let step = ASKED_AT_ONCE * page;
    for start in (first..end).step_by(step) {
        let some = step.min(end - start);
        let unasked = match ask(start, some) {
            Ok(true) => continue,
            Ok(false) => None,
            Err(why) => Some(why),
        };
        let is_hole = |at: usize| unasked.is_some() || matches!(ask(at, page), Ok(false));
        // Readable memory is mapped, whatever else the error means.
        let missing = |at: &usize| !probe::is_readable(*at) && is_hole(*at);
        if let Some(page) = (start..start + some).step_by(page).find(missing) {
            return Err(not_mapped(page, unasked, addr, len));
        }
    }
    Ok(())
}

/// Counts how many times pages are locked: disjoint ranges by their first byte, each with its end and the count.
#[derive(Default)]
struct Locks(BTreeMap<usize, (usize, usize)>);

impl Locks {
    /// Counts the pages of a range one more time.
    fn add(&mut self, (first, end): Pages) {
        self.cut(first);
        self.cut(end);
        let known = self.0.range_mut(first..end).map(|(&start, (behind, count))| {
            *count += 1;
            (start, *behind)
        });
        let others = gaps((first, end), known);
        self.0.extend(others.into_iter().map(|(from, to)| (from, (to, 1))));
    }

    /// Counts the pages of a range one time less. Returns the parts of it that no registration locks any more.
    fn remove(&mut self, (first, end): Pages) -> Vec<Pages> {
        self.cut(first);
        self.cut(end);
        let gone = self.0.extract_if(first..end, |_, (_, count)| {
            *count -= 1;
            *count == 0
        });
        gone.map(|(start, (behind, _))| (start, behind)).collect()
    }

    /// Splits the range that contains this place.
    fn cut(&mut self, at: usize) {
        if let Some((_, piece)) = self.0.range_mut(..at).next_back()
            && at < piece.0
        {
            let (end, count) = *piece;
            piece.0 = at;
            self.0.insert(at, (end, count));
        }
    }
}

#[cfg(test)]
#[path = "host_register_tests.rs"]
mod tests;
