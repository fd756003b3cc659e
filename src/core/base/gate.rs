//! The gate that every call passes: open, held while the process is locked for a snapshot, watched while the host is
//! short of memory, attended (`Attendant`: each call waits for its turn in a schedule, or is noted for a trace), or
//! closed for good in a forked child whose parent has something that a child cannot have (`Binding`).
//!
//! One number holds the whole state, so that a call through an open gate costs one load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex, RwLock};

use crate::algo::host::host_memory;
use crate::algo::thread::quiet_thread;
use crate::backend::schedule::Schedule;

/// State: no call has been made yet.
const NEW: u8 = 0;
const OPEN: u8 = 1;
/// State: calls wait.
pub const HELD: u8 = 2;
/// State: this process is the forked child of a process with a `Binding`.
pub const CHILD: u8 = 3;
/// State: the system has refused host memory. Calls first check whether there is enough.
pub const SHORT: u8 = 4;
/// State: an attendant sees each call.
const ATTENDED: u8 = 5;
/// State: this process is the forked child of a process without a `Binding`. Its first call starts afresh.
pub const FRESH: u8 = 6;

/// What a process has that its forked children cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Binding {
    /// A device was opened, host memory was allocated for devices, or a thread of the library was started.
    Device = 1,
    /// The driver of a GPU was started.
    Driver = 2,
}

/// The bindings of this process, or of the parent in the state `CHILD`: one bit each.
static BINDINGS: AtomicU8 = AtomicU8::new(0);

static STATE: AtomicU8 = AtomicU8::new(NEW);
/// The state without a snapshot, a shortage or a fork: `OPEN` or `ATTENDED`.
static USUAL: AtomicU8 = AtomicU8::new(OPEN);
/// The attendants: one bit each.
static ATTENDANTS: Mutex<u8> = Mutex::new(0);
static SCHEDULE: RwLock<Option<Arc<Schedule>>> = RwLock::new(None);
static WAITERS: Mutex<()> = Mutex::new(());
static OPENED: Condvar = Condvar::new();

/// What sees each call at the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Attendant {
    /// `PORTACL_SCHEDULE`.
    Schedule = 1,
    /// A trace.
    Trace = 2,
    /// `PORTACL_CHECK_REPORT`.
    Report = 4,
}

/// Whether calls may proceed without a further check.
#[inline]
pub fn is_open() -> bool {
    STATE.load(Ordering::Relaxed) == OPEN
}

/// Opens the gate at the first call of this process. Returns true for that call only.
pub fn open_first() -> bool {
    let opened = STATE.compare_exchange(NEW, OPEN, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if opened {
        // The handler makes calls check for host memory. It allocates nothing.
        host_memory::set_shortage_handler(|| {
            let usual = USUAL.load(Ordering::Relaxed);
            let _ = STATE.compare_exchange(usual, SHORT, Ordering::Relaxed, Ordering::Relaxed);
        });
    }
    opened
}

/// Whether the gate is in this state.
pub fn is(state: u8) -> bool {
    STATE.load(Ordering::SeqCst) == state
}

/// Ends the state `SHORT`: host memory is available again.
pub(crate) fn end_shortage() {
    let usual = USUAL.load(Ordering::Relaxed);
    let _ = STATE.compare_exchange(SHORT, usual, Ordering::Relaxed, Ordering::Relaxed);
}

/// Notes that a call is about to bind the process, which lasts.
pub fn bind(binding: Binding) {
    BINDINGS.fetch_or(binding as u8, Ordering::SeqCst);
}

/// Whether forked children of this process cannot use the library.
pub fn is_bound() -> bool {
    BINDINGS.load(Ordering::SeqCst) != 0 || quiet_thread::has_started_one() || is(HELD)
}

/// Whether the process, or the parent of a `CHILD`, has this binding.
pub fn is_bound_to(binding: Binding) -> bool {
    BINDINGS.load(Ordering::SeqCst) & binding as u8 != 0
}

/// Closes the gate in a forked child, or prepares it for the child's first call. Performs only stores, as such a child
/// may. `is_consistent`: no thread of the parent was opening or ending a session.
pub fn close_in_child(is_consistent: bool) {
    let is_fresh = is_consistent && !is_bound() && !is(CHILD);
    STATE.store(if is_fresh { FRESH } else { CHILD }, Ordering::SeqCst);
}

/// Opens the gate at the first call of a forked child in the state `FRESH`, after `restart`. Other threads wait.
pub fn open_in_child(restart: impl FnOnce()) {
    let _waiters = WAITERS.lock();
    if is(FRESH) {
        restart();
        STATE.store(OPEN, Ordering::SeqCst);
    }
}

/// Sets the schedule: that of the backend that is being opened.
pub(crate) fn set_schedule(schedule: Option<&Arc<Schedule>>) {
    *SCHEDULE.write() = schedule.map(Arc::clone);
    attend(Attendant::Schedule, schedule.is_some());
}

/// Sets whether this one sees the calls that begin from now on.
pub fn attend(attendant: Attendant, is_there: bool) {
    let mut all = ATTENDANTS.lock();
    *all = *all & !(attendant as u8) | if is_there { attendant as u8 } else { 0 };
    let (usual, other) = if *all == 0 { (OPEN, ATTENDED) } else { (ATTENDED, OPEN) };
    USUAL.store(usual, Ordering::Relaxed);
    let _ = STATE.compare_exchange(other, usual, Ordering::Relaxed, Ordering::Relaxed);
}

/// Makes a call wait for its turn, if there is a schedule.
#[cold]
pub fn wait_for_turn(call: &'static str) {
    let current = SCHEDULE.read().as_ref().map(Arc::clone);
    if let Some(schedule) = current {
        schedule.call(call);
    }
}

/// Makes calls wait. The gate is open, because the caller has passed it.
pub fn hold() {
    STATE.store(HELD, Ordering::SeqCst);
}

/// Opens the gate for all waiting calls.
pub fn open() {
    let _waiters = WAITERS.lock();
    STATE.store(USUAL.load(Ordering::Relaxed), Ordering::SeqCst);
    OPENED.notify_all();
}

/// Waits while the gate is held.
pub fn wait() {
    let mut waiters = WAITERS.lock();
    while is(HELD) {
        OPENED.wait(&mut waiters);
    }
}
