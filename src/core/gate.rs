//! The gate that every call passes: open, held while the process is locked for a snapshot, or closed for
//! good in a forked child.
//!
//! One number says all of it, so that a call that comes through an open gate pays one look.

use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex};

/// No call has come yet.
const NEW: u8 = 0;
const OPEN: u8 = 1;
const HELD: u8 = 2;
const CHILD: u8 = 3;

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
    STATE.compare_exchange(NEW, OPEN, Ordering::Relaxed, Ordering::Relaxed).is_ok()
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
