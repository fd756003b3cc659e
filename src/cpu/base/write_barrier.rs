//! Holds threads back that write to memory while other pages are mapped in its place.
//!
//! The kernel makes a range read-only (`userfaultfd`). A thread that writes there waits in the kernel until the barrier
//! ends, and then writes to whatever is mapped there. Threads that only read go on. This needs Linux 5.19, or 6.10 on
//! aarch64, and a sandbox may forbid it.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::algo::host::system_call::refused;

/// The version of the interface.
const API: u64 = 0xAA;
/// The requests `UFFDIO_API`, `UFFDIO_REGISTER` and `UFFDIO_WRITEPROTECT`.
const AGREE: libc::c_ulong = 0xC018_AA3F;
const REGISTER: libc::c_ulong = 0xC020_AA00;
const PROTECT: libc::c_ulong = 0xC018_AA06;
/// The features: protection against writes, of files in memory, too.
const FEATURES: u64 = 1 << 12 | 1;
/// The mode of a registration: for protection against writes.
const OF_WRITES: u64 = 2;
/// The flag of a descriptor that holds only the program's code back, and no system calls, which fail instead. It needs
/// no privilege.
const USER_MODE_ONLY: libc::c_int = 1;

/// Ranges that no thread can write. Dropping it resumes the threads that wait.
pub(crate) struct WriteBarrier(OwnedFd);

impl WriteBarrier {
    /// Creates a barrier without ranges.
    pub(crate) fn new() -> io::Result<Self> {
        let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
        let barrier = Self::open(flags).or_else(|_| Self::open(flags | USER_MODE_ONLY))?;
        // The version, the features, and room for the requests that the kernel has.
        barrier.request("ioctl(UFFDIO_API)", AGREE, &mut [API, FEATURES, 0])?;
        Ok(barrier)
    }

    fn open(flags: libc::c_int) -> io::Result<Self> {
        // SAFETY: the call takes a number, and returns a new descriptor or -1.
        let number = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
        ensure!(number >= 0, refused("userfaultfd"));
        // SAFETY: the number is that of a new descriptor, which no other code knows.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(number as libc::c_int) }))
    }

    /// Adds a range of whole pages, in a mapping of a file in memory.
    pub(crate) fn hold(&self, addr: usize, len: usize) -> io::Result<()> {
        let (addr, len) = (addr as u64, len as u64);
        self.request("ioctl(UFFDIO_REGISTER)", REGISTER, &mut [addr, len, OF_WRITES, 0])?;
        self.request("ioctl(UFFDIO_WRITEPROTECT)", PROTECT, &mut [addr, len, 1])
    }

    fn request<const N: usize>(&self, name: &str, request: libc::c_ulong, words: &mut [u64; N]) -> io::Result<()> {
        // SAFETY: the request reads and writes as many words as the array has. It changes no contents of memory.
        let done = unsafe { libc::ioctl(self.0.as_raw_fd(), request, words.as_mut_ptr()) };
        if done == 0 { Ok(()) } else { Err(refused(name)) }
    }
}

#[cfg(test)]
#[path = "write_barrier_tests.rs"]
mod tests;
