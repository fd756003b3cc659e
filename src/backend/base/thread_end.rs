//! Functions that run at the end of a thread of the program.

use std::ffi::c_void;
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::backend::at_exit;

static FUNCTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());
static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

/// The process ends: no more functions run for remaining threads.
static PROCESS_ENDS: AtomicBool = AtomicBool::new(false);

/// The system calls destructors of keys in this many rounds, as long as there are values.
const ROUNDS: usize = 4;

/// Has a function called when the calling thread ends, after the destructors of its thread-local objects and, as far
/// as the system allows that, after those of its other keys. The function may also be called at the end of other
/// threads that asked for another function. A thread that ends with the process, as the main thread mostly does, has no
/// end of its own. False: the system has no room for this, and nothing will be called.
pub fn at_end_of_thread(function: fn()) -> bool {
    let Some(key) = *KEY.get_or_init(make_key) else { return false };
    if PROCESS_ENDS.load(Ordering::Acquire) {
        return true;
    }
    {
        let mut functions = FUNCTIONS.lock();
        if !functions.iter().any(|known| std::ptr::fn_addr_eq(*known, function)) {
            functions.push(function);
        }
    }
    set(key, 1)
}

fn make_key() -> Option<libc::pthread_key_t> {
    let mut key = 0;
    // SAFETY: a place for the key; the function lives until the library is unloaded, before which the key is deleted.
    let made = unsafe { libc::pthread_key_create(&mut key, Some(end)) } == 0;
    made.then(|| {
        at_exit(forget_key);
        key
    })
}

/// No thread calls into the library after it is unloaded.
fn forget_key() {
    PROCESS_ENDS.store(true, Ordering::Release);
    if let Some(key) = KEY.get().copied().flatten() {
        // SAFETY: a key of ours.
        unsafe { libc::pthread_key_delete(key) };
    }
}

fn set(key: libc::pthread_key_t, round: usize) -> bool {
    // SAFETY: a key of ours; its values are numbers of rounds, and never looked behind.
    unsafe { libc::pthread_setspecific(key, std::ptr::without_provenance::<c_void>(round)) == 0 }
}

/// Sets its value again until the last round.
extern "C" fn end(round: *mut c_void) {
    let round = round.addr();
    if round < ROUNDS
        && let Some(key) = KEY.get().copied().flatten()
        && set(key, round + 1)
    {
        return;
    }
    let functions = FUNCTIONS.lock().clone();
    for function in functions {
        // A panic must not unwind from here.
        let _ = catch_unwind(function);
    }
}

#[cfg(test)]
#[path = "thread_end_tests.rs"]
mod tests;
