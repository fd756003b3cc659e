//! Telling programs of work that failed: who wants to know, and what they may ask.

use std::sync::Arc;

use parking_lot::Mutex;

use super::error::{Error, Result};
use crate::backend::HostFn;

/// What is known of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The exceptions that somebody is being told of: their addresses are what programs get.
static TOLD: Mutex<Vec<Arc<Exception>>> = Mutex::new(Vec::new());

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
    if watchers.set.is_none() && watchers.registered.is_empty() {
        return None;
    }
    Some(HostFn::from_closure(move || tell(exception)))
}

fn tell(exception: Exception) {
    // Who has been taken out meanwhile is not called any more.
    let watchers: Vec<Watcher> = {
        let watchers = WATCHERS.lock();
        watchers.set.iter().chain(&watchers.registered).cloned().collect()
    };
    let told = Arc::new(exception);
    TOLD.lock().push(Arc::clone(&told));
    for watcher in &watchers {
        (watcher.call)(Arc::as_ptr(&told).addr());
    }
    TOLD.lock().retain(|other| !Arc::ptr_eq(other, &told));
}

/// The exception behind the pointer that a callback got; it is alive during the call only.
pub fn find(address: usize) -> Result<Exception> {
    if address == 0 {
        return Err(Error::invalid_param(
            "info is null; it must be what an exception callback was given",
        ));
    }
    let told = TOLD.lock();
    let found = told.iter().find(|exception| Arc::as_ptr(exception).addr() == address);
    found.map(|exception| **exception).ok_or_else(|| {
        Error::param_invalid(format_args!(
            "info {address:#x} is not what an exception callback was given, or its call is over; copy what \
             you need during the call"
        ))
    })
}
