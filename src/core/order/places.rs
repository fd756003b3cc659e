//! The physical place of memory, for the checker (`PORTACL_CHECK`).
//!
//! One memory may have several addresses, and one address different memory in turn: aclrtMapMem maps physical memory
//! anywhere, two keys of another process may name the same memory, and registered host memory may have another address
//! for devices. Operations are compared by the place of what they use. The place of most memory is its address.
//! Other memory has a place above all addresses, and its addresses are *aliases* of that.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::accesses::Access;
use crate::algo::host::file_mappings::{self, FileMapping};
use crate::backend::stream::decorators;

/// The first place above all addresses.
const ABOVE: usize = 1 << 62;
/// The distance of the places of two files, whose lengths are unknown.
const FILE: usize = 1 << 48;
/// The first place of files.
const FILES: usize = ABOVE | 1 << 61;

/// Addresses of memory with a place of its own.
#[derive(Clone, Copy, Debug)]
struct Alias {
    end: usize,
    place: usize,
    /// The number of its file in [`Places::files`], if it is of one.
    file: Option<(u64, u64)>,
}

/// All aliases.
struct Places {
    /// The aliases by first address. They do not overlap.
    aliases: BTreeMap<usize, Alias>,
    /// The places of files that are not of this process, and the numbers of their aliases.
    files: FxHashMap<(u64, u64), (usize, usize)>,
    /// The number of files so far.
    met: usize,
}

static PLACES: Mutex<Places> =
    Mutex::new(Places { aliases: BTreeMap::new(), files: HashMap::with_hasher(FxBuildHasher), met: 0 });
/// Whether there is an alias, or was one. Programs without aliases pay only for this check.
static ARE_USED: AtomicBool = AtomicBool::new(false);
/// Changes when an alias begins or ends.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Whether there is a checker, which compares places.
pub(crate) fn are_compared() -> bool {
    decorators::has(decorators::CHECKER)
}

/// The accesses of an operation, with places instead of addresses.
pub type Placed = SmallVec<[Access; 2]>;

/// The program's physical memory, which has a place even while it has no address.
#[derive(Clone, Copy, Debug)]
pub struct Physical(usize);

impl Physical {
    /// Returns the place of new memory of this length.
    pub fn new(len: usize) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        // A process cannot allocate so much that places are used again while anything refers to them.
        Self(ABOVE | (NEXT.fetch_add(len, Ordering::Relaxed) & (FILES - ABOVE - 1)))
    }

    /// Records that the memory is mapped at an address.
    pub fn is_mapped(self, addr: usize, len: usize) {
        if are_compared() {
            add(addr, len, self.0, None);
        }
    }
}

/// Records that memory at `addr` has another address, which stands for both.
pub(crate) fn is_also_at(addr: usize, len: usize, other: usize) {
    if addr != other && are_compared() {
        add(addr, len, other, None);
    }
}

/// Records that memory may be a part of a file that is mapped at other addresses as well. `is_own` returns whether an
/// address is in memory that is no alias itself.
pub fn may_be_of_file(addr: usize, len: usize, is_own: impl Fn(usize) -> bool) {
    if !are_compared() {
        return;
    }
    end(addr, len);
    let all = file_mappings::all();
    for mapping in &all {
        let part = mapping.addrs.start.max(addr)..mapping.addrs.end.min(addr.saturating_add(len));
        if !part.is_empty() {
            add_part(mapping, part, &all, &is_own);
        }
    }
}

fn add_part(mapping: &FileMapping, part: Range<usize>, all: &[FileMapping], is_own: &impl Fn(usize) -> bool) {
    let offset = mapping.offset + (part.start - mapping.addrs.start) as u64;
    let others = all.iter().filter_map(|other| other.addr_of(mapping.file, offset));
    if let Some(own) = others.filter(|other| !part.contains(other)).find(|other| is_own(*other)) {
        return add(part.start, part.len(), own, None);
    }
    let base = {
        let mut places = PLACES.lock();
        let Places { files, met, .. } = &mut *places;
        let (base, aliases) = files.entry(mapping.file).or_insert_with(|| {
            *met += 1;
            (FILES | ((*met * FILE) & (FILES - ABOVE - 1)), 0)
        });
        *aliases += 1;
        *base
    };
    add(part.start, part.len(), base + offset as usize % FILE, Some(mapping.file));
}

