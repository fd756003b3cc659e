//! Hooks: functions of the program that are told of allocations, and asked whether they may be.
//!
//! Three things are hooked, each before and after: memory is taken from the device or the system
//! (*alloc*), handed to the program (*malloc*), given back by it (*free*). An *alloc* happens inside
//! a *malloc*, unless memory that was kept serves the request. No lock is held and no device while a
//! hook runs, so that it may call this library; a hook is not called about what it does itself.

mod debug_print;
mod json;
mod limit;
mod line_profile;
mod logging;
mod ready;
mod registry;
mod running;

use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;

pub use self::debug_print::DebugPrint;
pub use self::json::to_json;
pub use self::limit::Limit;
pub use self::line_profile::LineProfile;
pub use self::logging::Logging;
pub use self::ready::{register_ready, write_profile};
pub use self::registry::{Entry, Info, Scope, list, profile, register, report, unregister};
use crate::algo::host::output_file::OutputFile;
use crate::algo::thread::per_thread::{ThreadList, per_thread};
use crate::backend::thread_number;
use crate::core::base::call_site::Frame;
use crate::core::base::callback;
use crate::core::base::error::{Code, Error, Result};
use crate::core::memory::allocation::backing::{PoolUse, backing};
use crate::core::memory::allocation::{Allocation, Kind};

/// The device of host memory.
pub const HOST: i32 = -1;

/// What is about to happen, or has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Memory is taken from the device, or from the system.
    Alloc,
    /// Memory is handed to the program.
    Malloc,
    /// Memory is given back by the program.
    Free,
}

impl Moment {
    /// Its name for programs and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::Malloc => "malloc",
            Self::Free => "free",
        }
    }
}

/// Which memory it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Memory of a device, from aclrtMalloc and its relatives.
    Device,
    /// Page-locked host memory.
    Pinned,
    /// Memory that the host and all devices use.
    Managed,
    /// Memory of a stream-ordered pool.
    Pool,
    /// Memory that another process has exported.
    Imported,
    /// Memory of graphs, from captured requests.
    Graph,
}

impl MemoryKind {
    /// Its name for programs and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Pinned => "pinned",
            Self::Managed => "managed",
            Self::Pool => "pool",
            Self::Imported => "imported",
            Self::Graph => "graph",
        }
    }

    /// Of an allocation, and its device, -1 for host memory. Registrations of the caller's memory are
    /// none, and what is mapped counts without its address.
    pub fn of(found: &Allocation) -> Option<(Self, i32)> {
        let (kind, device) = match found.kind {
            Kind::Device(id) => (Self::Device, id as i32),
            Kind::Managed(id) => (Self::Managed, id as i32),
            Kind::Imported(id) => (Self::Imported, id as i32),
            Kind::Pinned => (Self::Pinned, HOST),
            Kind::Pool(id) => (Self::Pool, id as i32),
            Kind::HostPool(_) => (Self::Pool, HOST),
            // A word in a graph is the library's.
            Kind::Registered { .. } | Kind::Mapped(_) | Kind::HostMapped(_) | Kind::Graph(_) => {
                return None;
            }
        };
        match found.pool().and_then(|_| backing().pool_use(found)) {
            Some(PoolUse::Imported) => Some((Self::Imported, device)),
            Some(PoolUse::Graphs) => Some((Self::Graph, device)),
            Some(PoolUse::Program) | None => Some((kind, device)),
        }
    }
}

/// One allocation or release, as hooks see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which device it is for; -1 for host memory.
    pub device: i32,
    /// Which memory.
    pub kind: MemoryKind,
    /// Bytes that the program asked for; 0 where it names an address instead.
    pub size: usize,
    /// Bytes that it gets.
    pub rounded: usize,
    /// The address; 0 before it is known, after a failure, and of memory without one.
    pub addr: usize,
    /// Of memory without an address what names it, as `addr` names all else.
    pub handle: u64,
    /// The handle of the stream in whose order it happens, 0 where it is none.
    pub stream: u64,
    /// Bytes of a page of it; 0 where that is not known (yet).
    pub page_size: usize,
    /// Afterwards: it has not happened, because it failed or another hook refused it.
    pub failed: bool,
}

impl Event {
    /// A request for memory, or the release of some, before more is known of it.
    pub fn of_request(device: i32, kind: MemoryKind, size: usize, rounded: usize) -> Self {
        let (addr, handle, stream) = (0, 0, 0);
        Self { device, kind, size, rounded, addr, handle, stream, page_size: 0, failed: false }
    }

    /// What tells live allocations apart: 0 as long as there is none.
    pub fn memory_id(&self) -> u64 {
        if self.addr == 0 { self.handle } else { self.addr as u64 }
    }
}

/// Why a hook wants no allocation or release: the code that the call is to return, not 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Any number but 0.
    pub code: i32,
    /// Why, for a person; may be empty.
    pub text: String,
}

/// What came from one place of a program.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Bytes that were handed out.
    pub used: u64,
    /// How often.
    pub mallocs: u64,
    /// Bytes that were taken from the device or the system for that.
    pub acquired: u64,
    /// How often.
    pub allocs: u64,
}

/// A function of a program in a profile of its memory, with all that it called.
#[derive(Clone, Debug)]
pub struct ProfileRow {
    /// How many functions called each other above it.
    pub depth: usize,
    /// The function; `None`: the root, which stands for the program.
    pub frame: Option<Frame>,
    /// What came from there.
    pub tally: Tally,
}

/// Who is told and asked.
pub trait MemoryHook: Send + Sync {
    /// Something is about to happen, unless this refuses it.
    fn before(&self, _moment: Moment, _event: &Event) -> std::result::Result<(), Refusal> {
        Ok(())
    }

