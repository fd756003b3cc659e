//! Telling programs of work that failed: who wants to know, and what they may ask.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::backend::{FailedLaunch, HostFn};
use crate::core::base::error::{Error, Result};

/// What is known of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The task: the operation's place in its stream, 1 for the first.
    pub task: u32,
    /// The number of the stream.
    pub stream: u32,
    /// The system's number of the thread that queued the operation.
    pub thread: u32,
    /// The device.
    pub device: u32,
    /// The error code.
    pub code: u32,
    /// The kernel and its arguments, if it was one and the device can tell.
    pub launch: Option<FailedLaunch>,
}

impl Exception {
    /// What stands where something is not known.
    pub const UNKNOWN: u32 = u32::MAX;
}

/// A function of the program that is told of failures.
#[derive(Clone)]
pub struct Watcher {
    /// Its address, by which the program means it.
    pub address: usize,
    /// Calls it with the address of an [`Exception`].
    pub call: Arc<dyn Fn(usize) + Send + Sync>,
}

/// Who wants to be told.
struct Watchers {
    /// By aclrtSetExceptionInfoCallback.
    set: Option<Watcher>,
    /// By aclrtExceptionInfoCallbackRegister.
    registered: Vec<Watcher>,
}

static WATCHERS: Mutex<Watchers> = Mutex::new(Watchers { set: None, registered: Vec::new() });

/// Finds more watchers for a failure.
type Source = fn(&Exception) -> Vec<Watcher>;

/// The watchers that the owner of the failed work has, if it has set a source.
static SOURCE: OnceLock<Source> = OnceLock::new();

/// Sets the source that is asked for the watchers of each failure. The first one stays.
pub fn set_source(source: Source) {
    SOURCE.get_or_init(|| source);
}

fn from_source(exception: &Exception) -> Vec<Watcher> {
    SOURCE.get().map_or_else(Vec::new, |source| source(exception))
}

/// The exceptions that somebody is being told of: their addresses are what programs get.
static REPORTED: Mutex<Vec<Arc<Exception>>> = Mutex::new(Vec::new());

/// aclrtSetExceptionInfoCallback: replaces the one set before.
pub fn set(watcher: Option<Watcher>) {
    // Let go of after the lock.
    let _before = std::mem::replace(&mut WATCHERS.lock().set, watcher);
}

/// aclrtExceptionInfoCallbackRegister: adds it, once.
pub fn register(watcher: Watcher) {
    let registered = &mut WATCHERS.lock().registered;
    if !registered.iter().any(|other| other.address == watcher.address) {
        registered.push(watcher);
    }
}

/// aclrtExceptionInfoCallbackUnregister: takes it out, if it is there.
pub fn unregister(address: usize) {
    WATCHERS.lock().registered.retain(|watcher| watcher.address != address);
}

/// At the end of a life: the code behind may be unloaded next.
pub fn forget_all() {
    let mut watchers = WATCHERS.lock();
    watchers.set = None;
    watchers.registered.clear();
}

/// What tells everybody of a failure; `None` if nobody wants to know.
pub fn announce(exception: Exception) -> Option<HostFn> {
    let watchers = WATCHERS.lock();
    let nobody = watchers.set.is_none() && watchers.registered.is_empty();
    drop(watchers);
    if nobody && from_source(&exception).is_empty() {
        return None;
    }
    Some(HostFn::from_closure(move || report(exception)))
}

fn report(exception: Exception) {
    // Who has been taken out meanwhile is not called any more.
    let mut watchers: Vec<Watcher> = {
        let watchers = WATCHERS.lock();
        watchers.set.iter().chain(&watchers.registered).cloned().collect()
    };
    watchers.extend(from_source(&exception));
    let told = Arc::new(exception);
    REPORTED.lock().push(Arc::clone(&told));
    for watcher in &watchers {
        (watcher.call)(Arc::as_ptr(&told).addr());
    }
    REPORTED.lock().retain(|other| !Arc::ptr_eq(other, &told));
}

/// The exception behind the pointer that a callback got; it is alive during the call only.
pub fn find(address: usize) -> Result<Arc<Exception>> {
    if address == 0 {
        return Err(Error::invalid_param(
            "info is null; it must be what an exception callback was given",
        ));
    }
    let told = REPORTED.lock();
    let found = told.iter().find(|exception| Arc::as_ptr(exception).addr() == address);
    found.cloned().ok_or_else(|| {
        Error::param_invalid(format_args!(
            "info {address:#x} is not what an exception callback was given, or its call is over; copy what \
             you need during the call"
        ))
    })
}

/// The kernel that failed, and its arguments.
pub fn find_launch(address: usize) -> Result<(u64, Arc<Exception>)> {
    let exception = find(address)?;
    match &exception.launch {
        Some(launch) => Ok((launch.function, exception)),
        None => Err(Error::param_invalid(
            "it is not known which kernel has failed: it was another operation, or the device does not tell (a \
             CUDA driver never does)",
        )),
    }
}

impl Exception {
    /// The arguments of the kernel that failed.
    pub fn arguments(&self) -> &[u8] {
        self.launch.as_ref().map_or(&[], |launch| &launch.arguments)
    }
}
