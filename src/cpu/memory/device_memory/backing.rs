//! The backing of a device's memory: a file in memory or, if the system has none, private memory. Private memory cannot
//! be shared or mapped at other addresses, so it excludes guard mode, which maps all memory twice.

use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt;

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::named;
use crate::backend::{Access, Fault, FaultKind, Result};
use crate::base::pages::{self, Mapping, Source};
use crate::base::{bytes, files};
use crate::memory::bounds::sanitizer;

pub(super) enum Backing {
    File(Descriptor),
    /// The reason why there is no file.
    Private(io::Error),
}

/// A range of the memory: the first byte, counted from the beginning, and the end.
pub(super) type FileRange = (u64, u64);

impl Backing {
    /// Creates the backing for `size` bytes, none of them allocated yet.
    pub(super) fn new(size: u64) -> Self {
        files::sealed_file(c"portacl-device", size).map_or_else(Self::Private, Self::File)
    }

    /// Returns the source from which all of the device's memory is mapped for the first time.
    pub(super) fn source(&self) -> io::Result<Source<'_>> {
        Ok(match self {
            Self::File(file) => Source::File(file.get()?, 0),
            Self::Private(_) => Source::Unreserved,
        })
    }

    /// Returns the source from which the memory at an offset, which is mapped at `addr`, is mapped another time.
    pub(super) fn another(&self, addr: usize, offset: u64) -> Source<'_> {
        match self {
            Self::File(file) => Source::Mapped(addr, Some((file, offset))),
            Self::Private(_) => Source::Unreserved,
        }
    }

    /// Maps the memory at an offset, which is mapped at `addr`, at a place that no code uses. From there it can be
    /// mapped again after `addr` was replaced.
    pub(super) fn park(&self, addr: usize, offset: u64, len: usize) -> io::Result<Option<Mapping>> {
        let Self::File(_) = self else { return Ok(None) };
        let parked = Mapping::new(len, self.another(addr, offset), 0)?;
        pages::set_access(parked.addr(), len, Access::None)?;
        Ok(Some(parked))
    }

    /// Returns an error unless the memory is a file, which can be mapped at other addresses.
    pub(super) fn check_file(&self, ordinal: u32) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Private(why) => Err(Fault::unsupported(format!(
                "the system refused a memory file when device {ordinal} was opened ({why}), so memory on the device \
                 cannot be mapped at other addresses or in other processes; allow memfd_create (the seccomp profile of \
                 a container may forbid it; if too many files are open, close some, or raise ulimit -n), and reset the \
                 device"
            ))),
        }
    }

    /// Returns the file, for operations that need its descriptor.
    pub(super) fn file(&self, ordinal: u32) -> Result<BorrowedFd<'_>> {
        self.check_file(ordinal)?;
        self.descriptor().map_err(|error| {
            let text = format!("the memory on device {ordinal} cannot be shared: {error}");
            Fault::new(FaultKind::Driver, text)
        })
    }

    fn descriptor(&self) -> io::Result<BorrowedFd<'_>> {
        match self {
            Self::File(file) => file.get(),
            Self::Private(why) => Err(io::Error::new(why.kind(), why.to_string())),
        }
    }

    /// Releases the pages of a range, which is mapped at `addr`, to the system.
    pub(super) fn discard(&self, addr: usize, (first, end): FileRange) {
        match self {
            Self::File(file) => files::discard(file, first, addr, (end - first) as usize),
            Self::Private(_) => pages::discard(addr, (end - first) as usize),
        }
    }

    /// Returns the first part from `from` on that may not be zeros. `used` lists the parts in use, in order.
    pub(super) fn next_data(&self, from: u64, used: &[FileRange]) -> io::Result<Option<FileRange>> {
        match self {
            Self::File(file) => {
                let file = file.get()?;
                let end = used.last().map_or(0, |(_, end)| *end);
                files::next_data(file, from, end)
            }
            Self::Private(_) => {
                let next = used.iter().find(|(_, end)| *end > from);
                Ok(next.map(|&(first, end)| (first.max(from), end)))
            }
        }
    }

    /// Copies the bytes at an offset, which is mapped at `addr`. Nothing writes there at this time.
    pub(super) fn read(&self, addr: usize, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        match self {
            Self::File(file) => file.file()?.read_exact_at(bytes, offset).map_err(|error| named("pread", error)),
            Self::Private(_) => {
                // Nothing uses the poisoned bytes, which keep the zeros of `bytes`.
                sanitizer::each_usable(addr, bytes.len(), |from, len| {
                    // SAFETY: the device's own memory, which is mapped, and whose users wait.
                    unsafe { bytes::address(from).copy_to(bytes[from - addr..].as_mut_ptr(), len) };
                });
                Ok(())
            }
        }
    }

    /// Writes at an offset, which is mapped at `addr`. Nothing else uses the bytes at this time.
    pub(super) fn write(&self, addr: usize, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File(file) => {
                if let Ok(file) = file.file() {
                    return file.write_all_at(bytes, offset).map_err(|error| named("pwrite", error));
                }
                // The file is lost. The new mapping has access everywhere, unlike the one at `addr`.
                let place = Mapping::new(bytes.len(), self.another(addr, offset), 0)?;
                // SAFETY: the mapping has this length, and no other code knows its address.
                unsafe { bytes::address(place.addr()).copy_from(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
            Self::Private(_) => {
                sanitizer::each_usable(addr, bytes.len(), |to, len| {
                    // SAFETY: the restored block has `len` bytes there, and nothing uses it before
                    // its process is unlocked.
                    unsafe { bytes::address(to).copy_from(bytes[to - addr..].as_ptr(), len) };
                });
                Ok(())
            }
        }
    }
}
