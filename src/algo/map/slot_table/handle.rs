//! The handles of a table: 64 bits with kind, generation and slot. A callback reports their creation and removal.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::OnceLock;

use super::{INDEX_BITS, MAX_SLOTS};

/// The number of a handle's bits for the generation.
const GENERATION_BITS: u32 = 32;
/// The bit at which the kind begins. Bit 63, above its 7 bits, is zero.
pub(super) const KIND_SHIFT: u32 = INDEX_BITS + GENERATION_BITS;

/// The name of an object in a [`SlotTable`](super::SlotTable).
///
/// Bit 63 is zero, then 7 bits kind, 32 bits generation, 24 bits slot: no handle is zero, a small
/// number or an address of user space.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle(NonZeroU64);

/// Writes the handle's bits, by which texts name it.
impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.raw())
    }
}

impl Handle {
    /// Returns the handle with these bits, or `None` if no table ever creates such a handle.
    #[inline]
    pub fn from_raw(raw: u64) -> Option<Self> {
        let handle = Self(NonZeroU64::new(raw)?);
        let shaped = raw >> 63 == 0 && handle.kind() != 0 && handle.generation() % 2 == 1;
        shaped.then_some(handle)
    }

    /// Returns the handle's bits.
    pub fn raw(self) -> u64 {
        self.0.get()
    }

    /// Returns the kind of the object: 1 to 127.
    pub fn kind(self) -> u8 {
        (self.raw() >> KIND_SHIFT) as u8
    }

    /// Returns a handle with any bits but 0. A table may never create one with these.
    pub(super) fn of_bits(raw: u64) -> Option<Self> {
        Some(Self(NonZeroU64::new(raw)?))
    }

    pub(super) fn new(kind: u8, generation: u32, index: u32) -> Self {
        debug_assert!(index < MAX_SLOTS && generation % 2 == 1);
        let kind = u64::from(kind) << KIND_SHIFT;
        let raw = kind | u64::from(generation) << INDEX_BITS | u64::from(index);
        Self(NonZeroU64::new(raw).expect("a generation that is odd is not zero"))
    }

    pub(super) fn generation(self) -> u32 {
        (self.raw() >> INDEX_BITS) as u32
    }

    pub(super) fn index(self) -> u32 {
        self.raw() as u32 & ((1 << INDEX_BITS) - 1)
    }
}

/// A change of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The handle was created and is not published yet.
    Created,
    /// The handle was removed.
    Removed,
}

static WATCHER: OnceLock<fn(Handle, Change)> = OnceLock::new();

/// Sets the callback for handles of all tables, which runs on the thread that creates or removes one. It must not look
/// a handle up. There is one callback: a second call does nothing.
pub fn watch(watcher: fn(Handle, Change)) {
    WATCHER.get_or_init(|| watcher);
}

/// Calls the callback, if there is one.
#[inline]
pub(super) fn notify(handle: Handle, change: Change) {
    if let Some(watcher) = WATCHER.get() {
        watcher(handle, change);
    }
}
