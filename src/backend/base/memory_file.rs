//! Files in memory, without a name in any folder.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};
use rustix::io::Errno;

use crate::algo::host::system_call::{named, refused_by};

/// A new file of `len` zeros, which can be sealed. `name` is shown by tools that list the process's files. An error
/// names the system call that failed.
pub(in crate::backend) fn create(name: &CStr, len: u64) -> io::Result<File> {
    // Checked first: the system would kill the process by SIGXFSZ, without a message.
    if let Some(most) = most_bytes().filter(|most| *most < len) {
        return Err(io::Error::other(format!(
            "ftruncate: files of this process may have {most} bytes, and one in memory would need {len}; raise the \
             limit (ulimit -f)"
        )));
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = File::from(memfd_create(name, flags).map_err(refused_by("memfd_create"))?);
    file.set_len(len).map_err(|error| named("ftruncate", error))?;
    Ok(file)
}

/// Fixes the length of a file forever.
pub(in crate::backend) fn seal(file: impl AsFd) -> io::Result<()> {
    fcntl_add_seals(file, SEALS).map_err(refused_by("fcntl(F_ADD_SEALS)"))
}

const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// Whether a file of another process has the seals of [`seal`]. A file that is not in memory has none.
pub(in crate::backend) fn is_sealed(file: impl AsFd) -> io::Result<bool> {
    match fcntl_get_seals(file) {
        // The system's result for files of other kinds.
        Err(Errno::INVAL) => Ok(false),
        seals => Ok(seals.map_err(refused_by("fcntl(F_GET_SEALS)"))?.contains(SEALS)),
    }
}

/// The longest file of this process; `None`: no limit.
fn most_bytes() -> Option<u64> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: room for the answer, which is read only if the call has filled it.
    let limit = unsafe { (libc::getrlimit(libc::RLIMIT_FSIZE, limit.as_mut_ptr()) == 0).then(|| limit.assume_init())? };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}
