//! Errors of system calls that contain the name of the call, and the limits of the process.

use std::io;

/// The error of the call that has just failed on this thread.
#[cold]
pub fn refused(call: &str) -> io::Error {
    named(call, io::Error::last_os_error())
}

/// Converts an error of rustix into one that names the call.
pub fn refused_by(call: &str) -> impl Fn(rustix::io::Errno) -> io::Error {
    move |error| named(call, error.into())
}

/// The same error of the same kind, with the name of the call, or of the file, in its text.
#[cold]
pub fn named(call: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{call}: {error}"))
}

/// The process may not make this call, or the kernel does not have it: a retry does not help.
pub fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported)
}

/// A limit of this process (`ulimit`), `RLIM_INFINITY` without one. `None`: the system refused the query. Not
/// rustix's function, which assumes that the query is never refused.
pub fn process_limit(resource: libc::__rlimit_resource_t) -> Option<libc::rlim_t> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: getrlimit writes into `limit`, which has the type it wants.
    let refused = unsafe { libc::getrlimit(resource, &raw mut limit) } != 0;
    (!refused).then_some(limit.rlim_cur)
}

#[cfg(test)]
#[path = "system_call_tests.rs"]
mod tests;
