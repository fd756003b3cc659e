//! Functions that run when a program ends without aclFinalize.

use std::panic::catch_unwind;
use std::sync::{Once, OnceLock};

use parking_lot::Mutex;

static FUNCTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Registers a function that is called when the process ends normally, after the program's functions, or when the
/// library is unloaded. A second call does nothing. Threads that were stopped may hold any lock then: the function must
/// not wait for one.
pub fn at_exit(function: fn()) {
    extern "C" fn run() {
        let functions = FUNCTIONS.try_lock().map(|functions| functions.clone());
        for function in functions.unwrap_or_default() {
            // A panic must not unwind from here.
            let _ = catch_unwind(function);
        }
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a function without arguments that lives as long as the library; the C library calls it before it
        // unloads a shared one. If there is no room for it, it is not called.
        unsafe { libc::atexit(run) };
    });
    let mut functions = FUNCTIONS.lock();
    if !functions.iter().any(|known| std::ptr::fn_addr_eq(*known, function)) {
        functions.push(function);
    }
}

/// The function of [`at_unload`].
static LAST: OnceLock<fn()> = OnceLock::new();

/// Registers a function that is called when the process has ended normally and the program's static objects are
/// destroyed, or when the library is unloaded: after all functions of [`at_exit`], including the program's. Threads
/// that were stopped may hold any lock. There is one such function: a second call does nothing.
pub fn at_unload(function: fn()) {
    // Fails if there is one.
    let _ = LAST.set(function);
}

/// The system calls it after the functions of `atexit` and, because of its section's name, after the program's other
/// functions of that kind.
#[used]
#[unsafe(link_section = ".fini_array.00000")]
static UNLOAD: extern "C" fn() = unload;

extern "C" fn unload() {
    if let Some(function) = LAST.get() {
        // A panic must not unwind from here.
        let _ = catch_unwind(*function);
    }
}
