//! The life of the process: it initializes, uses and finalizes the library, and may begin again.

pub mod atomics;
pub mod context;
pub mod device;
pub mod device_info;
pub mod device_limit;
pub mod info;
pub mod life_callback;
pub mod lifecycle;
pub mod open_device;
pub mod state_callback;
pub mod sys_param;
pub mod thread;
pub mod version;
pub mod visibility;

use std::cell::Cell;
use std::mem::{self, ManuallyDrop};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::algo::host::notice::notice_once;
use crate::algo::host::system_call::keep_loaded;
use crate::algo::map::slot_table::{self, Ref};
use crate::algo::map::typed_slots::Slots;
use crate::algo::sync::published::Published;
use crate::algo::sync::reclaim;
use crate::algo::thread::per_thread::per_thread;
use crate::algo::thread::thread_attributes;
use crate::backend::Driver;
use crate::backend::base::broker::BROKER;
use crate::base::config::file::FileConfig;
use crate::base::config::{self, Environment};
use crate::base::error::{self, Code, Error, Result, error_with};
use crate::base::gate;
use crate::base::leave::wait_until_unshared;
use crate::base::owner::Owner;
use crate::base::teardown_errors::TeardownErrors;
use crate::runtime::device::slot::DeviceSlot;
use crate::runtime::lifecycle::{HostMemory, Lifecycle, lifecycle};
use crate::runtime::state_callback::DeviceState;
use crate::runtime::visibility::Visibility;

/// An open backend with its devices, from the first use to aclFinalize.
pub struct Session {
    /// The backend.
    pub driver: Arc<dyn Driver>,
    /// One slot per device, indexed by device id.
    pub devices: Box<[DeviceSlot]>,
    /// The devices of the backend that the process sees.
    pub visibility: Visibility,
    /// The owner id of pinned memory.
    pub owner: Owner,
    /// State that features keep with the session.
    pub features: Slots,
    /// Longest time that the teardown waits for user code that does not return.
    patience: Duration,
    /// Longest time that a snapshot waits for pending work.
    pub snapshot_timeout: Duration,
}

/// Locked while a session begins or ends.
static LIFE: Mutex<()> = Mutex::new(());
/// Number of aclInit calls without a matching finalize. Changed under [`LIFE`].
static INIT_COUNT: AtomicU64 = AtomicU64::new(0);
/// True while a finalize runs: first callbacks of the program, then the teardown. During the callbacks the library
/// counts as initialized. Changed under [`LIFE`].
static IN_TEARDOWN: AtomicBool = AtomicBool::new(false);
/// The open session. Changed under [`LIFE`].
static SESSION: Published<Session> = Published::new();
/// True after a finalize, until aclInit or aclrtSetDevice.
static FINALIZED: AtomicBool = AtomicBool::new(false);
/// The devices of the latest session, for queries after its end.
static LAST_VISIBILITY: Published<Visibility> = Published::new();
/// `defaultDevice.default_device` of the configuration file; -1: none.
static DEFAULT_DEVICE: AtomicI64 = AtomicI64::new(-1);

/// Implements aclInit. `path`: the configuration file, if the program passed one.
pub fn init(path: Option<&Path>) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let life = LIFE.lock();
    let before = INIT_COUNT.load(Ordering::Relaxed);
    if before > 0 {
        let count = before.saturating_add(1);
        INIT_COUNT.store(count, Ordering::Relaxed);
        return Err(error_with!(
            Code::RepeatInitialize,
            "the runtime is initialized already and keeps its first configuration; the reference count is now {count} \
             (aclFinalizeReference reduces it)"
        ));
    }
    let (config, text) = match path {
        Some(path) => FileConfig::load(path)?,
        None => (FileConfig::default(), c"{}".into()),
    };
    let session = open_session_in(&life)?;
    if let Some(id) = config.default_device {
        let shown = path.unwrap_or(Path::new("")).display();
        device::slot(&session, "defaultDevice.default_device", id)
            .map_err(|error| error_with!(Code::Failure, "configPath \"{shown}\": {}", error.text()))?;
    }
    DEFAULT_DEVICE.store(config.default_device.map_or(-1, i64::from), Ordering::Release);
    error::share_texts(config.shares_texts);
    INIT_COUNT.store(1, Ordering::Relaxed);
    FINALIZED.store(false, Ordering::Release);
    let beginning = life_callback::begin(text);
    // User code runs next, so no reference is held meanwhile.
    drop(session);
    drop(life);
    beginning().inspect_err(|_| {
        // The first failure is returned.
        let _ = finalize();
    })
}

