//! The registered hooks, and the threads that they are for.
//!
//! One list serves all threads. The fast paths read a counter, which is 0 while the list is empty.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::running::{Running, Stuck};
use super::{MemoryHook, ProfileRow, Watcher, line_profile};
use crate::algo::count::Count;
use crate::backend;
use crate::base::error::{Code, Error, Result, invalid_param, param_invalid};
use crate::runtime::thread;

/// The threads that a hook is for, with the numbers of portaclMemoryHookScope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The thread that registers it.
    Thread = 0,
    /// All threads.
    Process = 1,
}

/// A registered hook.
pub struct RegisteredHook {
    id: u64,
    /// The thread that calls it; `None`: all threads.
    thread: Option<u64>,
    /// Its name in texts.
    pub name: String,
    /// Its callbacks.
    pub hook: Box<dyn MemoryHook>,
    pub(super) running: Arc<Running>,
    refusals: AtomicU64,
    failures: AtomicU64,
    last_failure: Mutex<String>,
}

impl RegisteredHook {
    /// Counts a refusal by the hook.
    pub fn note_refusal(&self) {
        self.refusals.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a failure of the hook at a moment when it cannot refuse.
    pub fn note_failure(&self, text: &str) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        text.clone_into(&mut self.last_failure.lock());
    }
}

/// The properties of a hook, as programs query them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The threads that it is for.
    pub scope: Scope,
    /// Whether the calling thread calls it.
    pub is_called_here: bool,
    /// Number of refusals that it returned.
    pub refusals: u64,
    /// Number of failures after an event.
    pub failures: u64,
    /// The text of the latest failure.
    pub last_failure: String,
}

/// The hooks, in the order of their registration.
static ENTRIES: Mutex<Vec<Arc<RegisteredHook>>> = Mutex::new(Vec::new());
/// The number of hooks, and the bit of the watcher; calls without either read only this.
static COUNT: AtomicUsize = AtomicUsize::new(0);
const WATCHED: usize = 1 << (usize::BITS - 1);
static WATCHER: OnceLock<&'static dyn Watcher> = OnceLock::new();

/// Returns the number of the calling thread; unlike the system's id it is never reused.
pub(super) fn this_thread() -> u64 {
    thread::number() as u64
}

/// Whether any thread has hooks, or there is a watcher.
#[inline]
pub fn exist() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

/// Whether any thread has hooks.
pub(crate) fn are_registered() -> bool {
    COUNT.load(Ordering::Relaxed) & !WATCHED != 0
}

/// Registers the watcher, with which the library itself sees all memory from now on.
pub fn watch(watcher: &'static dyn Watcher) {
    if WATCHER.set(watcher).is_ok() {
        COUNT.fetch_or(WATCHED, Ordering::Release);
    }
}

/// Returns the watcher, if there is one.
pub(super) fn watcher() -> Option<&'static dyn Watcher> {
    let is_watched = COUNT.load(Ordering::Acquire) & WATCHED != 0;
    is_watched.then(|| WATCHER.get().copied()).flatten()
}

/// Returns the hooks that this thread calls.
pub(super) fn of_this_thread() -> Vec<Arc<RegisteredHook>> {
    let thread = this_thread();
    let entries = ENTRIES.lock();
    entries.iter().filter(|entry| entry.thread.is_none_or(|own| own == thread)).cloned().collect()
}

/// Registers a hook, and returns its number. Names are unique among the hooks that one thread calls.
pub fn register(name: &str, scope: Scope, hook: Box<dyn MemoryHook>) -> Result<u64> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    ensure!(!name.is_empty(), invalid_param!("name is empty; pass the name of the hook"));
    let thread = (scope == Scope::Thread).then(this_thread);
    let mut entries = ENTRIES.lock();
    let together = |other: &RegisteredHook| thread.is_none() || other.thread.is_none() || other.thread == thread;
    if let Some(other) = entries.iter().find(|other| other.name == name && together(other)) {
        return Err(param_invalid!(
            "a hook named \"{name}\" is registered already, with id {}; unregister it first, or choose another name",
            other.id
        ));
    }
    if thread.is_some() && !backend::at_end_of_thread(forget_thread) {
        return Err(Error::new(
            Code::BadAlloc,
            "a hook for one thread needs a pthread key and memory for the key's value, and the system refused one of \
             the two; register the hook with PORTACL_MEMORY_HOOK_PROCESS",
        ));
    }
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    entries.push(Arc::new(RegisteredHook {
        id,
        thread,
        name: name.to_owned(),
        hook,
        running: Arc::default(),
        refusals: AtomicU64::new(0),
        failures: AtomicU64::new(0),
        last_failure: Mutex::default(),
    }));
    COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(id)
}

