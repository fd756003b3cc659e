//! Handle tables: find objects by 64-bit handles that C may copy, keep and misuse.
//!
//! A handle names a slot and the generation of its occupant. For any 64 bits, a lookup finds the object that the
//! handle was created for, or nothing. It writes no shared memory.
//!
//! A slot keeps the handle of its occupant, so that one comparison identifies it. The generation in it is odd while the
//! slot is occupied and even while it is free, so it alone is the state. Everything relies on this order of accesses:
//! - insert: value, then name (odd);
//! - remove: name (even; the thread that changes it has removed the object), then value (null), then the slot goes to
//!   the end of the free queue;
//! - get: name, value, name again. The first load makes the value at least as new as the handle's, the second makes it
//!   no newer.
//!
//! An object that goes with its owner leaves a *late* name: its program may still destroy it, once. The bit is in the
//! name, so a late destroy is one exchange, and a slot that is used again has forgotten it.

mod free;
mod handle;

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use self::free::Free;
use super::chunked::{Blank, Chunked};
use crate::sync::primitives::atomic::{AtomicU64, Ordering};
use crate::sync::primitives::{Mutex, const_unless_loom};
use crate::sync::published::Published;
use crate::sync::reclaim::{self, Pin};

pub use handle::{Change, Handle, watch};

pub use crate::sync::reclaim::{flush_deferred, flush_if_many, flush_in_turn};

/// The number of a handle's bits for the slot.
const INDEX_BITS: u32 = 24;
/// The number of slots per chunk. There are enough chunks for all slots that a handle can name. Loom uses few slots,
/// because its atomics are slow.
const CHUNK_LEN: usize = if cfg!(loom) { 2 } else { 1 << 12 };
const CHUNKS: usize = if cfg!(loom) { 2 } else { (1 << INDEX_BITS) / CHUNK_LEN };
/// The number of all slots.
const MAX_SLOTS: u32 = (CHUNKS * CHUNK_LEN) as u32;

/// The last generation. A free slot with it is never used again: the generation would wrap around, and old handles
/// would become valid.
const RETIRED: u32 = u32::MAX - 1;

struct Slot<T> {
    /// The bits of the occupant's handle. For a free slot it is the result of `free_name` or `late_name`, or 0 if it
    /// was never used.
    name: AtomicU64,
    /// The occupant, or empty while the slot is free.
    value: Published<T>,
}

/// Returns the name of a free slot: its generation, which is even, and another slot's number, so that no handle of this
/// slot equals it.
fn free_name(generation: u32, index: u32) -> u64 {
    debug_assert!(generation.is_multiple_of(2));
    u64::from(generation) << INDEX_BITS | u64::from(index ^ 1)
}

/// Returns the name of a free slot whose last occupant went with its owner and was not destroyed yet.
fn late_name(generation: u32, index: u32) -> u64 {
    free_name(generation, index) ^ 2
}

// SAFETY: no handle is 0, and a place without an object is a null pointer, all zeros.
unsafe impl<T: Send + Sync + 'static> Blank for Slot<T> {
    #[cfg(loom)]
    fn blank() -> Self {
        Self { name: AtomicU64::new(0), value: Published::new() }
    }
}

impl<T: Send + Sync + 'static> Slot<T> {
    /// Returns the slot's current or last generation.
    fn generation(&self, order: Ordering) -> u32 {
        (self.name.load(order) >> INDEX_BITS) as u32
    }

    /// Calls `found` with the occupant of this handle, if it is in this slot. `pin` keeps it alive.
    ///
    /// Returns the result of `found`, and not the occupant, so that no caller checks twice whether there is one.
    #[inline]
    fn read<P: Borrow<Pin>, R>(&self, handle: Handle, pin: P, found: impl FnOnce(NonNull<T>, P) -> R) -> Option<R> {
        if self.name.load(Ordering::Acquire) != handle.raw() {
            return None;
        }
        let value = self.value.load();
        if self.name.load(Ordering::Relaxed) != handle.raw() {
            return None;
        }
        debug_assert!(!value.is_null());
        // SAFETY: it is the value of this handle, which is stored before the name and removed after it.
        Some(found(unsafe { NonNull::new_unchecked(value) }, pin))
    }
}

/// A table of objects of one kind by their handles.
pub struct SlotTable<T> {
    kind: u8,
    slots: Chunked<Slot<T>, CHUNKS, CHUNK_LEN>,
    free: Mutex<Free>,
}