/// Implements aclFinalize: ends the session with any count.
pub fn finalize() -> Result<()> {
    undo_inits(u64::MAX, "aclFinalize").1
}

/// Implements aclFinalizeReference: returns the remaining count, and the result of the teardown at 0.
pub fn finalize_reference() -> (u64, Result<()>) {
    undo_inits(1, "aclFinalizeReference")
}

/// Undoes at most `most` calls of aclInit.
fn undo_inits(most: u64, call: &str) -> (u64, Result<()>) {
    if let Err(error) = thread::refuse_inside_host_function() {
        // The lock is not taken: a finalize may hold it and wait for this callback.
        return (INIT_COUNT.load(Ordering::Relaxed), Err(error));
    }
    let life = LIFE.lock();
    let count = INIT_COUNT.load(Ordering::Relaxed);
    if count == 0 || IN_TEARDOWN.load(Ordering::Relaxed) {
        let why = "there is nothing to finalize: aclInit was not called, or a finalize runs or has run; omit the call";
        return (0, Err(Error::new(Code::RepeatFinalize, why)));
    }
    if count <= most {
        return (0, end(life, call));
    }
    INIT_COUNT.store(count - most, Ordering::Relaxed);
    (count - most, Ok(()))
}

/// Dropped when the thread of a finalize ends inside a callback: the library stays initialized.
struct Undone;

impl Drop for Undone {
    fn drop(&mut self) {
        let _life = LIFE.lock();
        IN_TEARDOWN.store(false, Ordering::Relaxed);
    }
}

/// Ends the session. First it runs callbacks of the program, without a lock and while everything still exists. `call`
/// is the name of the call.
fn end(life: MutexGuard<'_, ()>, call: &str) -> Result<()> {
    IN_TEARDOWN.store(true, Ordering::Relaxed);
    let undone = Undone;
    let callbacks = life_callback::end();
    drop(life);
    let called = callbacks();
    let open = if state_callback::is_watched() { device::open_ids() } else { Vec::new() };
    open.iter().for_each(|id| device::announce_end(*id));
    let steps = lifecycle();
    steps.session_teardown.iter().for_each(|step| step(call));
    let life = LIFE.lock();
    mem::forget(undone);
    INIT_COUNT.store(0, Ordering::Relaxed);
    let mut left_threads = false;
    let ended = end_session(&life, steps, &mut left_threads);
    steps.session_ended.iter().for_each(|step| step());
    IN_TEARDOWN.store(false, Ordering::Relaxed);
    drop(life);
    if left_threads {
        // The threads that are left run this library's code. The lock is not held, because the loader has a lock too.
        keep_loaded();
    }
    state_callback::notify_pending();
    steps.late_callbacks.iter().for_each(|step| step());
    for id in open {
        state_callback::notify_device(id, DeviceState::ResetPost);
    }
    ended.and(called)
}

/// Whether the library is finalized: true between a finalize and the next aclInit or aclrtSetDevice.
pub(crate) fn is_finalized() -> bool {
    FINALIZED.load(Ordering::Acquire)
}

/// Returns the device of threads that set none, if the configuration names one.
pub(crate) fn default_device() -> Option<i32> {
    i32::try_from(DEFAULT_DEVICE.load(Ordering::Acquire)).ok().filter(|id| *id >= 0)
}

/// Returns the session. The first use opens it. After a finalize it fails with 107002. A finalize waits, up to its
/// timeout, for threads that hold the session.
pub(crate) fn session() -> Result<Arc<Session>> {
    ensure!(!is_finalized(), finalized());
    if let Some(session) = existing_session() {
        return Ok(session);
    }
    // The lock waits for a session in teardown: two sessions never exist at once. A finalize may have run meanwhile.
    let life = LIFE.lock();
    ensure!(!is_finalized(), finalized());
    open_session_in(&life)
}

