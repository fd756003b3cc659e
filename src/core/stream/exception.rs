//! Reports failed work to programs: the callbacks, and what they may query.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::backend::{FailedLaunch, HostFn};
use crate::base::error::{Result, arguments, param_invalid};

/// A failure, as callbacks query it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The task: the operation's position in its stream, 1 for the first.
    pub task: u32,
    /// The number of the stream.
    pub stream: u32,
    /// The system's id of the thread that enqueued the operation.
    pub thread: u32,
    /// The device.
    pub device: u32,
    /// The error code.
    pub code: u32,
    /// The kernel and its arguments, if a kernel failed and the device reports them.
    pub launch: Option<Arc<FailedLaunch>>,
}

impl Exception {
    /// The value of an unknown field.
    pub const UNKNOWN: u32 = u32::MAX;
}

/// A callback of the program for failures.
#[derive(Clone)]
pub struct ExceptionCallback {
    /// The address of the callback, which identifies it.
    pub address: usize,
    /// Calls the callback with the address of an [`Exception`].
    pub call: Arc<dyn Fn(usize) + Send + Sync>,
}

/// The callback of aclrtSetExceptionInfoCallback.
static SET: Mutex<Option<ExceptionCallback>> = Mutex::new(None);

/// The callbacks of aclrtExceptionInfoCallbackRegister.
static REGISTERED: Mutex<Vec<ExceptionCallback>> = Mutex::new(Vec::new());

/// A function that returns more callbacks for a failure.
type CallbackLookup = fn(&Exception) -> Vec<ExceptionCallback>;

/// The source of the callbacks of the failed work's owner, if it is set.
static SOURCE: OnceLock<CallbackLookup> = OnceLock::new();

/// Sets the source that is called for each failure. The first one stays.
pub(crate) fn set_source(source: CallbackLookup) {
    SOURCE.get_or_init(|| source);
}

/// The exceptions that callbacks run for now: programs have their addresses.
static REPORTED: Mutex<Vec<Arc<Exception>>> = Mutex::new(Vec::new());

/// Implements aclrtSetExceptionInfoCallback: replaces the previous one.
pub fn set(watcher: Option<ExceptionCallback>) {
    // The previous callback is dropped after the lock is released.
    let _before = std::mem::replace(&mut *SET.lock(), watcher);
}

/// Implements aclrtExceptionInfoCallbackRegister: adds the callback once.
pub fn register(watcher: ExceptionCallback) {
    let mut registered = REGISTERED.lock();
    if !registered.iter().any(|other| other.address == watcher.address) {
        registered.push(watcher);
    }
}

/// Implements aclrtExceptionInfoCallbackUnregister: removes the callback, if it is registered.
pub fn unregister(address: usize) {
    REGISTERED.lock().retain(|watcher| watcher.address != address);
}

/// Removes all callbacks at the end of a session: the program may unload their code next.
pub fn forget_all() {
    set(None);
    REGISTERED.lock().clear();
}

/// Returns all callbacks for a failure.
fn watchers_of(exception: &Exception) -> Vec<ExceptionCallback> {
    let mut all: Vec<_> = SET.lock().iter().chain(&*REGISTERED.lock()).cloned().collect();
    all.extend(SOURCE.get().map_or_else(Vec::new, |source| source(exception)));
    all
}

/// Returns a function that calls all callbacks for a failure; `None` if there are none.
pub fn announce(exception: Exception) -> Option<HostFn> {
    let is_awaited = !watchers_of(&exception).is_empty();
    is_awaited.then(|| HostFn::from_closure(move || report(exception)))
}

fn report(exception: Exception) {
    // A callback that was unregistered meanwhile is not called.
    let watchers = watchers_of(&exception);
    let exception = Arc::new(exception);
    REPORTED.lock().push(Arc::clone(&exception));
    watchers.iter().for_each(|watcher| (watcher.call)(Arc::as_ptr(&exception).addr()));
    REPORTED.lock().retain(|other| !Arc::ptr_eq(other, &exception));
}

/// Returns the exception at the address that a callback got. The address is valid only during the callback.
pub fn find(address: usize) -> Result<Arc<Exception>> {
    arguments::not_null("info", address, "it must be the info of an exception callback")?;
    let reported = REPORTED.lock();
    let found = reported.iter().find(|exception| Arc::as_ptr(exception).addr() == address);
    found.cloned().ok_or_else(|| {
        param_invalid!(
            "info {address:#x} is not the info of a running exception callback; read it during the callback, and copy \
             the values that you need"
        )
    })
}

/// Returns the kernel that failed, and its arguments, which stay during the callback.
pub fn find_launch(address: usize) -> Result<Arc<FailedLaunch>> {
    find(address)?.launch.clone().ok_or_else(|| {
        param_invalid!(
            "no failed kernel is known: the failed operation is not a kernel, or the device does not report the kernel \
             (CUDA drivers never report it)"
        )
    })
}
