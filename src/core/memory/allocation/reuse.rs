//! Cached device memory: freed blocks, registered but hidden, for the next request of the same size and page policy.
//! Most frees and allocations of most programs are served here, without the device and without a change of the address
//! map.
//!
//! Cached memory counts as free. It is freed to the device before a request fails for lack of memory, and when the
//! device is released.

use super::backing::backing;
use super::{ALLOCATIONS, Allocation, Kind};
use crate::algo::alloc::block_cache::{BlockCache, BlockKey, Seat};
use crate::algo::map::address_map::Parked;
use crate::algo::map::typed_slots;
use crate::backend::{self, Fault, FaultKind, PagePolicy};
use crate::memory::memory_stats::DeviceTallies;
use crate::runtime::device::Device;
use crate::runtime::{self, thread};

/// Length of the largest cached block. Larger blocks are freed at once: to use them costs far more than to allocate
/// them.
const LARGEST: usize = (2 << 20) + (64 << 10);
/// Maximum number of bytes of a stripe of the cache. Its share of the device's memory is a second bound.
const MOST_BYTES: usize = 16 << 20;
const MOST_SHARE: u64 = 64;

/// The properties that distinguish allocations besides their size, if they can be cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u8);

impl Class {
    /// The class of allocations that are not cached.
    const NONE: Self = Self(0);

    /// Returns the class of requests with this policy. A request that insists on its pages is never served from the
    /// cache.
    fn of(pages: PagePolicy) -> Self {
        match pages {
            PagePolicy::HugeFirst => Self(1),
            PagePolicy::NormalOnly => Self(2),
            PagePolicy::HugeOnly | PagePolicy::Huge1GOnly => Self::NONE,
        }
    }

    /// Packs the class and a block's length into one word.
    fn pack(self, len: usize) -> u64 {
        len as u64 | u64::from(self.0) << 60
    }

    /// Reverses [`Self::pack`].
    #[inline]
    pub(super) fn unpack(word: u64) -> (Self, usize) {
        (Self((word >> 60) as u8), (word & ((1 << 60) - 1)) as usize)
    }

    /// Returns the key of allocations of which programs may use `len` bytes.
    #[inline]
    fn key(self, len: usize) -> BlockKey {
        (len as u64) << 2 | u64::from(self.0)
    }
}

/// The cached device memory.
#[derive(Default)]
pub struct Reuse {
    /// Its blocks.
    pub cache: BlockCache,
}

typed_slots::state! {
    /// The cache of a device.
    pub Reuse::of(Device);
}

impl Allocation {
    /// Returns the allocation in a form that may serve requests with this policy again.
    pub(crate) fn reusable(self, pages: PagePolicy) -> Self {
        let (_, len) = Class::unpack(self.origin[0]);
        Self { origin: [Class::of(pages).pack(len), self.origin[1]], ..self }
    }

    /// Takes cached memory for a request of `len` bytes, including padding.
    #[inline(always)]
    pub fn reuse(device: &Device, len: usize, pages: PagePolicy) -> Option<usize> {
        let class = Class::of(pages);
        if len > LARGEST || class == Class::NONE {
            return None;
        }
        let unpark = |parked| ALLOCATIONS.unpark(parked);
        Reuse::of(device).cache.take(Seat::mine(), class.key(len), unpark)
    }

    /// Frees the device memory that starts at `addr` into the cache, if possible; the address is then invalid. Returns
    /// false if nothing was changed.
    #[inline(always)]
    pub fn cache(addr: usize) -> bool {
        let Some((place, entry, range)) = Self::find_place(addr) else { return false };
        let found = Self::from_range(&range);
        let (class, block) = (Class::unpack(found.origin[0]).0, found.block());
        if !matches!(found.kind, Kind::Device(_)) || class == Class::NONE || block.len > LARGEST {
            return false;
        }
        // The memory is mostly of the current device.
        let context = thread::current_now();
        let current = context.as_ref().map(|context| &*context.device).filter(|device| device.owner == found.owner);
        let other = if current.is_none() { found.device() } else { None };
        let Some(device) = current.or(other.as_deref()) else { return false };
        if !device.native.is_unused(block) {
            return false;
        }
        let most = MOST_BYTES.min((device.total_memory / MOST_SHARE) as usize);
        let room = (class.key(found.len), block.len, most);
        Reuse::of(device).cache.put(Seat::mine(), room, || place.park(entry))
    }