/// Returns the error of a call that needs a session after a finalize.
#[cold]
pub fn finalized() -> Error {
    Error::new(Code::ContextNull, "the runtime was finalized; call aclInit (or aclrtSetDevice) to use it again")
}

/// Returns the session for aclrtSetDevice, which may open a new one after a finalize.
pub(crate) fn session_for_set_device() -> Result<Arc<Session>> {
    if !is_finalized() {
        return session();
    }
    let session = open_session_in(&LIFE.lock())?;
    FINALIZED.store(false, Ordering::Release);
    Ok(session)
}

/// Returns the session if there is one.
pub fn existing_session() -> Option<Arc<Session>> {
    SESSION.get_arc()
}

/// Returns the session for a short time, without a write to memory that other threads read.
#[inline]
pub(crate) fn glance() -> Option<Ref<'static, Session>> {
    SESSION.get()
}

/// Returns the devices of this process. The query works at any time.
pub fn visibility() -> Result<Visibility> {
    match session() {
        Ok(session) => Ok(session.visibility.clone()),
        Err(error) if error.value() == Code::ContextNull.value() => {
            Ok(LAST_VISIBILITY.get().map(|last| last.clone()).unwrap_or_default())
        }
        Err(error) => Err(error),
    }
}

/// Returns the number of devices. The query works at any time. Before the first session it starts no driver, if that
/// is possible, so that the process may fork.
pub fn device_count() -> Result<u32> {
    if existing_session().is_none() && !is_finalized() {
        // A fork waits for the lock, so no child comes from the middle of a count.
        let _life = LIFE.lock();
        if let Some(counted) = lifecycle::driver::count_without_start() {
            return Ok(counted.count());
        }
    }
    Ok(visibility()?.count())
}

