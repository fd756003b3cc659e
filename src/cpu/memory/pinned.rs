//! Page-locked host memory. Locked 2 MiB slabs are divided for allocations below 2 MiB. Larger ones have private
//! mappings, which are cached for a while after a free.

mod apart;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::bounds::Bounds;
use crate::algo::host::notice::notice;
use crate::backend::{Block, Fault, Result};
use crate::base::arena::{Arena, HUGE, UNIT};
use crate::base::pages::{Mapping, Source};
use crate::base::{host_ranges, machine};
use apart::{APART, Apart};

/// The flag in the token of a block of host memory.
pub(crate) const HOST: u64 = 1 << 63;
const LARGE: u64 = 1 << 62;
/// The maximum number of empty slabs that are cached: locking one costs as much as thousands of allocations.
const SPARE_SLABS: usize = 2;

/// The pinned memory from a driver.
pub(crate) struct HostMemory {
    state: Mutex<Mappings>,
    apart: Apart,
    kept: FreedMappings,
    unlocked: AtomicU64,
}

#[derive(Default)]
struct Mappings {
    /// The arena, in which slab `i` has the offsets from `i` times 2 MiB on.
    arena: Arena,
    /// The slabs by number. Numbers are reused.
    slabs: BTreeMap<u64, Mapping>,
    /// The large mappings by address.
    large: BTreeMap<usize, Mapping>,
}

impl HostMemory {
    /// Creates the memory. `can_close`: the program's access to a block can be closed while operations use it, see
    /// [`closed`](crate::backend::memory::closed).
    pub(crate) fn new(bounds: Arc<Bounds>, can_close: bool) -> Self {
        Self {
            state: Mutex::default(),
            apart: Apart::new(bounds, can_close),
            kept: FreedMappings::default(),
            unlocked: AtomicU64::new(0),
        }
    }

    /// Returns the number of bytes that should have been locked and were not.
    pub(crate) fn unlocked_bytes(&self) -> u64 {
        self.unlocked.load(Ordering::Relaxed)
    }

    pub(crate) fn take(&self, len: usize) -> Result<Block> {
        if self.apart.bounds.is_on()
            && let Some(block) = self.take_apart(len)?
        {
            return Ok(block);
        }
        if len as u64 >= HUGE { self.take_large(len) } else { self.take_small(len) }
    }

    /// Frees a block that nothing uses any more.
    pub(crate) fn free_unused(&self, block: Block) {
        if block.token & APART == APART {
            return self.apart.free_unused(block);
        }
        if block.token & LARGE != 0 {
            let mapping = self.state.lock().large.remove(&block.addr);
            mapping.into_iter().for_each(|mapping| self.kept.put(mapping));
            return;
        }
        let slab = block.token >> 32 & 0x3fff_ffff;
        let mut state = self.state.lock();
        let Some(base) = state.slabs.get(&slab).map(Mapping::addr) else { return };
        let start = slab * HUGE;
        let offset = start + (block.addr - base) as u64;
        let empty = state.arena.free(offset, block.token as u32) == Some((start, HUGE));
        if empty && state.arena.free_ranges(HUGE).count() > SPARE_SLABS && state.arena.remove_region(start, HUGE) {
            let mapping = state.slabs.remove(&slab);
            drop(state);
            drop(mapping);
        }
    }

    /// Unmaps all memory.
    pub(crate) fn close(&self) {
        *self.state.lock() = Mappings::default();
        self.apart.close();
        self.kept.release();
    }

    /// Unmaps unused mappings. Returns true if that makes room.
    pub(crate) fn make_room(&self) -> bool {
        self.apart.release() | self.kept.release()
    }

    fn take_small(&self, len: usize) -> Result<Block> {
        let align = if len as u64 >= UNIT { UNIT } else { 1 };
        let mut state = self.state.lock();
        ensure!(
            state.arena.make_room(),
            no_memory(len, "no memory is left to keep track of another allocation; free host memory")
        );
        let block = match state.arena.take(len as u64, align) {
            Some(block) => block,
            None => {
                let mut mapping = self.map_unlocked(HUGE as usize)?;
                self.lock(&mut mapping);
                let vacant = (0..).zip(state.slabs.keys()).find(|(number, used)| number != *used);
                let slab = vacant.map_or(state.slabs.len() as u64, |(number, _)| number);
                state.slabs.insert(slab, mapping);
                state.arena.add_region(slab * HUGE, HUGE);
                let block = state.arena.take(len as u64, align);
                block.expect("an empty slab holds every small block")
            }
        };
        let slab = block.offset / HUGE;
        let addr = state.slabs[&slab].addr() + (block.offset % HUGE) as usize;
        let token = HOST | slab << 32 | u64::from(block.note);
        Ok(Block { addr, len: block.len as usize, token })
    }

