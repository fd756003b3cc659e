//! The gate that every call passes: open, held while the process is locked for a snapshot, watched while the host is
//! short of memory, scheduled (`PORTACL_SCHEDULE`: each call waits for its turn), or closed for good in a forked child.
//!
//! One number holds the whole state, so that a call through an open gate costs one load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex, RwLock};

use crate::algo::host::host_memory;
use crate::backend::cpu::Schedule;

/// No call has been made yet.
const NEW: u8 = 0;
const OPEN: u8 = 1;
/// Calls wait.
pub const HELD: u8 = 2;
/// This is a child that was forked after the first call.
pub const CHILD: u8 = 3;
/// The system has refused host memory: calls check first whether there is enough.
pub const SHORT: u8 = 4;
/// Calls wait for their turn in a schedule.
const SCHEDULED: u8 = 5;

static STATE: AtomicU8 = AtomicU8::new(NEW);
/// What the gate is when nothing else is the matter: `OPEN` or `SCHEDULED`.
static USUAL: AtomicU8 = AtomicU8::new(OPEN);
static SCHEDULE: RwLock<Option<Arc<Schedule>>> = RwLock::new(None);
static WAITERS: Mutex<()> = Mutex::new(());
static OPENED: Condvar = Condvar::new();

/// Whether calls may proceed without a further check.
#[inline]
pub fn is_open() -> bool {
    STATE.load(Ordering::Relaxed) == OPEN
}

/// True for the first call of this process, which opens the gate.
pub fn open_first() -> bool {
    let opened = STATE.compare_exchange(NEW, OPEN, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if opened {
        // Makes calls check for host memory. Allocates nothing.
        host_memory::set_shortage_handler(|| {
            let _ = STATE.compare_exchange(OPEN, SHORT, Ordering::Relaxed, Ordering::Relaxed);
        });
    }
    opened
}

/// Whether it is in this state.
pub fn is(state: u8) -> bool {
    STATE.load(Ordering::SeqCst) == state
}

/// Host memory is available again.
pub fn end_shortage() {
    let _ = STATE.compare_exchange(SHORT, OPEN, Ordering::Relaxed, Ordering::Relaxed);
}

/// Closes the gate in a forked child. Only stores, as such a child may do.
pub fn close_in_child() {
    STATE.store(CHILD, Ordering::Relaxed);
}

/// The schedule of the backend that is being opened, from now on.
pub fn set_schedule(schedule: Option<&Arc<Schedule>>) {
    *SCHEDULE.write() = schedule.map(Arc::clone);
    let (usual, other) = if schedule.is_some() { (SCHEDULED, OPEN) } else { (OPEN, SCHEDULED) };
    USUAL.store(usual, Ordering::Relaxed);
    let _ = STATE.compare_exchange(other, usual, Ordering::Relaxed, Ordering::Relaxed);
}

/// A call begins: it waits for its turn, if there is a schedule.
#[cold]
pub fn wait_for_turn(call: &'static str) {
    let current = SCHEDULE.read().as_ref().map(Arc::clone);
    if let Some(schedule) = current {
        schedule.call(call);
    }
}

/// Makes calls wait. The gate is open, because the caller passed it.
pub fn hold() {
    STATE.store(HELD, Ordering::SeqCst);
}

/// Opens the gate for all waiting calls.
pub fn open() {
    let _waiters = WAITERS.lock();
    STATE.store(USUAL.load(Ordering::Relaxed), Ordering::SeqCst);
    OPENED.notify_all();
}

/// Waits until it is open.
pub fn wait() {
    let mut waiters = WAITERS.lock();
    while is(HELD) {
        OPENED.wait(&mut waiters);
    }
}