/// The locks of a thread that forks: no other thread opens, ends or releases a session.
type ForkLocks = ManuallyDrop<(MutexGuard<'static, ()>, reclaim::Unchanged)>;

per_thread! {
    static FORKING: Cell<Option<ForkLocks>> = Cell::new(None);
}

/// Prepares a fork: waits up to ten seconds until no other thread is opening or ending a session.
pub fn before_fork() {
    let life = if gate::is_bound() { None } else { LIFE.try_lock_for(Duration::from_secs(10)) };
    FORKING.set(life.map(|life| ManuallyDrop::new((life, reclaim::Unchanged::begin()))));
}

/// Ends the preparation, in the parent and in the child. Returns whether it has succeeded.
pub fn after_fork() -> bool {
    FORKING.take().map(ManuallyDrop::into_inner).is_some()
}

/// Forgets the parent's session in a forked child, at its first call. What the program has registered stays.
pub fn start_afresh() {
    reclaim::forget_other_threads();
    let _life = LIFE.lock();
    INIT_COUNT.store(0, Ordering::Relaxed);
    IN_TEARDOWN.store(false, Ordering::Relaxed);
    FINALIZED.store(false, Ordering::Release);
    DEFAULT_DEVICE.store(-1, Ordering::Release);
    life_callback::forget_session();
    mem::forget(SESSION.replace(None));
}

fn open_session_in(_life: &MutexGuard<'_, ()>) -> Result<Arc<Session>> {
    if let Some(session) = existing_session() {
        return Ok(session);
    }
    let steps = lifecycle();
    let environment = heed_environment(steps).inspect_err(config::report_refusal)?;
    let opened = lifecycle::driver::open(&environment);
    let (driver, visibility) = opened.inspect_err(|fault| {
        steps.session_closed.iter().for_each(|step| step());
        if let Some(backend) = environment.backend {
            notice_once(&format!("PORTACL_BACKEND is {}: {}", backend.name.to_string_lossy(), fault.text()));
        } else if environment.schedule.is_some() {
            notice_once(fault.text());
        }
    })?;
    visibility.report_ignored(environment.visible_devices.as_deref());
    let (patience, timeout) = (environment.finalize_timeout, environment.snapshot_timeout);
    let session = Arc::new(Session::new(driver, visibility, patience, timeout));
    SESSION.replace(Some(session.clone()));
    Ok(session)
}

/// Reads the environment and applies it.
fn heed_environment(steps: &Lifecycle) -> Result<Environment> {
    config::names::report_unknown();
    let environment = Environment::read()?;
    thread_attributes::fix(environment.thread_stack);
    steps.session_opening.iter().try_for_each(|step| step(&environment))?;
    Ok(environment)
}

/// Opens a session over a backend of a test.
#[cfg(test)]
pub(crate) fn begin_with(driver: Arc<dyn Driver>, patience: Duration) {
    let _life = LIFE.lock();
    let visibility = Visibility::choose(None, driver.device_count());
    let left = SESSION.replace(Some(Arc::new(Session::new(driver, visibility, patience, patience))));
    assert!(left.is_none(), "the life before has not ended");
    INIT_COUNT.store(1, Ordering::Relaxed);
    FINALIZED.store(false, Ordering::Release);
}

impl Session {
    fn new(driver: Arc<dyn Driver>, visibility: Visibility, patience: Duration, snapshot_timeout: Duration) -> Self {
        let devices = (0..driver.device_count()).map(DeviceSlot::new).collect();
        LAST_VISIBILITY.replace(Some(Arc::new(visibility.clone())));
        let (owner, features) = (Owner::new(), Slots::default());
        Self { driver, devices, visibility, owner, features, patience, snapshot_timeout }
    }
}

/// Minimum time for joining idle threads of the library after user code has used up the timeout.
const MIN_PATIENCE: Duration = Duration::from_millis(200);

/// Ends the session: resets every device, waits for pending work (for user code a bounded time), releases host memory,
/// and joins the library's threads.
fn end_session(_life: &MutexGuard<'_, ()>, steps: &Lifecycle, left_threads: &mut bool) -> Result<()> {
    FINALIZED.store(true, Ordering::Release);
    DEFAULT_DEVICE.store(-1, Ordering::Release);
    thread::set_current(None);
    let Some(mut session) = SESSION.replace(None) else { return Ok(()) };
    BROKER.stop();
    let deadline = Instant::now() + session.patience;
    let mut errors = TeardownErrors::default();
    for slot in &session.devices {
        errors.merge(slot.close(deadline));
    }
    let late = deadline.max(Instant::now() + MIN_PATIENCE);
    let left = (steps.session_left)(late);
    let mut finished = left && !errors.timed_out;
    let alone = wait_until_unshared(&mut session, |_| {
        steps.session_handles.iter().for_each(|step| step());
        slot_table::flush_deferred();
        finished
    });
    // A call that was inside may have shared memory again.
    BROKER.stop();
    let host = HostMemory { driver: session.driver.clone(), owner: session.owner };
    if finished && alone {
        steps.session_memory.iter().for_each(|memory| (memory.free)(&host, &mut errors));
    } else {
        steps.session_memory.iter().for_each(|memory| (memory.abandon)(&host));
    }
    drop(host);
    steps.session_state.iter().for_each(|step| step());
    slot_table::flush_deferred();
    // Idle threads end at once, but need a processor for it.
    let left = deadline.saturating_duration_since(Instant::now());
    let late = deadline.max(Instant::now() + MIN_PATIENCE);
    finished &= (steps.session_threads)(late);
    finished &= alone && session.driver.shutdown(left.max(MIN_PATIENCE));
    steps.session_closed.iter().for_each(|step| step());
    if finished {
        return errors.into_result("everything is finalized");
    }
    let patience = session.patience.as_millis();
    // Threads that were left behind still use the session; for example, pinned memory stays mapped.
    mem::forget(session);
    *left_threads = true;
    Err(error_with!(
        Code::Failure,
        "enqueued work is not complete after {patience} ms (does a kernel, host function or callback not return?); a \
         thread still runs this work, so do not unload the library; PORTACL_FINALIZE_TIMEOUT_MS sets the timeout"
    ))
}
