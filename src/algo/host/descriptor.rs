//! Descriptors that live longer than a call.
//!
//! A process has one table of descriptors. The program may close numbers that it has not opened (`closefrom(3)` does,
//! and daemons call it), and opens files that get these numbers. A program that was started without standard streams
//! writes its output to descriptors 1 and 2, whatever has these numbers. So the library
//!
//! - moves its descriptors to high numbers, which programs neither get by accident nor assume to be standard streams,
//! - uses and closes a number only after the system has confirmed that it still is the library's opening of that file.
//!
//! Between the confirmation and the use another thread of the program can still close the number. No system call does
//! both in one step.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

use rustix::fs::fstat;
use rustix::io::{Errno, FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};

use super::system_call::{named, refused_by};

/// The lowest number of a descriptor of the library, if the process may have as many.
pub const FLOOR: RawFd = 100;
/// The lowest number in any case: the lower ones are the standard streams.
const LOWEST: RawFd = 3;
/// The mark of the library's openings: the signal for asynchronous input, which is off, and which the default handling
/// ignores. A new opening of the same file has none.
const MARK: libc::c_int = libc::SIGURG;
/// The requests `F_SETSIG` and `F_GETSIG`, which `libc` does not declare for every target.
const SET_SIGNAL: libc::c_int = 10;
const GET_SIGNAL: libc::c_int = 11;

/// A descriptor that lives longer than a call. It is not inherited by programs that this process starts.
#[derive(Debug)]
pub struct Descriptor {
    number: RawFd,
    identity: Identity,
}

/// What distinguishes an opening of a file from others in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    /// The mark, or 0 where the system sets none.
    mark: libc::c_int,
}

impl Identity {
    fn of(descriptor: BorrowedFd<'_>) -> rustix::io::Result<Self> {
        let found = fstat(descriptor)?;
        // SAFETY: this request has no argument, and returns a number or -1.
        let mark = unsafe { libc::fcntl(descriptor.as_raw_fd(), GET_SIGNAL) };
        // If the system refuses the query, device and inode identify the file.
        let mark = if mark < 0 { MARK } else { mark };
        Ok(Self { device: found.st_dev, inode: found.st_ino, mark })
    }
}

impl Descriptor {
    /// Keeps a descriptor that was opened in this call. On failure it is closed.
    pub fn new(opened: impl Into<OwnedFd>) -> io::Result<Self> {
        let raised = raise(opened.into(), FLOOR)?;
        // SAFETY: the request takes a number of a signal. Without the mark, device and inode identify the file.
        unsafe { libc::fcntl(raised.as_raw_fd(), SET_SIGNAL, MARK) };
        let identity = Identity::of(raised.as_fd()).map_err(refused_by("fstat"))?;
        Ok(Self { number: raised.into_raw_fd(), identity })
    }

    /// Returns the number, for texts.
    pub fn number(&self) -> RawFd {
        self.number
    }

    /// Whether the number still belongs to the library. The answer costs two system calls, allocates nothing, and is
    /// safe in a forked child.
    pub fn is_ours(&self) -> bool {
        // SAFETY: the borrowed descriptor is only inspected, and the system checks the number.
        let descriptor = unsafe { BorrowedFd::borrow_raw(self.number) };
        Identity::of(descriptor).is_ok_and(|found| found == self.identity)
    }

    /// Returns the descriptor, or an error if the program has closed it.
    pub fn get(&self) -> io::Result<BorrowedFd<'_>> {
        // SAFETY: the borrowed descriptor is only inspected, and the system checks the number. The caller uses it after
        // it was open an instant ago, and the library closes it only when this value is dropped.
        let descriptor = unsafe { BorrowedFd::borrow_raw(self.number) };
        match Identity::of(descriptor) {
            Ok(found) if found == self.identity => Ok(descriptor),
            Ok(_) | Err(Errno::BADF) => Err(self.lost()),
            // The system refuses the query, which says nothing about the number.
            Err(error) => Err(refused_by("fstat")(error)),
        }
    }

    /// Returns the descriptor as a file, or an error if the program has closed it.
    pub fn file(&self) -> io::Result<BorrowedFile<'_>> {
        let number = self.get()?.as_raw_fd();
        // SAFETY: the number is open. The file is never dropped, so the descriptor is closed once, by this value.
        Ok(BorrowedFile(ManuallyDrop::new(unsafe { File::from_raw_fd(number) }), PhantomData))
    }

    /// Duplicates the descriptor for the program, or for the time of a call.
    pub fn duplicate(&self) -> io::Result<OwnedFd> {
        self.get()?.try_clone_to_owned().map_err(|error| named("dup", error))
    }

    /// Closes the number if it still belongs to the library. Later calls find that it is lost. It is safe in a forked
    /// child.
    pub fn close(&self) {
        if self.is_ours() {
            // SAFETY: the number is the library's, and borrows of it are verified again before each use.
            unsafe { libc::close(self.number) };
        }
    }

    fn lost(&self) -> io::Error {
        io::Error::other(format!(
            "the process has closed descriptor {}, which belongs to this library; close only \
             descriptors of the program (closefrom and close_range also close those of the library), or close \
             descriptors before the first call of this library",
            self.number
        ))
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        self.close();
    }
}

/// A [`Descriptor`] as a file.
pub struct BorrowedFile<'a>(ManuallyDrop<File>, PhantomData<&'a Descriptor>);

impl Deref for BorrowedFile<'_> {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

/// Moves a descriptor that the program gets to a number that is no standard stream.
pub fn above_streams(opened: OwnedFd) -> io::Result<OwnedFd> {
    raise(opened, LOWEST)
}

/// Moves a descriptor to a number from `least` on or, if there is none, from [`LOWEST`] on.
fn raise(opened: OwnedFd, least: RawFd) -> io::Result<OwnedFd> {
    let number = opened.as_raw_fd();
    for least in [least, LOWEST] {
        if number >= least {
            break;
        }
        match fcntl_dupfd_cloexec(&opened, least) {
            Ok(raised) => return Ok(raised),
            // The limit of the process is smaller, or all these numbers are in use.
            Err(Errno::INVAL | Errno::MFILE) => {}
            Err(error) => return Err(refused_by("fcntl(F_DUPFD_CLOEXEC)")(error)),
        }
    }
    if number < LOWEST {
        return Err(io::Error::other(format!(
            "only descriptor {number} is free, which is reserved for a standard stream; close descriptors, or raise \
             their limit (ulimit -n)"
        )));
    }
    fcntl_setfd(&opened, FdFlags::CLOEXEC).map_err(refused_by("fcntl(F_SETFD)"))?;
    Ok(opened)
}

#[cfg(test)]
#[path = "descriptor_tests.rs"]
mod tests;
