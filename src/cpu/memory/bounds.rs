//! Detects accesses outside of allocations, if that is enabled.
//!
//! Under AddressSanitizer, unallocated memory is *poisoned*: code that was compiled with the sanitizer reports an
//! access there, on the host as in kernels. In guard mode the library's view of it has no access, and the rest of an
//! allocation's last page has a *canary*, which is checked after a kernel has run and when the allocation is freed. In
//! both, an allocation ends as near to the end of a page as its alignment allows, and an unused page follows it.
//! Otherwise none of this exists.
//!
//! This is the only place that poisons memory, removes access to it, and writes and checks canaries. A device then has
//! three times the address space, for the pages behind allocations. Pools report the blocks that they allocate
//! (`Device::note_part`).

mod canary;
mod parts;
pub(super) mod sanitizer;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::algo::host::notice::notice;
use crate::backend::memory::damage;
use crate::backend::{Access, Block, Fault, FaultKind, Result};
use crate::base::arena::{HUGE, UNIT};
use crate::base::{machine, pages};
use crate::memory::capacity::MOST;
use crate::memory::pending::Fence;
pub(crate) use canary::Damage;

/// The ways in which accesses outside of allocations are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// They are not detected.
    Off,
    /// They are not detected, and the process's addresses are limited.
    OffWithFewAddresses,
    /// They are detected by pages without access, and by canaries.
    Guard,
    /// They are detected by the AddressSanitizer in the process.
    Sanitizer,
}

/// Whether pages of this size let each unit of memory be protected by itself.
fn fits(page: usize) -> bool {
    page <= UNIT as usize
}

/// Refuses guard mode on a kernel with larger pages.
pub(crate) fn guardable(page: usize) -> Result<()> {
    if fits(page) {
        return Ok(());
    }
    Err(Fault::unsupported(format!(
        "guard mode needs pages of {UNIT} bytes, but this system has pages of {page} bytes; unset PORTACL_CPU_GUARD, \
         and remove `bounds` and `all` from PORTACL_CHECK"
    )))
}

impl Check {
    /// Returns how accesses are detected: in guard mode, or by a sanitizer. Called once for each opening of a backend.
    pub(crate) fn of(guard: bool) -> Self {
        match guard {
            true => Self::Guard,
            false if sanitizer::is_there() && fits(pages::ordinary()) => Self::Sanitizer,
            false if machine::most_addresses().is_some() => Self::OffWithFewAddresses,
            false => Self::Off,
        }
    }

    pub(crate) fn is_on(self) -> bool {
        match self {
            Self::Off | Self::OffWithFewAddresses => false,
            Self::Guard | Self::Sanitizer => true,
        }
    }

    /// Returns the number of addresses for `size` bytes of memory, with guard pages and gaps for alignment. If there
    /// are many small allocations, some have no guard pages. A gap before a huge page is shorter than the block behind
    /// it, so twice the size has room for all gaps. Gaps are addresses without memory.
    pub(crate) fn span(self, size: u64) -> u64 {
        let times = match self {
            Self::OffWithFewAddresses => 1,
            Self::Off => 2,
            Self::Guard | Self::Sanitizer => 3,
        };
        (size * times).min(MOST.max(size))
    }

    /// Returns the number of addresses for a byte of memory, with the library's view in guard mode, rounded up to a
    /// power of two.
    pub(crate) fn addresses(self) -> u64 {
        match self {
            Self::OffWithFewAddresses => 1,
            Self::Off => 2,
            Self::Guard => 8,
            Self::Sanitizer => 4,
        }
    }
}

/// The maximum number of allocations with a private guard page in guard mode. Each uses two of the mappings that the
/// kernel allows a process (65530 by default).
const MOST_GUARDED: usize = 16 << 10;
static GUARDED: AtomicUsize = AtomicUsize::new(0);

/// The place that an allocation needs in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The number of bytes that it needs, with its guard page.
    pub extent: u64,
    /// The alignment of these bytes.
    pub align: u64,
    /// The offset of the allocation in these bytes.
    pub lead: u64,
}

impl Layout {
    /// Returns the layout of an allocation of `len` bytes: a multiple of 512, from 4 KiB on a multiple of 4 KiB.
    pub(crate) fn new(len: u64, align: u64) -> Self {
        let pages = len.next_multiple_of(UNIT);
        Self { extent: pages + UNIT, align: align.max(UNIT), lead: pages - len }
    }
}

