//! Reads environment variables. In a process with raised privileges (set-user-ID, set-group-ID, file capabilities) they
//! come from a user who must not decide what the process writes and loads, so there all of them count as unset.

#[cfg(debug_assertions)]
use std::ffi::CStr;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

use super::notice::notice;

/// Whether the process has privileges that the user who started it lacks. The kernel says so when the program starts.
pub fn has_raised_privileges() -> bool {
    // SAFETY: getauxval reads a table that the kernel made before the program started.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Returns the value of a variable. With raised privileges there is none, and the first variable that is set is
/// reported.
pub fn variable(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name)?;
    if has_raised_privileges() {
        report_ignored();
        return None;
    }
    Some(value)
}

/// Returns the names of all variables; none with raised privileges.
pub fn names() -> Vec<String> {
    if has_raised_privileges() {
        return Vec::new();
    }
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect()
}

/// Returns a variable of tests as the environment's own text. Allocates nothing.
#[cfg(debug_assertions)]
pub fn unallocated(name: &CStr) -> Option<&'static CStr> {
    if has_raised_privileges() {
        return None;
    }
    // SAFETY: two texts that end with zero; programs that change the environment meanwhile are not tests.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: the environment's text, which tests leave alone.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) })
}

/// Writes one line in each process.
fn report_ignored() {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if !REPORTED.swap(true, Ordering::Relaxed) {
        notice(
            "portacl: the program has raised privileges (set-user-ID, set-group-ID or file capabilities), so no \
             environment variable PORTACL_* or ASCEND_* has an effect\n",
        );
    }
}