    /// It has happened, or has failed, or a hook that was asked later has refused it.
    fn after(&self, _moment: Moment, _event: &Event) {}

    /// Which places of the program use memory, if it is for finding out that: a tree, where each
    /// function comes before those it called.
    fn profile(&self) -> Option<Vec<ProfileRow>> {
        None
    }

    /// What it has found out, for people, if it is for finding out something.
    fn report(&self) -> Option<String> {
        None
    }
}

/// A hook while one of its callbacks runs.
struct Running {
    entry: Arc<Entry>,
    /// What the callback says of its refusal.
    reason: String,
}

per_thread! {
    /// The hooks that this thread is running, the innermost last.
    static RUNNING: ThreadList<Running> = ThreadList::new();
}

/// Whether there are any, for whichever thread.
#[inline]
pub fn exist() -> bool {
    registry::exist()
}

/// Whether this thread is inside a hook.
pub fn is_running_here() -> bool {
    RUNNING.with(|running| running.with(|all| !all.is_empty()))
}

/// What the callback that refuses on this thread, right now, says of it.
pub fn set_reason(text: &str) {
    RUNNING.with(|running| running.with_last(|hook| text.clone_into(&mut hook.reason)));
}

/// The hook that this thread is running has failed where it can refuse nothing.
pub fn note_failure(text: &str) {
    RUNNING.with(|running| running.with_last(|hook| hook.entry.note_failure(text)));
}

/// The reason that the running callback has given since the last call.
pub fn take_reason() -> String {
    let reason = RUNNING.with(|running| running.with_last(|hook| std::mem::take(&mut hook.reason)));
    reason.unwrap_or_default()
}

/// Runs a callback of an entry: it counts as running here, so that it is not called about itself.
fn run<T>(entry: &Arc<Entry>, call: impl FnOnce(&dyn MemoryHook) -> T) -> Option<T> {
    struct Ends<'a>(&'a Entry);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            RUNNING.with(ThreadList::pop);
            self.0.leave();
        }
    }
    if !entry.enter() {
        return None;
    }
    RUNNING.with(|all| all.push(Running { entry: Arc::clone(entry), reason: String::new() }));
    let _ends = Ends(entry);
    Some(callback::run("memory hook", || call(&*entry.hook)))
}

/// The hooks of one allocation or release, in the order of their registration.
struct Called(Vec<Arc<Entry>>);

impl Called {
    fn here() -> Self {
        let mut entries = registry::of_this_thread();
        RUNNING.with(|running| {
            running.with(|all| {
                entries.retain(|entry| all.iter().all(|hook| !Arc::ptr_eq(entry, &hook.entry)));
            });
        });
        Self(entries)
    }

    /// Asks all of them. Those that agreed before another one refuses are told that nothing happens.
    fn before(&self, moment: Moment, event: &Event) -> Result<()> {
        for (index, entry) in self.0.iter().enumerate() {
            if let Some(Err(refusal)) = run(entry, |hook| hook.before(moment, event)) {
                entry.note_refusal();
                notify(&self.0[..index], moment, &Event { failed: true, ..*event });
                return Err(refused(entry, moment, event, &refusal));
            }
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        notify(&self.0, moment, event);
    }
}

fn notify(entries: &[Arc<Entry>], moment: Moment, event: &Event) {
    for entry in entries {
        run(entry, |hook| hook.after(moment, event));
    }
}

#[cold]
fn refused(entry: &Entry, moment: Moment, event: &Event, refusal: &Refusal) -> Error {
    struct Why<'a>(&'a str);
    impl fmt::Display for Why<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
        }
    }
    let (what, kind, device) = (moment.name(), event.kind.name(), event.device);
    Error::with_value(
        refusal.code,
        format_args!(
            "the memory hook \"{}\" refuses the {what} of {} bytes ({kind} memory, device {device}){}",
            entry.name,
            event.rounded,
            Why(&refusal.text)
        ),
    )
}

/// What names an allocation once it is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Its address, or 0.
    pub addr: usize,
    /// What names it where it has no address.
    pub handle: u64,
    /// Bytes of a page of it; 0 where that is not known.
    pub page_size: usize,
}

/// Does `work`, which makes an allocation, between the hooks.
pub fn around_allocation<T>(
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

/// Memory that this describes is there and nobody has it yet: asks the hooks, and tells them that the
/// program has it.
pub fn around_import(event: &Event) -> Result<()> {
    let called = Called::here();
    called.before(Moment::Malloc, &Event { addr: 0, handle: 0, page_size: 0, ..*event })?;
    called.after(Moment::Malloc, event);
    Ok(())
}

/// Does `work`, which gives memory back, between the hooks.
pub fn around_free<T>(event: Event, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let called = Called::here();
    called.before(Moment::Free, &event)?;
    let done = work();
    called.after(Moment::Free, &Event { failed: done.is_err(), ..event });
    done
}

/// A new file for a hook to write to.
pub fn create_file(argument: &str, path: &OsStr) -> Result<OutputFile> {
    OutputFile::create(path.as_ref()).map_err(|why| {
        let path = path.to_string_lossy();
        let advice = match why.kind() {
            std::io::ErrorKind::NotFound => "; choose a folder that exists",
            _ => "",
        };
        Error::new(
            Code::InvalidFile,
            format_args!("{argument} \"{path}\" cannot be written: {why}{advice}"),
        )
    })
}

/// The number by which programs know the calling thread.
pub fn thread() -> u32 {
    thread_number()
}