impl<T: Send + Sync + 'static> SlotTable<T> {
    const_unless_loom! {
        /// Creates an empty table for objects of `kind`, from 1 to 127, which no other table has.
        pub fn new(kind: u8) -> Self {
            assert!(kind >= 1 && kind <= 127, "a kind is 1 to 127");
            Self {
                kind,
                slots: Chunked::new(),
                free: Mutex::new(Free::new(MAX_SLOTS)),
            }
        }
    }

    /// Creates a table of at most `limit` slots.
    #[cfg(test)]
    fn with_limit(kind: u8, limit: u32) -> Self {
        let table = Self::new(kind);
        assert!(limit <= MAX_SLOTS, "more slots than a handle can name");
        table.free.lock().limit = limit;
        table
    }

    /// Inserts an object. Returns `None` if all slots are taken, or there is no memory for new ones.
    pub fn insert(&self, value: Arc<T>) -> Option<Handle> {
        self.insert_with(|_| value)
    }

    /// Inserts an object that knows its handle. The handle is valid when this returns, not yet inside `make`. No lock
    /// is held while `make` runs, and it may panic.
    pub fn insert_with(&self, make: impl FnOnce(Handle) -> Arc<T>) -> Option<Handle> {
        let index = self.claim()?;
        let slot = &self.slots[index as usize];
        // Only this thread changes a claimed slot.
        let generation = slot.generation(Ordering::Relaxed) + 1;
        let handle = Handle::new(self.kind, generation, index);
        let claim = Claim { table: self, index };
        let value = make(handle);
        std::mem::forget(claim);
        handle::notify(handle, Change::Created);
        slot.value.fill(value);
        slot.name.store(handle.raw(), Ordering::Release);
        Some(handle)
    }

    /// Inserts the object that `make` returns for its handle, and returns it. `None` if all slots are taken, or there
    /// is no memory for new ones.
    pub fn publish(&self, make: impl FnOnce(Handle) -> T) -> Option<Arc<T>> {
        let mut made = None;
        self.insert_with(|handle| Arc::clone(made.insert(Arc::new(make(handle)))))?;
        made
    }

    /// Returns the object of this handle. Writes no shared memory. Hold the result briefly, not across a call that
    /// blocks: while it lives, no removed object of any table is released.
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<Ref<'_, T>> {
        let slot = self.slots.get(handle.index() as usize)?;
        let look = |value, pin| Ref { value, pin, _table: PhantomData };
        slot.read(handle, reclaim::pin(), look)
    }

    /// Whether these bits are, were, or may become the handle of an object of this table.
    pub fn is_shaped(&self, raw: u64) -> bool {
        Handle::from_raw(raw).is_some_and(|handle| handle.kind() == self.kind)
    }

    /// Returns the object with these bits as its handle.
    #[inline(always)]
    pub fn get_raw(&self, raw: u64) -> Option<Ref<'_, T>> {
        self.get(Handle::of_bits(raw)?)
    }

    /// Returns what [`Self::get_raw`] does, under a pin of the caller.
    #[inline(always)]
    pub fn get_raw_pinned<'a>(&'a self, raw: u64, pin: &'a Pin) -> Option<&'a T> {
        let handle = Handle::of_bits(raw)?;
        let slot = self.slots.get(handle.index() as usize)?;
        // SAFETY: `pin` was taken before the slot was read, so the table has not released the
        // object.
        slot.read(handle, pin, |value, _| unsafe { value.as_ref() })
    }

    /// Returns what [`Self::get`] does, for calls that block.
    pub fn get_arc(&self, handle: Handle) -> Option<Arc<T>> {
        self.get(handle).map(|found| found.to_arc())
    }

    /// Removes the object: the handle is invalid at once. One of several concurrent calls gets the object.
    /// [`flush_deferred`] releases the table's reference when no reader is left; this never runs a destructor.
    pub fn remove(&self, handle: Handle) -> Option<Arc<T>> {
        self.take(handle, free_name, Free::add)
    }

    /// Removes the object as [`Self::remove`] does, because its owner goes. [`Self::destroy_late`] returns true for the
    /// handle once, until a new object takes the slot.
    pub fn remove_with_owner(&self, handle: Handle) -> Option<Arc<T>> {
        self.take(handle, late_name, Free::add_late)
    }

    /// Removes the object. `name` and `queue` say what becomes of its slot.
    #[inline]
    fn take(
        &self,
        handle: Handle,
        name: impl FnOnce(u32, u32) -> u64,
        queue: impl FnOnce(&mut Free, u32),
    ) -> Option<Arc<T>> {
        let slot = self.slots.get(handle.index() as usize)?;
        let free = handle.generation().wrapping_add(1);
        let name = name(free, handle.index());
        slot.name.compare_exchange(handle.raw(), name, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        // The exchange makes this thread the only one that takes the object.
        let value = slot.value.replace(None);
        self.release(handle.index(), free, queue);
        handle::notify(handle, Change::Removed);
        value
    }

    /// Whether the object went with its owner and was not destroyed since. One of several concurrent calls gets true.
    pub fn destroy_late(&self, handle: Handle) -> bool {
        let Some((slot, late)) = self.late(handle) else { return false };
        let free = free_name(handle.generation().wrapping_add(1), handle.index());
        slot.name.compare_exchange(late, free, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Returns what [`Self::destroy_late`] would, and changes nothing.
    pub fn is_late(&self, handle: Handle) -> bool {
        self.late(handle).is_some_and(|(slot, late)| slot.name.load(Ordering::Relaxed) == late)
    }

    /// Returns the slot of a handle of this table, with the name that it has if the object went with its owner.
    fn late(&self, handle: Handle) -> Option<(&Slot<T>, u64)> {
        let slot = self.slots.get(handle.index() as usize).filter(|_| handle.kind() == self.kind)?;
        Some((slot, late_name(handle.generation().wrapping_add(1), handle.index())))
    }

    /// Whether a handle named an object of this table, which was removed.
    pub fn was_destroyed(&self, handle: Handle) -> bool {
        let slot = self.slots.get(handle.index() as usize);
        handle.kind() == self.kind && slot.is_some_and(|slot| handle.generation() < slot.generation(Ordering::Acquire))
    }

    /// Returns all objects. An object that is inserted or removed during the call may be in it.
    pub fn live(&self) -> impl Iterator<Item = (Handle, Arc<T>)> + '_ {
        let fresh = self.free.lock().fresh;
        let live = move |index| {
            let generation = self.slots.get(index as usize)?.generation(Ordering::Acquire);
            let handle = (generation % 2 == 1).then(|| Handle::new(self.kind, generation, index))?;
            Some((handle, self.get_arc(handle)?))
        };
        (0..fresh).filter_map(live)
    }

    /// Returns the number of slots in use.
    pub fn count(&self) -> usize {
        self.free.lock().taken
    }

    /// Returns how many more objects fit at most. Retired slots are not subtracted.
    pub fn room(&self) -> usize {
        (MAX_SLOTS as usize).saturating_sub(self.count())
    }

    /// Whether no slot is left. If one is, an insertion failed for lack of memory.
    pub fn is_full(&self) -> bool {
        self.free.lock().is_empty()
    }

    /// Takes a slot: the one that has been free for the longest time, or a new one, or a late one.
    fn claim(&self) -> Option<u32> {
        self.free.lock().take(|fresh| self.slots.ensure(fresh as usize).is_some())
    }

    /// Frees a slot, which has this (even) generation now.
    fn release(&self, index: u32, generation: u32, queue: impl FnOnce(&mut Free, u32)) {
        let mut free = self.free.lock();
        free.taken -= 1;
        if generation != RETIRED {
            queue(&mut free, index);
        }
    }
}

/// A claimed slot whose object is being created. It is dropped only if that panics: then the handle, which may have
/// been stored, never becomes valid.
struct Claim<'a, T: Send + Sync + 'static> {
    table: &'a SlotTable<T>,
    index: u32,
}

impl<T: Send + Sync + 'static> Drop for Claim<'_, T> {
    fn drop(&mut self) {
        let slot = &self.table.slots[self.index as usize];
        let free = slot.generation(Ordering::Relaxed) + 2;
        slot.name.store(free_name(free, self.index), Ordering::Release);
        self.table.release(self.index, free, Free::add);
    }
}

/// An object in a table, found by its handle. It stays alive while this lives, removed or not.
pub struct Ref<'a, T> {
    value: NonNull<T>,
    pin: Pin,
    _table: PhantomData<&'a SlotTable<T>>,
}

impl<T: fmt::Display> fmt::Display for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T> Ref<'_, T> {
    /// Creates a reference to an object that `pin` keeps alive.
    /// # Safety
    /// `object` is alive as long as `pin` is.
    pub unsafe fn new(value: NonNull<T>, pin: Pin) -> Self {
        Self { value, pin, _table: PhantomData }
    }

    /// Returns the pin that keeps the object alive, for further lookups.
    pub fn pin(&self) -> &Pin {
        &self.pin
    }

    /// Returns a counted reference to the object, for longer use.
    pub fn to_arc(&self) -> Arc<T> {
        // SAFETY: from `Arc::into_raw`; the pin keeps the table's reference alive, and this creates another one.
        unsafe {
            Arc::increment_strong_count(self.value.as_ptr());
            Arc::from_raw(self.value.as_ptr())
        }
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard contains the pin that protects the object, and the reference borrows
        // the guard.
        unsafe { self.value.as_ref() }
    }
}

#[cfg(all(test, loom))]
#[path = "slot_table_models.rs"]
mod loom_slot_table;
#[cfg(test)]
#[path = "slot_table_tests.rs"]
mod tests;
