//! Returns errors of system calls that contain the name of the call, limits of the process, and keeps this library
//! loaded.

#[cfg(any(test, debug_assertions))]
pub mod without_file_calls;

use std::ffi::c_void;
use std::io;
use std::mem::MaybeUninit;

/// Returns the error of the call that has just failed on this thread.
#[cold]
pub fn refused(call: &str) -> io::Error {
    named(call, io::Error::last_os_error())
}

/// Converts an error of rustix into one that names the call.
pub fn refused_by(call: &str) -> impl Fn(rustix::io::Errno) -> io::Error {
    move |error| named(call, error.into())
}

/// Returns an error of the same kind, with the name of the call, or of the file, in its text.
#[cold]
pub fn named(call: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{call}: {error}"))
}

/// Whether the process may not make this call, or the kernel does not have it: a retry does not help.
pub fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported)
}

/// Returns a limit of this process (`ulimit`), or `RLIM_INFINITY` without one. Returns `None` if the system refused the
/// query. Rustix's function assumes that the query is never refused, so this does not use it.
pub fn process_limit(resource: libc::__rlimit_resource_t) -> Option<libc::rlim_t> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: getrlimit writes into `limit`, which has the type it wants.
    let refused = unsafe { libc::getrlimit(resource, &raw mut limit) } != 0;
    (!refused).then_some(limit.rlim_cur)
}

/// Keeps this library loaded until the process ends, because its code may still be called, or runs.
pub fn keep_loaded() {
    let here: fn() = keep_loaded;
    // SAFETY: dladdr fills `found` if it succeeds, and dlopen raises the count of an object that is
    // loaded already.
    unsafe {
        let mut found = MaybeUninit::<libc::Dl_info>::zeroed().assume_init();
        if libc::dladdr(here as *const c_void, &raw mut found) != 0 && !found.dli_fname.is_null() {
            libc::dlopen(found.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}

#[cfg(test)]
#[path = "system_call_tests.rs"]
mod tests;
