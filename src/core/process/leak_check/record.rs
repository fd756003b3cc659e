//! The origins of live allocations and objects.
//!
//! A memory hook records allocations, and a function that the tables of handles call records objects. Both exist only
//! while the leak check is on.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::object;
use crate::algo::host::grow::Grow as _;
use crate::algo::map::slot_table::{Change, Handle};
use crate::algo::thread::per_thread::per_thread;
use crate::backend;
use crate::base::call_site::Stack;
use crate::base::error::Result;
use crate::memory::memory_hook::{self, Event, MemoryHook, Moment, Refusal, Scope};

/// The records, by the number that identifies the allocation or object.
type Records = Mutex<FxHashMap<u64, AllocationSite>>;

/// The records of live allocations, by their identity.
pub(super) static MEMORY: Records = Mutex::new(HashMap::with_hasher(FxBuildHasher));
/// The records of objects, by their handles.
pub(super) static OBJECTS: Records = Mutex::new(HashMap::with_hasher(FxBuildHasher));

/// Allocations and objects that belong to libraries beside this one, by the same numbers. Reports do not name them.
static OF_LIBRARIES: Mutex<FxHashSet<u64>> = Mutex::new(HashSet::with_hasher(FxBuildHasher));

per_thread! {
    /// Number of pauses of this thread that have not ended.
    static PAUSES: Cell<u32> = Cell::new(0);
}

/// From now on this thread makes what belongs to a library beside this one, until [`resume`]. Pauses may be nested.
pub fn pause() {
    PAUSES.with(|pauses| pauses.set(pauses.get() + 1));
}

/// Ends the latest pause of this thread.
pub fn resume() {
    PAUSES.with(|pauses| pauses.set(pauses.get().saturating_sub(1)));
}

/// Notes what this thread has made, if the program did not make it.
fn note_owner(id: u64) {
    if PAUSES.with(Cell::get) != 0 {
        let mut all = OF_LIBRARIES.lock();
        // If the host has no memory for it, reports name it.
        if all.make_room(1).is_ok() {
            all.insert(id);
        }
    }
}

/// Whether an allocation or an object belongs to a library beside this one.
pub(super) fn is_of_library(id: u64) -> bool {
    OF_LIBRARIES.lock().contains(&id)
}

fn remove(records: &Records, id: u64) {
    records.lock().remove(&id);
    OF_LIBRARIES.lock().remove(&id);
}

/// Adds a record. If the host has no memory for it, the report lists the allocation or object without its origin.
fn add(records: &Records, id: u64, record: AllocationSite) {
    let mut records = records.lock();
    if records.make_room(1).is_ok() {
        records.insert(id, record);
    }
}

/// The origin of an allocation or an object.
#[derive(Clone, Debug)]
pub struct AllocationSite {
    /// The bytes of the request.
    pub size: usize,
    /// The stream in whose order it was created; 0 if none.
    pub stream: u64,
    /// The system's id of the thread that created it.
    pub thread: u32,
    /// The time of its creation.
    pub made: Instant,
    /// The stack of its creation.
    pub stack: Stack,
}

impl AllocationSite {
    fn here(size: usize, stream: u64) -> Self {
        let (thread, made) = (backend::thread_number(), Instant::now());
        Self { size, stream, thread, made, stack: Stack::here() }
    }
}

/// The hook that records the origins of allocations.
struct Recorder;

impl MemoryHook for Recorder {
    // The record is removed before the free: afterwards another thread may have the address again.
    fn before(&self, moment: Moment, event: &Event) -> std::result::Result<(), Refusal> {
        if moment == Moment::Free {
            remove(&MEMORY, event.memory_id());
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment == Moment::Malloc && !event.failed {
            add(&MEMORY, event.memory_id(), AllocationSite::here(event.size, event.stream));
            note_owner(event.memory_id());
        }
    }
}

/// Starts to record the origins of allocations. A second call does nothing.
pub fn record() -> Result<()> {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    memory_hook::register("portacl's recorder", Scope::Process, Box::new(Recorder)).map(drop)
}

/// Records the origins of objects.
pub(super) fn note_object(handle: Handle, change: Change) {
    if !object::is_reported(handle.kind()) {
        return;
    }
    match change {
        Change::Created => {
            add(&OBJECTS, handle.raw(), AllocationSite::here(0, 0));
            note_owner(handle.raw());
        }
        Change::Removed => remove(&OBJECTS, handle.raw()),
    }
}

/// Removes the records of memory that ended with the session.
pub fn forget() {
    let forgotten = std::mem::take(&mut *MEMORY.lock());
    let mut of_libraries = OF_LIBRARIES.lock();
    of_libraries.retain(|id| !forgotten.contains_key(id));
}
