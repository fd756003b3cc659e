//! Files in memory, without a name in any folder.

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstatfs, memfd_create};
use rustix::io::Errno;

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::{named, process_limit, refused, refused_by};

/// Creates a file of `len` zeros, which can be sealed. `name` is shown by tools that list the process's files. An error
/// names the system call that failed.
pub fn create(name: &CStr, len: u64) -> io::Result<Descriptor> {
    // The limit is checked first, because the system would kill the process by SIGXFSZ, without a message.
    if let Some(most) = process_limit(libc::RLIMIT_FSIZE).filter(|most| *most < len) {
        return Err(io::Error::other(format!(
            "ftruncate: the limit for the size of files is {most} bytes, but a memory file needs {len}; raise the \
             limit (ulimit -f)"
        )));
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let kept = Descriptor::new(memfd_create(name, flags).map_err(refused_by("memfd_create"))?)?;
    let file = kept.file()?;
    // A thread that printed while the file had the number of a standard stream has left bytes in it.
    file.set_len(0).and_then(|()| file.set_len(len)).map_err(|error| named("ftruncate", error))?;
    Ok(kept)
}

/// Fixes the length of a file forever.
pub fn seal(file: impl AsFd) -> io::Result<()> {
    fcntl_add_seals(file, SEALS).map_err(refused_by("fcntl(F_ADD_SEALS)"))
}

const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// Whether a file of another process has the seals of [`seal`], and pages that an access always finds. A file that is
/// not in memory has no seals. One of huge pages of a fixed number can lack pages: an access would end the process.
pub fn is_sealed(file: impl AsFd) -> io::Result<bool> {
    /// `HUGETLBFS_MAGIC`, which has no name on all systems.
    const FIXED_PAGES: u32 = 0x9584_58f6;
    // This asks the kernel alone. A query of a file system can wait for another process forever (FUSE).
    let has_seals = match fcntl_get_seals(&file) {
        // The system returns this for files of other kinds.
        Err(Errno::INVAL) => false,
        seals => seals.map_err(refused_by("fcntl(F_GET_SEALS)"))?.contains(SEALS),
    };
    Ok(has_seals && fstatfs(&file).map_err(refused_by("fstatfs"))?.f_type as u32 != FIXED_PAGES)
}

/// Opens the same file another time, because locks belong to an opening.
pub fn reopen(file: impl AsFd) -> io::Result<Descriptor> {
    let path = format!("/proc/thread-self/fd/{}", file.as_fd().as_raw_fd());
    Descriptor::new(File::options().read(true).write(true).open(&path).map_err(|error| named(&path, error))?)
}

/// Sets a lock on a byte, or queries it. Returns the kind of lock that the system reports.
pub fn lock(file: &Descriptor, byte: usize, request: c_int, kind: c_int) -> io::Result<c_int> {
    let mut lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: byte as libc::off_t,
        l_len: 1,
        l_pid: 0,
    };
    let file = file.get()?;
    // SAFETY: an open descriptor, and the argument that these requests want.
    match unsafe { libc::fcntl(file.as_raw_fd(), request, &raw mut lock) } {
        -1 => Err(refused("fcntl(F_OFD_SETLK or F_OFD_GETLK)")),
        _ => Ok(c_int::from(lock.l_type)),
    }
}
