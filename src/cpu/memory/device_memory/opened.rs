//! The part of a device's memory with access rights: the front, as far as blocks were allocated. Tools that read all
//! memory of a process, such as the leak check of Valgrind, leave the rest out, and an access there is a fault.

use std::io;
use std::sync::atomic::Ordering;

use super::DeviceMemory;
use crate::backend::Access;
use crate::base::arena::HUGE;
use crate::base::pages;

/// The maximum number of bytes that are opened before they are needed. The part doubles until then, so that few blocks
/// need a system call.
const MOST_AHEAD: u64 = 64 << 20;

impl DeviceMemory {
    /// Opens the memory up to the end of a block, and at least 32 bytes more, which programs may read. The caller has
    /// locked the arena.
    #[inline]
    pub(super) fn open_to(&self, end: u64) -> io::Result<()> {
        // Both are multiples of 512. Relaxed: it only changes while the arena is locked.
        if end < self.opened.load(Ordering::Relaxed) { Ok(()) } else { self.open_more(end) }
    }

    fn open_more(&self, end: u64) -> io::Result<()> {
        let opened = self.opened.load(Ordering::Relaxed);
        let ahead = opened.clamp(HUGE, MOST_AHEAD);
        let wanted = (end + 1).max(opened + ahead).next_multiple_of(HUGE).min(self.span);
        // The lock is held because these addresses do not belong to the library after a close.
        let mapping = self.mapping.lock();
        if mapping.is_some() && wanted > opened {
            pages::set_access(self.base + opened as usize, (wanted - opened) as usize, Access::ReadWrite)?;
            self.opened.store(wanted, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns the end of the part that may have pages.
    pub(super) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }
}
