//! The parts of a pool, each with a lock. There is one at first, and more when threads contend. A cache line that two
//! threads write in turns travels between their processors, which takes longer than the rest of an allocation.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::StreamKey;
use super::counts::Totals;
use super::memory::Memory;
use crate::map::address_map::AddressMap;
use crate::sync::spin_lock::{Guard, SpinLock};

/// The maximum number of parts.
pub const PARTS: usize = 8;
/// The number of times that a stream must find its part locked before it gets another one, and the number of times that
/// it then uses other parts before this one gets a segment.
const OFTEN: u32 = 8;
/// The number of remainders by which streams are distinguished.
const PLACES: usize = 64;

/// The home parts of streams. All threads read them, and they are rarely written.
#[repr(align(128))]
struct Homes {
    /// The part, and a count. While the part is the first one, it counts how often it was found locked. Afterwards it
    /// counts how often it had no segment when memory was requested.
    homes: [AtomicU32; PLACES],
    /// The number of parts in use.
    assigned: AtomicU32,
    /// The totals, which are created with the second part.
    totals: OnceLock<Arc<Totals>>,
    /// False if [`Pool::alloc_at_home`] serves no more requests.
    serves: AtomicBool,
}

/// The number of a home's bits for the part's number.
const PART_BITS: u32 = 8;

/// A pool.
pub struct Pool {
    first: SpinLock<Memory>,
    homes: Homes,
    others: [OnceLock<Box<SpinLock<Memory>>>; PARTS - 1],
}

impl Pool {
    /// Creates a pool without memory, whose blocks are ranges of `map`.
    pub fn new(map: &'static AddressMap) -> Self {
        Self {
            first: SpinLock::new(Memory::new(0, map, [0; 2])),
            homes: Homes {
                homes: [const { AtomicU32::new(0) }; PLACES],
                assigned: AtomicU32::new(0),
                totals: OnceLock::new(),
                serves: AtomicBool::new(true),
            },
            others: [const { OnceLock::new() }; PARTS - 1],
        }
    }

    /// Sets the first two words of the ranges of its blocks, before the pool has memory. The third is the pool's note.
    pub fn set_words(&mut self, words: [u64; 2]) {
        self.lock(0).words = words;
    }

    /// Makes [`Self::alloc_at_home`] fail from now on. [`Self::stats`] afterwards counts each block that it has
    /// allocated, because requests read the flag under the lock of their part.
    pub fn end_quick_requests(&self) {
        self.homes.serves.store(false, Ordering::Release);
    }

    /// Whether [`Self::alloc_at_home`] serves requests. The caller holds a part's lock.
    #[inline]
    pub(super) fn serves_quick_requests(&self) -> bool {
        self.homes.serves.load(Ordering::Relaxed)
    }

    /// Returns the home part of a stream, a number less than [`PARTS`]. Memory that is added for a stream goes to this
    /// part.
    #[inline(always)]
    pub fn part_of(&self, stream: StreamKey) -> usize {
        let home = &self.homes.homes[place_of(stream)];
        home.load(Ordering::Relaxed) as usize % (1 << PART_BITS)
    }

    /// Locks a stream's home part, and returns its number, too.
    #[inline(always)]
    pub(super) fn home(&self, stream: StreamKey) -> (usize, Guard<'_, Memory>) {
        let part = self.part_of(stream);
        match self.part(part).try_lock() {
            Some(memory) => (part, checked(memory)),
            None => self.find_locked(stream),
        }
    }

    #[cold]
    fn find_locked(&self, stream: StreamKey) -> (usize, Guard<'_, Memory>) {
        let mut part = self.part_of(stream);
        if part == 0 {
            let home = &self.homes.homes[place_of(stream)];
            let often = home.fetch_add(1 << PART_BITS, Ordering::Relaxed) >> PART_BITS;
            if often == OFTEN {
                part = self.add();
                home.store(part as u32, Ordering::Relaxed);
            }
        }
        (part, self.lock(part))
    }