/// A live allocation with private pages. The map's key is its address.
#[derive(Clone, Copy)]
struct Live {
    /// The number of bytes of the request.
    asked: usize,
    /// The first of its pages, and the end of the last one.
    first: usize,
    last: usize,
    /// The end of its guard page.
    end: usize,
}

#[derive(Default)]
pub(crate) struct TrackedMemory {
    used: u64,
    live: BTreeMap<usize, Live>,
    /// The blocks that pools have allocated in it: length by address.
    parts: BTreeMap<usize, usize>,
    /// Freed blocks among these that operations may still use: address, length, and the fence of the operations.
    leaving: Vec<(usize, usize, Fence)>,
    /// The pages of allocations that share pages, also of former ones.
    open: BTreeSet<usize>,
    /// The 2 MiB pages with poisoned bytes, also former ones.
    poisoned: HashSet<usize>,
}

/// The allocations in one range of memory.
pub(crate) struct Bounds {
    check: Check,
    /// The distance of the kernels' view from an address of the program.
    own: usize,
    /// The place of the memory, for error texts.
    place: String,
    state: Mutex<TrackedMemory>,
}

impl Bounds {
    pub(crate) fn new(check: Check, own: usize, place: String) -> Self {
        Self { check, own, place, state: Mutex::default() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.check.is_on()
    }

    /// Returns the number of bytes of allocations.
    pub(crate) fn used(&self) -> u64 {
        self.state.lock().used
    }

    /// Counts `len` bytes of a new allocation, unless the sum would exceed `most`. Returns whether it counted them.
    pub(crate) fn reserve(&self, len: usize, most: u64) -> bool {
        let mut state = self.state.lock();
        let fits = state.used + len as u64 <= most;
        if fits {
            state.used += len as u64;
        }
        fits
    }

    /// Undoes [`Self::reserve`] after the allocation failed.
    pub(crate) fn cancel(&self, len: usize) {
        self.state.lock().used -= len as u64;
    }

    /// Whether one more allocation with private pages is possible. The caller then allocates one.
    pub(crate) fn has_room(&self) -> bool {
        self.check != Check::Guard || GUARDED.load(Ordering::Relaxed) < MOST_GUARDED
    }

    /// Begins an allocation with private pages, for a request of `asked` bytes.
    pub(crate) fn begin(&self, block: Block, asked: usize, layout: Layout) -> io::Result<()> {
        let addr = block.addr;
        let first = addr - layout.lead as usize;
        let end = first + layout.extent as usize;
        let live = Live { asked, first, last: end - UNIT as usize, end };
        // Poisoned bytes keep their access: one mapping is cheaper than many.
        let last = if self.check == Check::Sanitizer { live.end } else { live.last };
        pages::set_access(first + self.own, last - first, Access::ReadWrite)?;
        let mut state = self.state.lock();
        // These pages belong to this allocation alone from now on.
        state.open.extract_if(first..end, |_| true).for_each(drop);
        match self.check {
            Check::Guard => {
                GUARDED.fetch_add(1, Ordering::Relaxed);
                canary::put(addr + self.own, &live.canaries(addr));
            }
            Check::Sanitizer => {
                state.unpoison(live.first, live.end);
                state.poison(live.first, addr);
                state.poison(addr + asked, live.end);
            }
            Check::Off | Check::OffWithFewAddresses => {}
        }
        state.live.insert(addr, live);
        Ok(())
    }

    /// Begins an allocation that shares its pages with others: its neighbours are not guarded against it.
    pub(crate) fn begin_among_others(&self, block: Block) -> io::Result<()> {
        let (unit, end) = (UNIT as usize, block.addr + block.len);
        let (first, last) = (block.addr & !(unit - 1), end.next_multiple_of(unit));
        let mut state = self.state.lock();
        let is_open = |page| state.open.contains(&page);
        if !(first..last).step_by(unit).all(is_open) {
            pages::set_access(first + self.own, last - first, Access::ReadWrite)?;
            state.open.extend((first..last).step_by(unit));
        }
        if self.check == Check::Sanitizer {
            state.unpoison(block.addr, end);
        }
        Ok(())
    }

    /// Ends an allocation that nothing uses any more. Returns the overwritten bytes beside it.
    pub(crate) fn end(&self, block: Block) -> Option<Damage> {
        let mut state = self.state.lock();
        state.used -= block.len as u64;
        let Some(live) = state.live.remove(&block.addr) else {
            if self.check == Check::Sanitizer {
                state.poison(block.addr, block.addr + block.len);
            }
            return None;
        };
        let range = block.addr..block.addr + block.len;
        state.parts.retain(|addr, _| !range.contains(addr));
        state.leaving.retain(|(addr, ..)| !range.contains(addr));
        match self.check {
            Check::Sanitizer => {
                state.poison(live.first, live.end);
                None
            }
            Check::Guard => {
                let damage = self.look_at(block.addr, &live);
                GUARDED.fetch_sub(1, Ordering::Relaxed);
                // A failure here only makes the guard weaker.
                let first = live.first + self.own;
                let _ = pages::set_access(first, live.last - live.first, Access::None);
                damage
            }
            Check::Off | Check::OffWithFewAddresses => None,
        }
    }

    /// Removes access to the pages of a block that is freed and was mapped again.
    pub(crate) fn close_pages(&self, block: Block) {
        if self.check == Check::Guard {
            // A failure here only makes the guard weaker.
            let _ = pages::set_access(block.addr + self.own, block.len, Access::None);
        }
    }

    fn look_at(&self, addr: usize, live: &Live) -> Option<Damage> {
        let (offset, bytes) = canary::mend(addr + self.own, &live.canaries(addr))?;
        Some(Damage { addr, asked: live.asked, offset, bytes, place: self.place.clone() })
    }

    /// Returns the overwritten bytes beside this allocation since the last check.
    pub(crate) fn damage_of(&self, addr: usize) -> Option<Damage> {
        if self.check != Check::Guard {
            return None;
        }
        let state = self.state.lock();
        let live = state.live.get(&addr)?;
        self.look_at(addr, live)
    }

    /// Returns the first overwritten bytes beside any allocation, or block of a pool, since the last check.
    pub(crate) fn damage(&self) -> Option<Damage> {
        if self.check != Check::Guard {
            return None;
        }
        let state = self.state.lock();
        let all = state.live.iter().filter_map(|(addr, live)| self.look_at(*addr, live));
        let parts = state.parts.keys().filter_map(|addr| self.check_part(&state, *addr));
        // The iteration mends all of them.
        all.chain(parts).reduce(|first, _| first)
    }

    /// Prepares for unmapping a part of the memory without allocations.
    pub(crate) fn forget(&self, addr: usize, len: usize) {
        self.state.lock().unpoison(addr, addr + len);
    }

    /// Prepares for unmapping the memory: its addresses may be reused.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        if self.check == Check::Guard {
            GUARDED.fetch_sub(state.live.len(), Ordering::Relaxed);
        }
        let huge = HUGE as usize;
        for page in std::mem::take(&mut state.poisoned) {
            sanitizer::unpoison(page * huge, huge);
        }
        *state = TrackedMemory::default();
    }
}

