//! The gate that every call passes: open, held while the process is locked for a snapshot, watched while the
//! host is short of memory, or closed for good in a forked child.
//!
//! One number says all of it, so that a call that comes through an open gate pays one look.

use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::algo::host::host_memory;

/// No call has come yet.
const NEW: u8 = 0;
const OPEN: u8 = 1;
const HELD: u8 = 2;
const CHILD: u8 = 3;
/// The system has refused host memory: calls ask first whether there is enough.
const SHORT: u8 = 4;

static STATE: AtomicU8 = AtomicU8::new(NEW);
static WAITERS: Mutex<()> = Mutex::new(());
static OPENED: Condvar = Condvar::new();

/// Whether calls go on without another look.
#[inline]
pub fn is_open() -> bool {
    STATE.load(Ordering::Relaxed) == OPEN
}

/// True for the first call of this process, which opens the gate.
pub fn open_first() -> bool {
    let opened = STATE.compare_exchange(NEW, OPEN, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if opened {
        host_memory::set_shortage_handler(begin_shortage);
    }
    opened
}

/// Calls look closer from here on. Allocates nothing.
fn begin_shortage() {
    let _ = STATE.compare_exchange(OPEN, SHORT, Ordering::Relaxed, Ordering::Relaxed);
}

/// Whether the host is short of memory.
pub fn is_short() -> bool {
    STATE.load(Ordering::Relaxed) == SHORT
}

/// There is host memory again.
pub fn end_shortage() {
    let _ = STATE.compare_exchange(SHORT, OPEN, Ordering::Relaxed, Ordering::Relaxed);
}

/// This is a forked child. Only stores, as such a child may do.
pub fn close_in_child() {
    STATE.store(CHILD, Ordering::Relaxed);
}

/// Whether this is a child that was forked after the first call.
pub fn is_child() -> bool {
    STATE.load(Ordering::Relaxed) == CHILD
}

/// Whether calls wait.
pub fn is_held() -> bool {
    STATE.load(Ordering::SeqCst) == HELD
}

/// Calls wait from here on. It is open, because the caller came through it.
pub fn hold() {
    STATE.store(HELD, Ordering::SeqCst);
}

/// Lets all go on.
pub fn open() {
    let _waiters = WAITERS.lock();
    STATE.store(OPEN, Ordering::SeqCst);
    OPENED.notify_all();
}

/// Waits until it is open.
pub fn wait() {
    let mut waiters = WAITERS.lock();
    while is_held() {
        OPENED.wait(&mut waiters);
    }
}
