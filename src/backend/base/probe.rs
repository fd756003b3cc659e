//! Checks whether this process may read an address, so that a dangling pointer becomes an error instead of a signal.

use std::ptr;

/// Returns false if nothing is mapped at `addr`, or it is not readable. The check costs a system call.
pub fn is_readable(addr: usize) -> bool {
    const NO_SUCH_HOW: libc::c_int = -1;
    const SET_LEN: usize = 8;
    // The kernel reads the set before it rejects the operation. The set begins at a multiple of its length: it lies in
    // the page of `addr`, and not at null.
    let set: *const libc::c_void = ptr::with_exposed_provenance((addr & !(SET_LEN - 1)).max(SET_LEN));
    let old: *mut libc::c_void = ptr::null_mut();
    // SAFETY: the kernel checks the address, and changes nothing with this first argument.
    let answer = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_SUCH_HOW, set, old, SET_LEN) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