impl Live {
    /// Returns the canaries before and after the allocation, relative to its address.
    fn canaries(&self, addr: usize) -> [canary::Interval; 2] {
        const FRONT: usize = 64;
        let before = (addr - self.first).min(FRONT) as isize;
        [(-before, 0), (self.asked as isize, (self.last - addr) as isize)]
    }
}

impl TrackedMemory {
    fn poison(&mut self, first: usize, end: usize) {
        if first < end {
            sanitizer::poison(first, end - first);
            self.poisoned.extend(first / HUGE as usize..=(end - 1) / HUGE as usize);
        }
    }

    /// Removes the poison of a range. Does nothing if nothing was poisoned, because the shadow uses an eighth of the
    /// memory.
    fn unpoison(&mut self, first: usize, end: usize) {
        let huge = HUGE as usize;
        let pages = first / huge..=(end - 1) / huge;
        for page in pages.filter(|page| self.poisoned.contains(page)) {
            let (from, to) = (first.max(page * huge), end.min((page + 1) * huge));
            sanitizer::unpoison(from, to - from);
        }
    }
}

/// Writes a line about the damage on the standard error stream, or has the checker report it. Returns the fault. `when`
/// says when the damage was detected.
#[cold]
pub(crate) fn report(damage: &Damage, when: &str) -> Fault {
    Fault::new(FaultKind::Execution, announce(damage, when))
}

/// Reports the damage as [`report`] does, where no call can return a failure. The caller does not hold the lock of the
/// bounds. Returns the text.
pub(crate) fn announce(damage: &Damage, when: &str) -> String {
    let text = format!("{damage}; found when {when} (guard mode)");
    if !damage::is_reported(&text, damage.addr, damage.asked) {
        notice(format_args!("portacl: {text}\n"));
    }
    text
}

#[cfg(test)]
#[path = "bounds_tests.rs"]
mod tests;