    /// Frees cached memory that keeps blocks like this one out of the cache. Called after the block had to be freed to
    /// the device, which the caller holds.
    pub fn make_room(&self, device: &Device) {
        let (class, len) = Class::unpack(self.origin[0]);
        if matches!(self.kind, Kind::Device(_)) && class != Class::NONE && len <= LARGEST {
            let cache = &Reuse::of(device).cache;
            let parked = cache.make_room(Seat::mine(), class.key(self.len));
            free_parked(device, parked).for_each(drop);
        }
    }
}

impl Device {
    /// Returns the result of `alloc`; if the device has no memory, the result after all cached memory was freed.
    #[inline]
    pub(crate) fn with_all_memory<T>(
        &self,
        alloc: impl Fn(&dyn backend::Device) -> backend::Result<T>,
    ) -> backend::Result<T> {
        match alloc(&*self.native) {
            Err(fault) => self.again_with_all_memory(fault, alloc),
            outcome => outcome,
        }
    }

    /// Frees all cached memory after `alloc` has failed with `fault`, and returns the result of a second attempt.
    #[cold]
    pub(crate) fn again_with_all_memory<T>(
        &self,
        fault: Fault,
        alloc: impl Fn(&dyn backend::Device) -> backend::Result<T>,
    ) -> backend::Result<T> {
        ensure!(fault.kind() == FaultKind::OutOfDeviceMemory, fault);
        // What other threads free meanwhile goes to the device, too.
        let had_some = self.cached_bytes() != 0;
        let (parked, _pressure) = Reuse::of(self).cache.flush();
        free_parked(self, parked).for_each(drop);
        self.others_in_memory(|other| other.release_cached(drop));
        match (backing().trim)(self.owner, self.shares_memory) || had_some {
            true => alloc(&*self.native),
            false => Err(fault),
        }
    }

    /// Returns the cached bytes in all devices that share this one's memory.
    pub(crate) fn cached_bytes(&self) -> u64 {
        let mut bytes = Reuse::of(self).cache.bytes();
        self.others_in_memory(|other| bytes += Reuse::of(other).cache.bytes());
        bytes as u64
    }

    /// Calls `each` for every other open device that allocates from the same memory.
    fn others_in_memory(&self, mut each: impl FnMut(&Self)) {
        if !self.shares_memory {
            return;
        }
        let Some(session) = runtime::glance() else { return };
        for slot in &session.devices {
            if let Some(other) = slot.glance()
                && other.owner != self.owner
            {
                each(&other);
            }
        }
    }

    /// Frees all cached memory to the device, when that is in teardown.
    pub(crate) fn release_cached(&self, freed: impl FnMut(backend::Result<()>)) {
        free_parked(self, Reuse::of(self).cache.flush().0).for_each(freed);
    }
}

/// Frees each block to the device. The program has freed them before, so most results are ignored.
fn free_parked(device: &Device, parked: Vec<Parked>) -> impl Iterator<Item = backend::Result<()>> {
    let ranges = ALLOCATIONS.remove_parked(parked).into_iter();
    let tally = &DeviceTallies::of(device).device;
    ranges.map(move |range| {
        let block = Allocation::from_range(&range).block();
        tally.freed(block.len);
        device.native.free(block)
    })
}

#[cfg(test)]
#[path = "reuse_tests.rs"]
mod tests;
