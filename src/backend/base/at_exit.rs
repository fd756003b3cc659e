//! Functions that run when a program ends without aclFinalize, and at the end of a thread of the program.

use std::ffi::c_void;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

use parking_lot::Mutex;

static FUNCTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Registers a function that is called when the process ends normally, after the program's functions, or when the
/// library is unloaded. A second call does nothing. Threads that were stopped may hold any lock then: the function must
/// not wait for one.
pub fn at_exit(function: fn()) {
    extern "C" fn run() {
        run_all(unless_locked(&FUNCTIONS));
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a function without arguments that lives as long as the library; the C library calls it before it
        // unloads a shared one. If there is no room for it, it is not called.
        unsafe { libc::atexit(run) };
    });
    add(&FUNCTIONS, function);
}

/// The functions that [`at_unload`] has registered.
static LAST: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Registers a function that is called when the process has ended normally and the program's static objects are
/// destroyed, or when the library is unloaded: after all functions of [`at_exit`], including the program's. Threads
/// that were stopped may hold any lock. Functions run in the order of their registration; a second call with one does
/// nothing.
pub fn at_unload(function: fn()) {
    add(&LAST, function);
}

fn add(functions: &Mutex<Vec<fn()>>, function: fn()) {
    let mut functions = functions.lock();
    if !functions.iter().any(|known| std::ptr::fn_addr_eq(*known, function)) {
        functions.push(function);
    }
}

fn unless_locked(functions: &Mutex<Vec<fn()>>) -> Vec<fn()> {
    functions.try_lock().map(|functions| functions.clone()).unwrap_or_default()
}

fn run_all(functions: Vec<fn()>) {
    for function in functions {
        // A panic must not unwind from here.
        let _ = catch_unwind(function);
    }
}

/// Ends the process with this status, from a function of [`at_unload`]. What the program has written to its streams is
/// flushed.
pub fn end_process(status: i32) -> ! {
    // SAFETY: null stands for all streams of the C library.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    // SAFETY: nothing runs after this function, whatever state others are in.
    unsafe { libc::_exit(status) }
}

/// The system calls this function after the functions of `atexit` and, because of its section's name, after the
/// program's other functions of that kind.
#[used]
#[unsafe(link_section = ".fini_array.00000")]
static UNLOAD: extern "C" fn() = unload;

extern "C" fn unload() {
    run_all(unless_locked(&LAST));
}

/// The functions that [`at_end_of_thread`] has registered.
static OF_THREADS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());
static KEY: OnceLock<libc::pthread_key_t> = OnceLock::new();

/// True when the process ends: no more functions run for remaining threads.
static PROCESS_ENDS: AtomicBool = AtomicBool::new(false);

/// The number of rounds in which the system calls destructors of keys, as long as there are values.
const ROUNDS: usize = 4;

/// Registers a function that is called when the calling thread ends, after the destructors of its thread-local objects
/// and, as far as the system allows that, after those of its other keys. The function may also be called at the end of
/// threads that registered another function. It is not called for a thread that ends with the process, as the main
/// thread mostly does. Returns false if the system has no room for this now: then nothing will be called.
pub fn at_end_of_thread(function: fn()) -> bool {
    let Some(key) = key() else { return false };
    if PROCESS_ENDS.load(Ordering::Acquire) {
        return true;
    }
    add(&OF_THREADS, function);
    set(key, 1)
}

/// Returns the key. A key that the system refused is requested again, because others may have deleted theirs.
fn key() -> Option<libc::pthread_key_t> {
    /// Held while the key is made, so that there is one.
    static MAKING: Mutex<()> = Mutex::new(());
    if let Some(key) = KEY.get() {
        return Some(*key);
    }
    let _making = MAKING.lock();
    KEY.get().copied().or_else(|| make_key().map(|key| *KEY.get_or_init(|| key)))
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

/// Deletes the key, so that no thread calls into the library after it is unloaded.
fn forget_key() {
    PROCESS_ENDS.store(true, Ordering::Release);
    if let Some(&key) = KEY.get() {
        // SAFETY: a key of ours.
        unsafe { libc::pthread_key_delete(key) };
    }
}

fn set(key: libc::pthread_key_t, round: usize) -> bool {
    // SAFETY: a key of ours; its values are numbers of rounds, and never looked behind.
    unsafe { libc::pthread_setspecific(key, std::ptr::without_provenance::<c_void>(round)) == 0 }
}

/// Sets the key's value again until the last round, which calls the functions.
extern "C" fn end(round: *mut c_void) {
    let round = round.addr();
    if round < ROUNDS
        && let Some(&key) = KEY.get()
        && set(key, round + 1)
    {
        return;
    }
    let functions = OF_THREADS.lock().clone();
    run_all(functions);
}

#[cfg(test)]
#[path = "at_exit_tests.rs"]
mod tests;
