//! Functions that run when a program ends without aclFinalize.

use std::panic::catch_unwind;
use std::sync::Once;

use parking_lot::Mutex;

static FUNCTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Registers a function that is called when the process ends normally, after the program's functions, or when the
/// library is unloaded. A second call does nothing. Threads that were stopped may hold any lock then: the function must
/// not wait for one.
pub fn at_exit(function: fn()) {
    extern "C" fn run() {
        run_all(&FUNCTIONS);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a function without arguments that lives as long as the library; the C library calls it before it
        // unloads a shared one. If there is no room for it, it is not called.
        unsafe { libc::atexit(run) };
    });
    add(&FUNCTIONS, function);
}

/// The functions of [`at_unload`].
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

fn run_all(functions: &Mutex<Vec<fn()>>) {
    let functions = functions.try_lock().map(|functions| functions.clone());
    for function in functions.unwrap_or_default() {
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

/// The system calls it after the functions of `atexit` and, because of its section's name, after the program's other
/// functions of that kind.
#[used]
#[unsafe(link_section = ".fini_array.00000")]
static UNLOAD: extern "C" fn() = unload;

extern "C" fn unload() {
    run_all(&LAST);
}
