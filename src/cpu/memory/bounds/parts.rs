//! Guards what pools do not use of an allocation: the bytes are poisoned, or whole pages have no access and the others
//! have canaries.

use super::{Bounds, Check, Damage, TrackedMemory, announce, canary};
use crate::algo::math::gaps::gaps;
use crate::backend::Access;
use crate::base::arena::UNIT;
use crate::base::pages;
use crate::memory::host_access;
use crate::memory::pending::Fence;

const PAGE: usize = UNIT as usize;

fn page_of(addr: usize) -> usize {
    addr & !(PAGE - 1)
}

impl TrackedMemory {
    /// Whether a range is allocated, or operations may still use it.
    fn is_busy(&self, first: usize, end: usize) -> bool {
        let part = self.parts.range(..end).next_back();
        part.is_some_and(|(addr, len)| addr + len > first)
            || self.leaving.iter().any(|(addr, len, _)| *addr < end && addr + len > first)
    }

    /// Returns the unallocated parts of a range.
    fn uncovered(&self, first: usize, end: usize) -> Vec<(usize, usize)> {
        let parts = self.parts.range(..end).rev().map(|(addr, len)| (*addr, addr + len));
        let mut taken: Vec<_> = parts.take_while(|part| part.1 > first).collect();
        let leaving = self.leaving.iter().map(|(addr, len, _)| (*addr, addr + len));
        taken.extend(leaving.filter(|part| part.0 < end && part.1 > first));
        taken.sort_unstable();
        gaps((first, end), taken)
    }
}

impl Bounds {
    /// Marks an allocation as a pool's segment, and guards all of it: no part of it is in use yet.
    pub(crate) fn got(&self, addr: usize, len: usize) {
        host_access::becomes(addr, host_access::SEGMENT);
        self.sweep(&mut self.state.lock(), addr, addr + len);
    }

    /// Opens a block that a pool has allocated to the program.
    pub(crate) fn note_allocated(&self, addr: usize, len: usize) {
        let mut state = self.state.lock();
        let end = addr + len;
        if self.check == Check::Sanitizer {
            state.unpoison(addr, end);
        } else {
            let (first, last) = (page_of(addr), page_of(end - 1));
            let mut pages = vec![first, last];
            pages.dedup();
            pages.retain(|page| !state.is_busy(*page, page + PAGE));
            self.open_pages(&state, first, last + PAGE);
            for page in pages {
                for (from, to) in [(page, addr.clamp(page, page + PAGE)), (end.clamp(page, page + PAGE), page + PAGE)] {
                    canary::put(from + self.own, &[(0, to.saturating_sub(from) as isize)]);
                }
            }
        }
        state.parts.insert(addr, len);
    }

    /// Opens pages for kernels and the library.
    fn open_pages(&self, state: &TrackedMemory, first: usize, end: usize) {
        let open = |first: usize, end: usize| pages::set_access(first + self.own, end - first, Access::ReadWrite);
        if open(first, end).is_err()
            && let Some((_, live)) = state.live.range(..=first).next_back()
        {
            // If there are too many mappings, all pages are opened in one, which guards less.
            let _ = open(live.first, live.last);
        }
    }

    /// Keeps a block that the program has freed. Operations may still use it until the fence has passed.
    pub(crate) fn returned(&self, addr: usize, fence: Fence) {
        let mut state = self.state.lock();
        let damage = self.check_part(&state, addr);
        let Some(len) = state.parts.remove(&addr) else { return };
        state.leaving.push((addr, len, fence));
        drop(state);
        self.reap_parts();
        damage.iter().for_each(|damage| _ = announce(damage, "the allocation was freed"));
    }

    /// Guards freed blocks that nothing uses any more.
    pub(crate) fn reap_parts(&self) {
        let mut state = self.state.lock();
        let unused: Vec<_> = state.leaving.extract_if(.., |(.., fence)| fence.has_passed()).collect();
        unused.iter().for_each(|(addr, len, _)| self.sweep(&mut state, *addr, addr + len));
    }

    /// Guards the unallocated parts of a range.
    fn sweep(&self, state: &mut TrackedMemory, first: usize, end: usize) {
        if self.check == Check::Sanitizer {
            for (from, to) in state.uncovered(first, end) {
                state.poison(from, to);
            }
            return;
        }
        let mut idle = page_of(first);
        let last = page_of(end - 1) + PAGE;
        let close = |from: usize, to: usize| {
            if from < to {
                // A failure here only weakens the guard.
                let _ = pages::set_access(from + self.own, to - from, Access::None);
            }
        };
        for page in (page_of(first)..last).step_by(PAGE) {
            if state.is_busy(page, page + PAGE) {
                close(idle, page);
                idle = page + PAGE;
                for (from, to) in state.uncovered(page.max(first), (page + PAGE).min(end)) {
                    canary::put(from + self.own, &[(0, (to - from) as isize)]);
                }
            }
        }
        close(idle, last);
    }

    /// Returns the overwritten bytes beside a block.
    pub(super) fn check_part(&self, state: &TrackedMemory, addr: usize) -> Option<Damage> {
        let end = addr + state.parts.get(&addr)?;
        if self.check != Check::Guard {
            return None;
        }
        // The check ends at the next blocks: the bytes after those belong to them.
        let free = state.uncovered(page_of(addr), end.next_multiple_of(PAGE)).into_iter();
        let beside = free.filter(|(from, to)| *from == end || *to == addr);
        let parts: Vec<_> =
            beside.map(|(from, to)| (from as isize - addr as isize, to as isize - addr as isize)).collect();
        let (offset, bytes) = canary::mend(addr + self.own, &parts)?;
        Some(Damage { addr, asked: end - addr, offset, bytes, place: self.place.clone() })
    }
}
