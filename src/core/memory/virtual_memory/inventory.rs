//! Lists of reserved ranges, mappings, and memory without an address.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Physical, RANGES, USED};
use crate::backend::MemoryPlace;
use crate::backend::base::broker::Key;
use crate::base::error::{Error, param_invalid};
use crate::base::handles::Object;
use crate::memory::request::hooks::ReportedMemory;
use crate::order::places;

/// Returns the memory without an address, as hooks see it.
pub fn reported() -> Vec<ReportedMemory> {
    all_memory().iter().map(|it| it.reported()).collect()
}

/// Returns the ranges of addresses that are reserved: first address and bytes of each.
pub fn reserved() -> Vec<(usize, usize)> {
    if !USED.load(Ordering::Relaxed) {
        return Vec::new();
    }
    RANGES.lock().reserved.iter().map(|(addr, len)| (*addr, *len)).collect()
}

/// Whether memory of this process has been exported.
pub(crate) fn exports_any() -> bool {
    all_memory().iter().any(|it| it.memory.key.lock().is_some())
}

/// Returns the place of memory that was imported by this key and is live. Only the checker compares places.
pub(super) fn place_of(key: &Key) -> Option<places::Physical> {
    let is_same = |it: &&Arc<Physical>| it.memory.source.as_ref() == Some(key);
    places::are_compared().then(|| all_memory().iter().find(is_same).map(|it| it.memory.physical)).flatten()
}

/// Returns the memory without an address, each once: with a handle, or only mapped.
fn all_memory() -> Vec<Arc<Physical>> {
    let mut all: Vec<_> = Physical::table().live().map(|(_, it)| it).collect();
    if USED.load(Ordering::Relaxed) {
        all.extend(RANGES.lock().mappings.values().map(|mapping| Arc::clone(&mapping.memory)));
    }
    // Memory with a handle comes first.
    let mut seen = HashSet::new();
    all.retain(|it| seen.insert(Arc::as_ptr(&it.memory)));
    all
}

/// A mapping around an address, with or without access.
pub struct Mapped {
    /// The first address of the mapping.
    pub base: usize,
    /// The length in bytes.
    pub len: usize,
    /// The place of the memory.
    pub place: MemoryPlace,
    /// The page size, as the system confirms it.
    pub page_size: usize,
}

/// Returns what is mapped around an address.
pub fn at(addr: usize) -> Option<Mapped> {
    if !USED.load(Ordering::Relaxed) {
        return None;
    }
    let (base, memory) = {
        let ranges = RANGES.lock();
        let (base, mapping) = ranges.mapping(addr)?;
        (base, Arc::clone(&mapping.memory))
    };
    let page_size = memory.native().page_size();
    Some(Mapped { base, len: memory.len, place: memory.place, page_size })
}

/// Returns the error for an address in a range that is no allocation; `None` for other addresses.
#[cold]
pub(crate) fn unusable(argument: &dyn std::fmt::Display, addr: usize) -> Option<Error> {
    let ranges = RANGES.lock();
    if ranges.mapping(addr).is_some() {
        return Some(param_invalid!("{argument} {addr:#x} is mapped without access; call aclrtMemSetAccess"));
    }
    ranges.range(addr)?;
    Some(param_invalid!("{argument} {addr:#x} is reserved, and no memory is mapped there; call aclrtMapMem first"))
}
