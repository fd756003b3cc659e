//! What is in a device's memory, saved apart from it. The addresses stay, and so does all bookkeeping:
//! only the pages go, and come back.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::{DeviceMemory, HUGE, UNIT};
use crate::backend::cpu::pages;
use crate::backend::{Fault, FaultKind, Result};

/// What was in one part of the memory, at most 2 MiB of it.
struct Piece {
    offset: u64,
    bytes: Vec<u8>,
    /// It was on one large page.
    was_huge: bool,
}

/// What was in the memory; nothing: nothing was saved.
#[derive(Default)]
pub(super) struct Saved(Vec<Piece>);

impl DeviceMemory {
    /// Copies everything but what is at `kept` (address and length) to the heap, and gives its pages back to
    /// the system. On failure some may have been saved.
    pub(in super::super) fn save(&self, kept: &[(usize, usize)]) -> Result<()> {
        let mut saved = self.saved.lock();
        let file = self.open_file()?;
        let mut next = 0;
        while let Some((start, end)) = pages::next_data(&self.file, next, self.size) {
            next = end;
            for (start, end) in self.without(kept, start, end) {
                let mut at = start;
                while at < end {
                    let stop = end.min((at / HUGE + 1) * HUGE);
                    saved.0.push(self.save_piece(&file, at, stop)?);
                    at = stop;
                }
            }
        }
        Ok(())
    }

    fn save_piece(&self, file: &File, offset: u64, end: u64) -> Result<Piece> {
        let len = (end - offset) as usize;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| {
            self.not_saved(FaultKind::OutOfHostMemory, "there is no host memory for it")
        })?;
        bytes.resize(len, 0);
        file.read_exact_at(&mut bytes, offset)
            .map_err(|error| self.not_saved(FaultKind::Driver, error))?;
        let addr = self.own(self.base + offset as usize);
        let was_huge = len as u64 == HUGE && pages::is_huge(addr, len);
        pages::discard(std::os::fd::AsFd::as_fd(&self.file), offset, len as u64);
        Ok(Piece { offset, bytes, was_huge })
    }

    /// Brings back what was saved. On failure it is still saved.
    pub(in super::super) fn bring_back(&self) -> Result<()> {
        let mut saved = self.saved.lock();
        let file = self.open_file()?;
        for piece in &saved.0 {
            file.write_all_at(&piece.bytes, piece.offset).map_err(|error| {
                Fault::new(
                    FaultKind::OutOfDeviceMemory,
                    format!(
                        "the memory of device {} cannot come back: {error}; free memory of this machine, and try \
                         again",
                        self.ordinal
                    ),
                )
            })?;
        }
        for piece in saved.0.drain(..) {
            let addr = self.own(self.base + piece.offset as usize);
            if piece.was_huge && pages::collapse(addr, HUGE as usize).is_err() {
                self.huge_failures.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn open_file(&self) -> Result<File> {
        let copy = self.file.try_clone();
        copy.map(File::from).map_err(|error| self.not_saved(FaultKind::OutOfHostMemory, error))
    }

    fn not_saved(&self, kind: FaultKind, why: impl std::fmt::Display) -> Fault {
        Fault::new(kind, format!("the memory of device {} cannot be saved: {why}", self.ordinal))
    }

    /// The parts of a range of the file that have nothing of what is to be kept, in whole pages.
    fn without(&self, kept: &[(usize, usize)], start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut parts = vec![(start, end)];
        for &(addr, len) in kept.iter().filter(|(addr, _)| self.contains(*addr)) {
            let first = self.offset(addr) / UNIT * UNIT;
            let last = (self.offset(addr) + len as u64).next_multiple_of(UNIT);
            parts = parts
                .into_iter()
                .flat_map(|(start, end)| [(start, end.min(first)), (start.max(last), end)])
                .filter(|(start, end)| start < end)
                .collect();
        }
        parts
    }
}
