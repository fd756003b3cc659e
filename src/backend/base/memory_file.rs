//! Files in memory, without a name in any folder.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::FromRawFd;

use crate::algo::host::system_call::{named, refused};

/// A new file of `len` zeros, which can be sealed. `name` is for people who look at the process. An error
/// names the call that the system refuses.
pub(in crate::backend) fn create(name: &CStr, len: u64) -> io::Result<File> {
    // Asked first: the system would end the process by SIGXFSZ, without a word.
    if let Some(most) = most_bytes().filter(|most| *most < len) {
        return Err(io::Error::other(format!(
            "ftruncate: files of this process may have {most} bytes, and one in memory would need {len}; raise the \
             limit (ulimit -f)"
        )));
    }
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a terminated string; the call has no other requirement.
    let number = unsafe { libc::memfd_create(name.as_ptr(), flags) };
    if number < 0 {
        return Err(refused("memfd_create"));
    }
    // SAFETY: a new descriptor, which is nobody else's.
    let file = unsafe { File::from_raw_fd(number) };
    file.set_len(len).map_err(|error| named("ftruncate", error))?;
    Ok(file)
}

/// How long files of this process may be; `None`: as long as they like.
fn most_bytes() -> Option<u64> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: room for the answer, which is read only if the call has filled it.
    let limit = unsafe {
        (libc::getrlimit(libc::RLIMIT_FSIZE, limit.as_mut_ptr()) == 0)
            .then(|| limit.assume_init())?
    };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}
