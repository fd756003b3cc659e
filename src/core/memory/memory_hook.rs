//! Hooks: callbacks of the program that report allocations and may refuse them.
//!
//! A hook is called before and after three moments: memory is taken from the device or the system (*alloc*), allocated
//! to the program (*malloc*), freed by the program (*free*). An *alloc* is inside a *malloc*, unless cached memory
//! serves the request. While a hook runs, no lock and no reference to a device is held, so that it may call this
//! library. A hook is not called for what it does itself.

mod limit;
mod line_profile;
mod lines;
mod ready;
mod registry;
mod running;

use std::ffi::OsStr;
use std::sync::Arc;

pub use self::limit::Limit;
pub use self::line_profile::LineProfile;
pub use self::lines::{DebugPrint, Logging, to_json};
pub(crate) use self::ready::{register_ready, write_profile};
pub(crate) use self::registry::are_registered;
pub use self::registry::{Info, RegisteredHook, Scope, exist, list, profile, register, report, unregister, watch};
use crate::algo::host::output_file::OutputFile;
use crate::algo::thread::per_thread::{ThreadList, per_thread};
use crate::backend::Place;
use crate::base::call_site::Frame;
use crate::base::callback;
use crate::base::error::{Code, Error, Result, error_with};
use crate::memory::allocation::backing::{PoolUse, backing};
use crate::memory::allocation::{Allocation, Kind};

/// The device id of host memory.
pub const HOST: i32 = -1;

/// The moments of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Memory is taken from the device, or from the system.
    Alloc,
    /// Memory is allocated to the program.
    Malloc,
    /// The program frees memory.
    Free,
}

impl Moment {
    /// Returns its name for programs and logs.
    pub const fn name(self) -> &'static str {
        ["alloc", "malloc", "free"][self as usize]
    }
}

/// The kinds of memory, with the numbers of portaclMemoryKind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Device memory, from aclrtMalloc and its variants.
    Device = 0,
    /// Page-locked host memory.
    Pinned = 1,
    /// Memory that the host and all devices use.
    Managed = 2,
    /// Memory of a stream-ordered pool.
    Pool = 3,
    /// Memory that another process has exported.
    Imported = 4,
    /// Graph memory, from captured requests.
    Graph = 5,
}

impl MemoryKind {
    /// Returns its name for programs and logs.
    pub const fn name(self) -> &'static str {
        ["device", "pinned", "managed", "pool", "imported", "graph"][self as usize]
    }

    /// Returns the kind and the device of an allocation, -1 for host memory. `None` for registrations of the caller's
    /// memory, and for mappings: their memory is reported without an address.
    pub fn of(found: &Allocation) -> Option<(Self, i32)> {
        let kind = match found.kind {
            Kind::Device(_) => Self::Device,
            Kind::Managed(_) => Self::Managed,
            Kind::Imported(_) => Self::Imported,
            Kind::Pinned => Self::Pinned,
            Kind::Pool(_) | Kind::ManagedPool(_) | Kind::HostPool(_) => {
                (backing().pool_use)(found).map_or(Self::Pool, Self::of_pool)
            }
            // A word of a graph belongs to the library.
            Kind::Registered { .. } | Kind::Mapped(_) | Kind::HostMapped(_) | Kind::Graph(_) => return None,
        };
        let device = if let Place::Device(id) = found.place() { id as i32 } else { HOST };
        Some((kind, device))
    }

    /// Returns the kind of a pool's memory.
    pub(crate) const fn of_pool(pool_use: PoolUse) -> Self {
        match pool_use {
            PoolUse::Imported => Self::Imported,
            PoolUse::Graphs => Self::Graph,
            PoolUse::Program => Self::Pool,
        }
    }
}

/// One allocation or release, as hooks see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The device; -1 for host memory.
    pub device: i32,
    /// The kind of the memory.
    pub kind: MemoryKind,
    /// Bytes of the request; 0 if it names an address instead.
    pub size: usize,
    /// The bytes that are allocated.
    pub rounded: usize,
    /// The address; 0 while it is unknown, after a failure, and for memory without one.
    pub addr: usize,
    /// The handle of memory without an address.
    pub handle: u64,
    /// The handle of the stream that orders it, or 0.
    pub stream: u64,
    /// The page size in bytes; 0 while it is unknown.
    pub page_size: usize,
    /// After the moment: true if it was not done, because it failed or another hook refused it.
    pub failed: bool,
}

