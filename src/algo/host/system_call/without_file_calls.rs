//! Runs code on a thread to which the kernel refuses the calls that ask a file. Tests of files of other processes use
//! this: a file system in user space (FUSE) can let such a call wait forever.

use std::io;
use std::thread;

use libc::{sock_filter, sock_fprog};

/// The calls that a file system answers. A call that only the kernel answers, such as `fcntl`, may be made.
const ASKING: [libc::c_long; 9] = [
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_fstatfs,
    libc::SYS_lseek,
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_ioctl,
    libc::SYS_openat,
];

/// The error of a refused call. The library's code handles none with this number.
pub const REFUSED: i32 = libc::EDOTDOT;

/// Calls `code` on a thread to which the kernel refuses these calls. Returns `None` if the kernel filters no calls.
pub fn without_file_calls<T: Send>(code: impl FnOnce() -> T + Send) -> Option<T> {
    let filtered = || refuse().is_ok().then(code);
    thread::scope(|scope| scope.spawn(filtered).join()).expect("the code panics")
}

/// Refuses the calls to the calling thread until it ends.
fn refuse() -> io::Result<()> {
    let statement = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    // The number of the call is the first word of what the kernel passes.
    let mut filter = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0)];
    for call in ASKING {
        filter.push(statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, call as u32));
        filter.push(statement(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | REFUSED as u32));
    }
    filter.push(statement(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    let program = sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the kernel reads the program during the call. Both settings are those of this thread.
    let is_refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) != 0
    };
    if is_refused { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
#[path = "without_file_calls_tests.rs"]
mod tests;
