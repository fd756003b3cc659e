//! Files in memory, and their pages.

use std::ffi::CStr;
use std::io;
use std::os::fd::BorrowedFd;

use rustix::fs::{FallocateFlags, SeekFrom, fallocate};
use rustix::io::Errno;

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::refused_by;
use crate::backend::base::memory_file;
use crate::base::pages;

/// Creates a file in memory: `len` bytes of holes, of a fixed length. A process that has mapped it can read it without
/// a fault.
pub(crate) fn sealed_file(name: &CStr, len: u64) -> io::Result<Descriptor> {
    let file = memory_file::create(name, len)?;
    memory_file::seal(file.get()?)?;
    Ok(file)
}

/// Returns the next offset with pages (`SeekFrom::Data`), or without (`SeekFrom::Hole`), or `None` if there is none.
/// The call moves the file position, which nothing uses.
fn seek(file: BorrowedFd<'_>, to: SeekFrom) -> io::Result<Option<u64>> {
    match rustix::fs::seek(file, to) {
        Err(Errno::NXIO) => Ok(None),
        found => found.map(Some).map_err(refused_by("lseek")),
    }
}

/// Releases the pages of a range of a memory file, which is mapped at `addr`, to the system, in every mapping of it.
/// The caller owns the range, which is not in use.
pub(crate) fn discard(file: &Descriptor, offset: u64, addr: usize, len: usize) {
    // A call with a descriptor would free a part of the program's file if another thread replaced the descriptor.
    if pages::remove(addr, len).is_ok() {
        return;
    }
    // The program has locked the memory, or the kernel demands a writable mapping.
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    let freed = file.get().and_then(|file| fallocate(file, flags, offset, len as u64).map_err(io::Error::from));
    if freed.is_err() {
        pages::unlock(addr, len);
        // If the kernel fails, the pages stay and are reused.
        let _ = pages::remove(addr, len);
    }
}

/// Returns the first part with pages of a memory file between `from` and `end`: its first byte, and its end.
pub(crate) fn next_data(file: BorrowedFd<'_>, from: u64, end: u64) -> io::Result<Option<(u64, u64)>> {
    let first = seek(file, SeekFrom::Data(from))?.filter(|first| *first < end);
    let Some(first) = first else { return Ok(None) };
    let last = seek(file, SeekFrom::Hole(first))?;
    Ok(Some((first, last.map_or(end, |last| last.min(end)))))
}

/// Returns the number of bytes of memory that a memory file uses.
#[cfg(test)]
pub(crate) fn file_bytes(file: BorrowedFd<'_>) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let file = std::fs::File::from(file.try_clone_to_owned().expect("a descriptor"));
    file.metadata().expect("metadata of an open file").blocks() * 512
}