impl Event {
    /// Creates the event of a request or a release, before its result is known.
    pub(crate) fn of_request(device: i32, kind: MemoryKind, size: usize, rounded: usize) -> Self {
        let (addr, handle, stream) = (0, 0, 0);
        Self { device, kind, size, rounded, addr, handle, stream, page_size: 0, failed: false }
    }

    /// Returns a number that distinguishes live allocations; 0 as long as there is none.
    pub fn memory_id(&self) -> u64 {
        if self.addr == 0 { self.handle } else { self.addr as u64 }
    }
}

/// The refusal of an allocation or release by a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code that the call returns; any number except 0.
    pub code: i32,
    /// The reason, for an error text; may be empty.
    pub text: String,
}

/// Totals of one call site.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The bytes that were allocated.
    pub used: u64,
    /// The number of allocations.
    pub mallocs: u64,
    /// The bytes that were taken from the device or the system for them.
    pub acquired: u64,
    /// The number of times that such bytes were taken.
    pub allocs: u64,
}

/// A function of the program in a profile of its memory, including the functions it called.
#[derive(Clone, Debug)]
pub struct ProfileRow {
    /// Its depth in the call tree.
    pub depth: usize,
    /// The function; `None`: the root, which stands for the program.
    pub frame: Option<Frame>,
    /// Its totals.
    pub tally: Tally,
}

/// A memory hook.
pub trait MemoryHook: Send + Sync {
    /// Called before the moment. A refusal prevents it.
    fn before(&self, _moment: Moment, _event: &Event) -> std::result::Result<(), Refusal> {
        Ok(())
    }

    /// Called after it was done, has failed, or was refused by a later hook.
    fn after(&self, _moment: Moment, _event: &Event) {}

    /// Returns a profile by call site, if this hook collects one. It is a tree, in which each function comes before
    /// those it called.
    fn profile(&self) -> Option<Vec<ProfileRow>> {
        None
    }
}

/// Sees all the program's memory, without the data that only hooks need. It makes no calls and refuses nothing.
pub trait Watcher: Sync {
    /// Called when the program gets memory.
    fn is_allocated(&self, event: &Event);

    /// Called when the program is about to free memory: afterwards another thread may have the address again.
    fn is_freed(&self, event: &Event);
}

/// A hook while one of its callbacks runs.
struct Running {
    entry: Arc<RegisteredHook>,
    /// The reason that the callback has set for its refusal.
    reason: String,
}

per_thread! {
    /// The hooks that this thread is running, the innermost last.
    static RUNNING: ThreadList<Running> = ThreadList::new();
}

/// Sets the reason of the refusal for the callback that runs on this thread.
pub fn set_reason(text: &str) {
    RUNNING.with(|running| running.with_last(|hook| text.clone_into(&mut hook.reason)));
}

/// Notes that the hook that runs on this thread has failed at a moment when it cannot refuse.
pub fn note_failure(text: &str) {
    RUNNING.with(|running| running.with_last(|hook| hook.entry.note_failure(text)));
}

/// Takes the reason that the running callback has set.
pub fn take_reason() -> String {
    let reason = RUNNING.with(|running| running.with_last(|hook| std::mem::take(&mut hook.reason)));
    reason.unwrap_or_default()
}

/// Runs a callback of an entry. Meanwhile the entry counts as running on this thread, so it is not called for its own
/// calls.
fn run<T>(entry: &Arc<RegisteredHook>, call: impl FnOnce(&dyn MemoryHook) -> T) -> Option<T> {
    struct Ends<'a>(&'a RegisteredHook);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            RUNNING.with(ThreadList::pop);
            self.0.running.leave(registry::this_thread());
        }
    }
    if !entry.running.enter(registry::this_thread()) {
        return None;
    }
    RUNNING.with(|all| all.push(Running { entry: Arc::clone(entry), reason: String::new() }));
    let _ends = Ends(entry);
    Some(callback::run("memory hook", || call(&*entry.hook)))
}

