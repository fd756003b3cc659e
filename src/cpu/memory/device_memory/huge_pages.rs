//! Decides which blocks of a device's memory get 2 MiB pages, and when.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::DeviceMemory;
use crate::algo::thread::pause::pause;
use crate::backend::{Block, Fault, PagePolicy, Result};
use crate::base::arena::{HUGE, UNIT};
use crate::base::pages::{self, whole_pages};

/// The size in bytes from which blocks get 2 MiB pages under [`PagePolicy::HugeFirst`]: a whole page is at most 12.5
/// percent more.
const HUGE_FIRST_FROM: usize = (HUGE as usize * 8).div_ceil(9);
/// How often 2 MiB pages are requested for a block that must have them. The kernel fails where it finds none at once,
/// and joins small free pages meanwhile.
const MOST_TRIES: u32 = 10;
/// The number of bytes past the end of an allocation that programs may read.
const TAIL: usize = 32;

impl DeviceMemory {
    /// Returns the number of 2 MiB pages that were requested and not available.
    pub(crate) fn huge_failures(&self) -> u64 {
        self.huge_failures.load(Ordering::Relaxed)
    }

    /// Converts to huge pages what was requested as huge. Called before the library itself uses a range.
    ///
    /// The conversion is here and not at allocation, so that it costs nothing for an allocation that is never used, or
    /// freed soon. Measured with 64 MiB, allocating and freeing takes 0.7 us this way and 4 ms the other way. With a
    /// fill in between, both take 4 to 5 ms, and 35 ms with 4 KiB pages.
    #[inline]
    pub(crate) fn prepare(&self, addr: usize, len: usize) {
        if self.wanted.load(Ordering::Relaxed) != 0 {
            self.collapse_wanted(addr, len);
        }
    }

    /// Whether a block gets huge pages if they are available.
    pub(super) fn wants_huge(len: usize, policy: PagePolicy) -> bool {
        match policy {
            PagePolicy::HugeFirst => len >= HUGE_FIRST_FROM,
            PagePolicy::HugeOnly => true,
            PagePolicy::NormalOnly | PagePolicy::Huge1GOnly => false,
        }
    }

    /// Returns the length of a block of `len` bytes, before the arena rounds it, or `None` on overflow.
    pub(super) fn rounded(len: usize, policy: PagePolicy) -> Option<usize> {
        let huge = HUGE as usize;
        match policy {
            // The readable tail by itself does not add a 2 MiB page.
            PagePolicy::HugeOnly => len.saturating_sub(TAIL).max(1).checked_next_multiple_of(huge).map(|r| r.max(len)),
            PagePolicy::HugeFirst if Self::wants_huge(len, policy) => Some(len.max(huge)),
            PagePolicy::HugeFirst | PagePolicy::NormalOnly | PagePolicy::Huge1GOnly => Some(len),
        }
    }

    /// Allocates `len` bytes. A block that is not made of whole 2 MiB pages only prefers to begin with one.
    pub(super) fn take_unchecked(&self, len: u64, align: u64) -> Result<Option<Block>> {
        let mut arena = self.arena_with_room()?;
        // There are more addresses than memory.
        if arena.used() + len > self.size {
            return Ok(None);
        }
        let aligned = arena.take(len, align);
        let block = match align == HUGE && !len.is_multiple_of(HUGE) {
            true => aligned.or_else(|| arena.take(len, UNIT)),
            false => aligned,
        };
        let Some(block) = block else { return Ok(None) };
        if let Err(error) = self.open_to(block.offset + block.len) {
            arena.free(block.offset, block.note);
            return Err(self.access_not_changed(len as usize, &error));
        }
        Ok(Some(self.block(block)))
    }

    fn page_range(&self, first: usize, last: usize) -> std::ops::Range<usize> {
        (first - self.base) / HUGE as usize..(last - self.base) / HUGE as usize
    }

    pub(super) fn want_huge(&self, block: Block) {
        let (first, last) = whole_pages(block.addr, block.len);
        let pages = self.pages[self.page_range(first, last)].iter();
        let wanted = pages.filter(|page| !page.swap(true, Ordering::Relaxed)).count();
        self.wanted.fetch_add(wanted, Ordering::Release);
    }

    pub(super) fn forget_pages(&self, first: usize, last: usize) {
        let forget = |page: &&AtomicBool| page.load(Ordering::Relaxed) && page.swap(false, Ordering::Relaxed);
        let wanted = self.pages[self.page_range(first, last)].iter().filter(forget).count();
        if wanted != 0 {
            self.wanted.fetch_sub(wanted, Ordering::Relaxed);
        }
    }

    #[cold]
    fn collapse_wanted(&self, addr: usize, len: usize) {
        let huge = HUGE as usize;
        if addr < self.base || addr + len > self.base + self.span as usize {
            // The range is memory of an earlier opening of the device, which was not closed.
            return;
        }
        let first = (addr - self.base) / huge;
        let last = (addr + len - self.base).div_ceil(huge);
        let mut run = first;
        for index in first..=last {
            if index < last && self.pages[index].swap(false, Ordering::Relaxed) {
                continue;
            }
            if run < index {
                self.collapse_run(run, index);
            }
            run = index + 1;
        }
    }

    fn collapse_run(&self, first: usize, last: usize) {
        let huge = HUGE as usize;
        self.wanted.fetch_sub(last - first, Ordering::Relaxed);
        let addr = self.own(self.base + first * huge);
        if pages::collapse(addr, (last - first) * huge).is_ok() {
            return;
        }
        // One page that is not available ends the whole call, so each page is tried by itself.
        for page in first..last {
            if pages::collapse(self.own(self.base + page * huge), huge).is_err() {
                self.huge_failures.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn make_huge(&self, block: Block) -> Result<()> {
        let (first, last) = whole_pages(block.addr, block.len);
        let (addr, len) = (self.own(first), last - first);
        let mut tries = 1;
        let mut collapsed = pages::collapse(addr, len);
        while collapsed.as_ref().is_err_and(is_shortage) && tries < MOST_TRIES {
            pause(Duration::from_millis(1));
            collapsed = pages::collapse(addr, len);
            tries += 1;
        }
        let said = match collapsed {
            Ok(()) if pages::is_huge(addr, len) => return Ok(()),
            Ok(()) => "the page map of the process shows smaller pages".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Fault::out_of_device_memory(format!(
            "device {}: the system provides no 2 MiB pages for {} bytes ({said}); use the policy \
             ACL_MEM_MALLOC_HUGE_FIRST (falls back to smaller pages), or run on Linux 6.1 or later with free memory in \
             blocks of 2 MiB",
            self.ordinal, block.len
        )))
    }
}

/// Whether the kernel has found no free 2 MiB at once, or was busy with these pages.
fn is_shortage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock)
}