fn add(addr: usize, len: usize, place: usize, file: Option<(u64, u64)>) {
    end(addr, len);
    PLACES.lock().aliases.insert(addr, Alias { end: addr.saturating_add(len), place, file });
    ARE_USED.store(true, Ordering::Release);
    GENERATION.fetch_add(1, Ordering::Release);
}

/// Records that the memory has these addresses no longer.
pub fn end(addr: usize, len: usize) {
    if !are_used() {
        return;
    }
    let mut places = PLACES.lock();
    let Places { aliases, files, .. } = &mut *places;
    for (_, alias) in aliases.extract_if(addr..addr.saturating_add(len), |_, _| true) {
        let Some(file) = alias.file else { continue };
        if let Some((_, count)) = files.get_mut(&file) {
            *count -= 1;
            if *count == 0 {
                files.remove(&file);
            }
        }
    }
    GENERATION.fetch_add(1, Ordering::Release);
}

/// Whether there may be aliases.
#[inline]
pub fn are_used() -> bool {
    ARE_USED.load(Ordering::Relaxed)
}

/// Returns a number that changes when an alias begins or ends.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

impl Places {
    /// Returns the aliases that contain some of these addresses.
    fn overlapping(&self, addr: usize, end: usize) -> impl Iterator<Item = (usize, &Alias)> {
        let before = self.aliases.range(..addr).next_back().filter(|(_, alias)| alias.end > addr);
        before.into_iter().chain(self.aliases.range(addr..end)).map(|(addr, alias)| (*addr, alias))
    }

    /// Adds the places of an access.
    fn add(&self, access: &Access, all: &mut Placed) {
        let mut at = access.addr;
        let mut put = |addr, end| all.push(Access { addr, end, ..*access });
        for (first, alias) in self.overlapping(access.addr, access.end) {
            let (from, end) = (first.max(access.addr), alias.end.min(access.end));
            if at < from {
                put(at, from);
            }
            let place = alias.place + (from - first);
            put(place, place + (end - from));
            at = end;
        }
        if at < access.end {
            put(at, access.end);
        }
    }
}

/// Returns the places of what an operation uses. `None`: they are the addresses.
#[inline]
pub fn of(used: &[Access]) -> Option<Placed> {
    if are_used() { find(used) } else { None }
}

#[cold]
fn find(used: &[Access]) -> Option<Placed> {
    let places = PLACES.lock();
    if !used.iter().any(|access| places.overlapping(access.addr, access.end).next().is_some()) {
        return None;
    }
    let mut all = Placed::new();
    used.iter().for_each(|access| places.add(access, &mut all));
    Some(all)
}

/// Returns the place of a byte.
#[inline]
pub fn of_byte(addr: usize) -> usize {
    if !are_used() {
        return addr;
    }
    let places = PLACES.lock();
    places.overlapping(addr, addr + 1).next().map_or(addr, |(first, alias)| alias.place + (addr - first))
}

/// Returns the addresses that a place has now, the lowest first.
pub fn addresses(place: usize) -> SmallVec<[usize; 2]> {
    let mut all = SmallVec::new();
    if are_used() {
        let places = PLACES.lock();
        let at = |(first, alias): (&usize, &Alias)| {
            let distance = place.checked_sub(alias.place)?;
            (distance < alias.end - first).then(|| first + distance)
        };
        all.extend(places.aliases.iter().filter_map(at));
    }
    if place < ABOVE {
        all.insert(0, place);
    }
    all
}

/// Ends all aliases, with the session.
pub fn session_ended() {
    end(0, usize::MAX);
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