/// The hooks of one allocation or release, in the order of their registration.
struct Called(Vec<Arc<RegisteredHook>>);

impl Called {
    fn here() -> Self {
        if !are_registered() {
            return Self(Vec::new());
        }
        let mut entries = registry::of_this_thread();
        RUNNING.with(|running| {
            running.with(|all| {
                entries.retain(|entry| all.iter().all(|hook| !Arc::ptr_eq(entry, &hook.entry)));
            });
        });
        Self(entries)
    }

    /// Calls the hooks before the moment. If one refuses, those called before it are notified of the failure.
    fn before(&self, moment: Moment, event: &Event) -> Result<()> {
        for (index, entry) in self.0.iter().enumerate() {
            if let Some(Err(refusal)) = run(entry, |hook| hook.before(moment, event)) {
                entry.note_refusal();
                notify(&self.0[..index], moment, &Event { failed: true, ..*event });
                return Err(refused(entry, moment, event, &refusal));
            }
        }
        if moment == Moment::Free {
            is_freed(event);
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment == Moment::Malloc && !event.failed {
            is_allocated(event);
        }
        notify(&self.0, moment, event);
    }
}

fn notify(entries: &[Arc<RegisteredHook>], moment: Moment, event: &Event) {
    for entry in entries {
        run(entry, |hook| hook.after(moment, event));
    }
}

#[cold]
fn refused(entry: &RegisteredHook, moment: Moment, event: &Event, refusal: &Refusal) -> Error {
    let why = if refusal.text.is_empty() { String::new() } else { format!(": {}", refusal.text) };
    let (what, kind) = (moment.name(), event.kind.name());
    // -1 is the host.
    let place = if event.device < 0 { String::new() } else { format!(", device {}", event.device) };
    Error::with_value(
        refusal.code,
        format_args!(
            "the memory hook \"{}\" refuses the {what} of {} bytes, the rounded size ({kind} memory{place}){why}",
            entry.name, event.rounded
        ),
    )
}

/// Calls the watcher for memory that the program gets.
pub fn is_allocated(event: &Event) {
    registry::watcher().into_iter().for_each(|watcher| watcher.is_allocated(event));
}

/// Calls the watcher for memory that the program is about to free.
pub fn is_freed(event: &Event) {
    registry::watcher().into_iter().for_each(|watcher| watcher.is_freed(event));
}

/// The identity of a new allocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// The address, or 0.
    pub addr: usize,
    /// The handle of memory without an address.
    pub handle: u64,
    /// The page size in bytes; 0 if it is unknown.
    pub page_size: usize,
}

/// Runs `work`, which allocates, between the calls of the hooks.
pub(crate) fn around_allocation<T>(
    moment: Moment,
    event: Event,
    work: impl FnOnce() -> Result<T>,
    found: impl FnOnce(&T) -> Found,
) -> Result<T> {
    let called = Called::here();
    called.before(moment, &event)?;
    let done = work();
    let Found { addr, handle, page_size } = done.as_ref().map_or(Found::default(), found);
    called.after(moment, &Event { addr, handle, page_size, failed: done.is_err(), ..event });
    done
}

/// Runs `work`, which frees memory, between the calls of the hooks.
pub(crate) fn around_free<T>(event: Event, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let called = Called::here();
    called.before(Moment::Free, &event)?;
    let done = work();
    called.after(Moment::Free, &Event { failed: done.is_err(), ..event });
    done
}

/// Creates a file that a hook writes to.
pub fn create_file(argument: &str, path: &OsStr) -> Result<OutputFile> {
    OutputFile::create(path.as_ref()).map_err(|why| {
        let path = path.to_string_lossy();
        let is_missing = why.kind() == std::io::ErrorKind::NotFound;
        let advice = if is_missing { "; choose a folder that exists" } else { "" };
        error_with!(Code::InvalidFile, "{argument} \"{path}\" cannot be written: {why}{advice}")
    })
}
