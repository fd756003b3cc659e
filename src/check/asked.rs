//! The sizes that the program asked for, for texts: allocations have more bytes, which it may read, or which fill
//! pages.
//!
//! Pool memory is allocated much more often than other memory, and mostly in sizes that need no padding. So only
//! other sizes of pools are kept.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::algo::host::grow::Grow as _;
use crate::core::memory::allocation::Allocation;
use crate::core::memory::memory_hook::{Event, MemoryKind};

/// Sizes by the first byte of the allocation.
type Sizes = Mutex<FxHashMap<usize, usize>>;

/// The sizes of live allocations, except those of pools.
static SIZES: Sizes = Mutex::new(HashMap::with_hasher(FxBuildHasher));
/// The sizes of live pool memory that is padded.
static OF_POOLS: Sizes = Mutex::new(HashMap::with_hasher(FxBuildHasher));
/// Whether pool memory was ever padded.
static POOLS_PAD: AtomicBool = AtomicBool::new(false);

/// Returns the sizes that the event belongs to; `None` if nothing is kept of it.
#[inline]
fn sizes_of(event: &Event) -> Option<&'static Sizes> {
    match event.kind {
        MemoryKind::Pool | MemoryKind::Graph => POOLS_PAD.load(Ordering::Relaxed).then_some(&OF_POOLS),
        MemoryKind::Device | MemoryKind::Pinned | MemoryKind::Managed | MemoryKind::Imported => Some(&SIZES),
    }
}

/// Records an allocation. If the host has no memory for that, texts have the size with its padding.
#[inline]
pub(crate) fn is_allocated(event: &Event) {
    if event.size != event.rounded && matches!(event.kind, MemoryKind::Pool | MemoryKind::Graph) {
        POOLS_PAD.store(true, Ordering::Relaxed);
    }
    let Some(sizes) = sizes_of(event) else { return };
    let mut sizes = sizes.lock();
    if event.size == event.rounded {
        sizes.remove(&event.addr);
    } else if sizes.make_room(1).is_ok() {
        sizes.insert(event.addr, event.size);
    }
}

/// Removes an allocation. Returns its size.
#[inline]
pub(crate) fn is_freed(event: &Event) -> usize {
    let asked = sizes_of(event).and_then(|sizes| sizes.lock().remove(&event.addr));
    asked.unwrap_or(event.rounded)
}

/// Returns the bytes that the program asked for.
pub(crate) fn size_of(allocation: &Allocation) -> usize {
    let of = |sizes: &Sizes| sizes.lock().get(&allocation.base).copied();
    let asked = if allocation.pool().is_some() { of(&OF_POOLS) } else { of(&SIZES) };
    asked.filter(|asked| *asked <= allocation.len).unwrap_or(allocation.len)
}

/// Removes the memory that ended with a device, without a release by the program.
pub(crate) fn device_ended() {
    let is_live = |addr: &usize, _: &mut usize| Allocation::find(*addr).is_some_and(|found| found.base == *addr);
    [&SIZES, &OF_POOLS].into_iter().for_each(|sizes| sizes.lock().retain(is_live));
}

/// Removes everything, because all memory ends with the session.
pub(crate) fn session_ended() {
    [&SIZES, &OF_POOLS].into_iter().for_each(|sizes| sizes.lock().clear());
}