    /// Returns the next unused part.
    fn add(&self) -> usize {
        let mut first = self.lock(0);
        let totals = self.homes.totals.get_or_init(|| Arc::new(Totals::of(&first.counts)));
        first.counts.totals = Some(Arc::clone(totals));
        let (map, words) = (first.map, first.words);
        drop(first);
        let part = self.homes.assigned.fetch_add(1, Ordering::Relaxed) as usize % (PARTS - 1) + 1;
        self.others[part - 1].get_or_init(|| {
            let mut memory = Memory::new(part as u32, map, words);
            memory.counts.totals = Some(Arc::clone(totals));
            Box::new(SpinLock::new(memory))
        });
        part
    }

    /// Moves a stream to a separate part, as contention does.
    #[cfg(all(test, not(loom)))]
    pub(super) fn spread(&self, stream: StreamKey) {
        let part = self.add() as u32;
        self.homes.homes[place_of(stream)].store(part, Ordering::Relaxed);
    }

    /// Returns a part in use.
    #[inline(always)]
    fn part(&self, part: usize) -> &SpinLock<Memory> {
        match part {
            0 => &self.first,
            part => self.others[part - 1].get().expect("who knows its number has made it"),
        }
    }

    fn lock(&self, part: usize) -> Guard<'_, Memory> {
        checked(self.part(part).lock())
    }

    /// Locks the part that a block is in.
    #[inline(always)]
    pub(super) fn of(&self, note: u64) -> Guard<'_, Memory> {
        self.lock((note >> 32) as usize)
    }

    /// Returns the numbers of all parts.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..PARTS).filter(|&part| part == 0 || self.others[part - 1].get().is_some())
    }

    /// Locks all parts at once. Several locks are always taken in this order.
    pub(super) fn all(&self) -> Vec<Guard<'_, Memory>> {
        self.numbers().map(|part| self.lock(part)).collect()
    }

    /// Returns the first result of a part, beginning with the stream's home.
    pub(super) fn find<T>(&self, stream: StreamKey, find: impl Fn(&mut Memory) -> Option<T>) -> Option<T> {
        let (home, mut memory) = self.home(stream);
        if let Some(found) = find(&mut memory) {
            return Some(found);
        }
        drop(memory);
        self.find_in_other_parts(home, |part| Some(self.lock(part)), find)
    }

    /// Returns the first result of a part that is hardly used, except `home`, which `is_empty` if it has no segment.
    /// Other parts are not used while more memory is available, because threads that share a part contend forever. So a
    /// part that another thread uses at this moment is left out, and an empty part soon gets a segment.
    #[inline]
    pub(super) fn find_idle<T>(
        &self,
        stream: StreamKey,
        (home, is_empty): (usize, bool),
        find: impl Fn(&mut Memory) -> Option<T>,
    ) -> Option<T> {
        if home != 0 && is_empty {
            let often = self.homes.homes[place_of(stream)].fetch_add(1 << PART_BITS, Ordering::Relaxed) >> PART_BITS;
            // This is not done each time from then on, because perhaps no segment is available.
            if often % (OFTEN + 1) == OFTEN {
                return None;
            }
        }
        let is_hardly_used = |memory: &Guard<'_, Memory>| memory.counts.is_hardly_used();
        self.find_in_other_parts(home, |part| self.part(part).try_lock().filter(is_hardly_used).map(checked), find)
    }

    fn find_in_other_parts<'a, T>(
        &'a self,
        home: usize,
        enter: impl Fn(usize) -> Option<Guard<'a, Memory>>,
        find: impl Fn(&mut Memory) -> Option<T>,
    ) -> Option<T> {
        self.numbers().filter(|&part| part != home).find_map(|part| find(&mut *enter(part)?))
    }

    /// Returns the number of bytes in segments, without the rest of [`Self::stats`].
    pub fn reserved(&self) -> u64 {
        match self.homes.totals.get() {
            Some(totals) => totals.reserved(),
            // A thread that adds a second part counts the first one under its lock.
            None => self.lock(0).counts.reserved,
        }
    }
}

fn place_of(stream: StreamKey) -> usize {
    // Keys are mostly consecutive numbers.
    stream.0 as usize % PLACES
}

/// Returns a part's memory for one step. Debug builds check it before.
#[cfg_attr(any(not(debug_assertions), miri), expect(unused_mut, reason = "only a check changes it"))]
#[inline(always)]
fn checked(mut memory: Guard<'_, Memory>) -> Guard<'_, Memory> {
    #[cfg(all(debug_assertions, not(miri)))]
    memory.check();
    memory
}