/// Unregisters a hook. When this returns, the hook is no longer called, except by calls in progress further up on this
/// thread. If a wait for its callbacks could last forever, it is no longer called either, but stays listed until
/// another call has waited for them.
pub fn unregister(id: u64) -> Result<()> {
    let is_this = |entry: &Arc<RegisteredHook>| entry.id == id;
    let entry = ENTRIES.lock().iter().find(|entry| is_this(entry)).cloned();
    let entry = entry.ok_or_else(|| unknown(id))?;
    entry.running.end_and_wait(this_thread()).map_err(|stuck| still_running(&entry, &stuck))?;
    let removed = ENTRIES.lock().extract_if(.., |entry| is_this(entry)).next();
    // Another thread may have unregistered the hook meanwhile.
    removed.ok_or_else(|| unknown(id))?;
    COUNT.fetch_sub(1, Ordering::Relaxed);
    Ok(())
}

#[cold]
fn still_running(entry: &RegisteredHook, stuck: &Stuck) -> Error {
    let why = match stuck {
        Stuck::Circle => "waits for the callback that makes this call".to_owned(),
        Stuck::HostFunction => {
            "did not leave it within 2 s (the hook may wait for the stream whose host function makes this call)"
                .to_owned()
        }
        Stuck::Reports(count, process) => format!(
            "did not leave it within 2 s (the hook may wait for {}, which only this thread can run: call {process} \
             first)",
            Count(*count, "callback")
        ),
    };
    param_invalid!(
        "another thread is inside the memory hook \"{}\" and {why}; the hook is no longer called, but stays listed: \
         unregister it again, outside of callbacks, before you release the data that it uses",
        entry.name
    )
}

/// Unregisters the hooks of a thread that ends.
fn forget_thread() {
    let thread = Some(this_thread());
    let ended: Vec<_> = {
        let mut entries = ENTRIES.lock();
        entries.extract_if(.., |entry| entry.thread == thread).collect()
    };
    for entry in ended {
        COUNT.fetch_sub(1, Ordering::Relaxed);
        // No other thread calls the hook.
        entry.running.end();
    }
}

/// Returns the profile of a hook, if it collects one.
pub fn profile(id: u64) -> Result<Option<Vec<ProfileRow>>> {
    let entry = ENTRIES.lock().iter().find(|entry| entry.id == id).cloned();
    entry.map(|entry| entry.hook.profile()).ok_or_else(|| unknown(id))
}

/// Returns the profile of a hook as a text, if it collects one.
pub fn report(id: u64) -> Result<Option<String>> {
    Ok(profile(id)?.as_deref().map(line_profile::report))
}

fn unknown(id: u64) -> Error {
    param_invalid!(
        "id {id} is not a registered hook: it never was, it was unregistered, or it was for one thread, which has \
         ended; pass an id that portaclMemoryHookList lists"
    )
}

/// Returns all hooks, in the order of their registration.
pub fn list() -> Vec<Info> {
    let thread = this_thread();
    let info = |entry: &Arc<RegisteredHook>| Info {
        id: entry.id,
        name: entry.name.clone(),
        scope: if entry.thread.is_some() { Scope::Thread } else { Scope::Process },
        is_called_here: entry.thread.is_none_or(|own| own == thread),
        refusals: entry.refusals.load(Ordering::Relaxed),
        failures: entry.failures.load(Ordering::Relaxed),
        last_failure: entry.last_failure.lock().clone(),
    };
    ENTRIES.lock().iter().map(info).collect()
}
