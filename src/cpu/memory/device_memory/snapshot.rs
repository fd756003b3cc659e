//! Saves and restores a device's memory. The addresses and all bookkeeping stay: only the pages are released and
//! restored.

use super::backing::FileRange;
use super::{Backing, DeviceMemory, HUGE, UNIT};
use crate::algo::host::grow::filled;
use crate::algo::host::system_call::is_forbidden;
use crate::algo::math::gaps::gaps;
use crate::backend::{Fault, FaultKind, Result};
use crate::base::pages;

/// The content of one part of the memory, at most 2 MiB of it.
pub(super) struct SavedRange {
    offset: u64,
    bytes: Vec<u8>,
    /// True if it was on one 2 MiB page.
    was_huge: bool,
}

impl DeviceMemory {
    /// Copies everything but the ranges in `kept` (address and length) to the heap, and releases its pages to the
    /// system. On failure some of it may have been saved.
    pub(crate) fn save(&self, kept: &[(usize, usize)]) -> Result<()> {
        let mut saved = self.saved.lock();
        let used = self.used_ranges();
        let kept = &[kept, &self.shared_ranges()].concat();
        let mut next = 0;
        let not_read = |error| self.not_saved(FaultKind::Driver, error);
        while let Some((start, end)) = self.backing.next_data(next, &used).map_err(not_read)? {
            next = end;
            for (start, end) in self.without(kept, start, end) {
                let mut at = start;
                while at < end {
                    let stop = end.min((at / HUGE + 1) * HUGE);
                    saved.extend(self.save_range(at, stop)?);
                    at = stop;
                }
            }
        }
        Ok(())
    }

    /// Returns the parts of the memory that may have to be saved, in order.
    fn used_ranges(&self) -> Vec<FileRange> {
        if let Backing::File(_) = self.backing {
            // The kernel knows which parts have pages.
            return vec![(0, self.span)];
        }
        let shared = self.shared_ranges();
        let free = self.arena.lock().free_ranges(UNIT);
        let mut free: Vec<FileRange> = free.map(|(start, len)| (start, start + len)).collect();
        free.sort_unstable();
        debug_assert!(free.iter().all(|(start, end)| start % UNIT == 0 && end % UNIT == 0), "{free:?}");
        gaps((0, self.span), free).into_iter().flat_map(|(start, end)| self.without(&shared, start, end)).collect()
    }

    /// Returns the blocks in separate files: address and length.
    pub(super) fn shared_ranges(&self) -> Vec<(usize, usize)> {
        let shared: Vec<_> = self.shared.lock().iter().map(|(addr, block)| (*addr, block.len)).collect();
        shared.into_iter().chain(self.moved_ranges()).collect()
    }

    /// Copies one part. Returns `None` for zeros, which need not be saved.
    fn save_range(&self, offset: u64, end: u64) -> Result<Option<SavedRange>> {
        let len = (end - offset) as usize;
        let no_memory =
            || self.not_saved(FaultKind::OutOfHostMemory, "the host has no memory for the copy; free host memory");
        let mut bytes = filled(0_u8, len).ok_or_else(no_memory)?;
        let addr = self.own(self.base + offset as usize);
        self.backing.read(addr, offset, &mut bytes).map_err(|error| self.not_saved(FaultKind::Driver, error))?;
        let was_huge = len as u64 == HUGE && pages::is_huge(addr, len);
        self.discard(offset, end);
        let is_empty = bytes.iter().all(|byte| *byte == 0);
        Ok((!is_empty || was_huge).then_some(SavedRange { offset, bytes, was_huge }))
    }

    /// Restores what was saved. On failure it remains saved.
    pub(crate) fn bring_back(&self) -> Result<()> {
        let mut saved = self.saved.lock();
        for piece in &*saved {
            let addr = self.own(self.base + piece.offset as usize);
            self.backing.write(addr, piece.offset, &piece.bytes).map_err(|error| {
                let remedy = match is_forbidden(&error) {
                    true => "let the system allow this system call (the seccomp profile of a container may forbid it)",
                    false => "free memory on this machine",
                };
                Fault::out_of_device_memory(format!(
                    "the memory on device {} cannot be restored: {error}; {remedy}, and try again",
                    self.ordinal
                ))
            })?;
        }
        for piece in saved.drain(..) {
            let addr = self.own(self.base + piece.offset as usize);
            if piece.was_huge && pages::collapse(addr, HUGE as usize).is_err() {
                self.huge_failures.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn not_saved(&self, kind: FaultKind, why: impl std::fmt::Display) -> Fault {
        Fault::new(kind, format!("the memory on device {} cannot be saved: {why}", self.ordinal))
    }

    /// Returns the parts of a range of the file without anything in `kept`, in whole pages.
    pub(super) fn without(&self, kept: &[(usize, usize)], start: u64, end: u64) -> Vec<FileRange> {
        let kept = kept.iter().filter(|(addr, _)| self.contains(*addr));
        let mut kept: Vec<FileRange> = kept
            .map(|(addr, len)| (self.offset(*addr), self.offset(*addr) + *len as u64))
            .map(|(first, last)| (first / UNIT * UNIT, last.next_multiple_of(UNIT)))
            .collect();
        kept.sort_unstable();
        gaps((start, end), kept)
    }
}
