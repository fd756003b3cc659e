//! The origins of live allocations and objects.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::object;
use crate::algo::host::grow::Grow as _;
use crate::algo::map::slot_table::{Change, Handle};
use crate::backend;
use crate::core::base::call_site::Stack;
use crate::core::base::error::Result;
use crate::core::memory::memory_hook::{self, Event, MemoryHook, Moment, Refusal, Scope};

/// The records, by the number that identifies the allocation or object.
type Records = Mutex<FxHashMap<u64, Record>>;

/// The records of live allocations, by their identity.
pub(super) static MEMORY: Records = Mutex::new(HashMap::with_hasher(FxBuildHasher));
/// The records of objects, by their handles.
pub(super) static OBJECTS: Records = Mutex::new(HashMap::with_hasher(FxBuildHasher));

/// Adds a record. If the host has no memory for it, the report lists the allocation or object without its origin.
fn add(records: &Records, id: u64, record: Record) {
    let mut records = records.lock();
    if records.make_room(1).is_ok() {
        records.insert(id, record);
    }
}

/// The origin of an allocation or an object.
#[derive(Clone, Debug)]
pub struct Record {
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

impl Record {
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
            MEMORY.lock().remove(&event.memory_id());
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment == Moment::Malloc && !event.failed {
            add(&MEMORY, event.memory_id(), Record::here(event.size, event.stream));
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
        Change::Created => add(&OBJECTS, handle.raw(), Record::here(0, 0)),
        Change::Removed => drop(OBJECTS.lock().remove(&handle.raw())),
    }
}

/// Removes the records of memory that ended with the session.
pub fn forget() {
    MEMORY.lock().clear();
}