    fn take_large(&self, len: usize) -> Result<Block> {
        let rounded = len.checked_next_multiple_of(UNIT as usize);
        let rounded = rounded.ok_or_else(|| no_memory(len, "the length exceeds the address space"))?;
        let mut mapping = self.kept.take(rounded).map_or_else(|| self.map_unlocked(rounded), Ok)?;
        self.lock(&mut mapping);
        let (addr, len) = (mapping.addr(), mapping.len());
        self.state.lock().large.insert(addr, mapping);
        Ok(Block { addr, len, token: HOST | LARGE })
    }

    fn map_unlocked(&self, len: usize) -> Result<Mapping> {
        let new = || Mapping::new(len, Source::Private, 0);
        let mapping = new().or_else(|error| if self.make_room() { new() } else { Err(error) });
        let advice = "free host memory, or raise ulimit -v or vm.max_map_count";
        let mapping = mapping.map_err(|error| no_memory(len, &format!("{error}; {advice}")))?;
        mapping.advise_huge();
        host_ranges::mapped(mapping.addr(), mapping.len());
        Ok(mapping)
    }

    /// Locks a mapping, if it is not locked and the system allows it.
    pub(crate) fn lock(&self, mapping: &mut Mapping) {
        let locked = mapping.lock();
        // Unused mappings count towards the system's limit.
        let locked = locked.or_else(|e| if self.make_room() { mapping.lock() } else { Err(e) });
        self.note_lock_result(mapping.len(), locked);
    }

    /// Counts memory that could not be locked, and reports the first case.
    pub(crate) fn note_lock_result(&self, len: usize, locked: io::Result<()>) {
        if let Err(error) = locked
            && self.unlocked.fetch_add(len as u64, Ordering::Relaxed) == 0
        {
            notice(format_args!(
                "portacl: {len} bytes of host memory are not locked in memory ({error}); raise the limit on locked \
                 memory (ulimit -l) if transfers are slow; further cases are only counted\n"
            ));
        }
    }
}

fn no_memory(len: usize, said: &str) -> Fault {
    Fault::out_of_host_memory(format!("{len} bytes of host memory cannot be allocated: {said}"))
}

/// The maximum number of cached bytes. The oldest mappings are removed first.
const MOST_KEPT: usize = 256 << 20;
/// The smallest share of a mapping that a request must use to get it.
const LEAST_USE: (usize, usize) = (4, 5);

/// Large mappings that a program freed and that are cached: mapping, filling and locking new pages takes a thousand
/// times as long as reusing one.
struct FreedMappings {
    list: Mutex<VecDeque<Mapping>>,
    /// Returns whether the machine has so little memory left that nothing should be cached.
    is_scarce: fn() -> bool,
}

impl Default for FreedMappings {
    fn default() -> Self {
        Self::new(machine::memory_is_scarce)
    }
}

impl FreedMappings {
    fn new(is_scarce: fn() -> bool) -> Self {
        Self { list: Mutex::default(), is_scarce }
    }

    /// Removes and returns the smallest mapping of at least `len` bytes that would not waste too much.
    fn take(&self, len: usize) -> Option<Mapping> {
        let fits = |have: usize| have >= len && have / LEAST_USE.1 * LEAST_USE.0 <= len;
        let mut list = self.list.lock();
        let sizes = list.iter().enumerate().map(|(index, mapping)| (mapping.len(), index));
        let (_, index) = sizes.filter(|&(have, _)| fits(have)).min()?;
        list.remove(index)
    }

    /// Caches a mapping, or unmaps it, and perhaps others with it.
    fn put(&self, mapping: Mapping) {
        if mapping.len() > MOST_KEPT {
            return;
        }
        let most = if (self.is_scarce)() { 0 } else { MOST_KEPT };
        let mut list = self.list.lock();
        list.push_back(mapping);
        let gone = trim(&mut list, most);
        // The mappings are dropped without the lock, because unmapping is slow.
        drop(list);
        drop(gone);
    }

    /// Unmaps all mappings. Returns true if there were any.
    fn release(&self) -> bool {
        let gone = std::mem::take(&mut *self.list.lock());
        !gone.is_empty()
    }

    /// Returns the number of cached bytes.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.list.lock().iter().map(Mapping::len).sum()
    }
}

/// Removes the oldest mappings while there are more than `most` bytes.
fn trim(list: &mut VecDeque<Mapping>, most: usize) -> Vec<Mapping> {
    let mut bytes: usize = list.iter().map(Mapping::len).sum();
    let mut gone = Vec::new();
    while bytes > most
        && let Some(oldest) = list.pop_front()
    {
        bytes -= oldest.len();
        gone.push(oldest);
    }
    gone
}

#[cfg(test)]
#[path = "pinned_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "pinned/closed_tests.rs"]
mod closed_tests;
