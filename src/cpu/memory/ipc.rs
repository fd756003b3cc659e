//! Packs what other processes need to import memory of this one: a part of a file, and its offset.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::{is_forbidden, named};
use crate::backend::base::broker::{Lease, Parcel};
use crate::backend::base::memory_file;
use crate::backend::{Fault, FaultKind, Result};
use crate::base::arena::UNIT;
use crate::base::bytes::words;

/// The kind of memory in a parcel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Device memory at an address.
    Memory = 1,
    /// Device memory without an address.
    Physical = 2,
    /// Host memory without an address.
    Host = 3,
}

const MAGIC: u64 = u64::from_le_bytes(*b"cpu-mem1");
const LEN: usize = 32;

/// A part of another process's file.
pub(crate) struct FilePart {
    pub contents: Contents,
    pub file: Descriptor,
    pub offset: u64,
    pub len: u64,
    /// The lease that keeps the exported memory unchanged.
    #[expect(dead_code, reason = "dropping it ends that")]
    pub lease: Option<Lease>,
}

/// Returns the fault that the system gives no file in memory. `purpose` is empty, or says after a space what it is for.
pub(crate) fn no_file(purpose: &str, error: &io::Error) -> Fault {
    let fault = Fault::out_of_host_memory(format!(
        "no memory file can be created{purpose}: {error}. If the call is not permitted, allow memfd_create (the \
         seccomp profile of a container may forbid it); if too many files are open, close some, or raise ulimit -n"
    ));
    if is_forbidden(error) { fault.with_kind(FaultKind::Unsupported) } else { fault }
}

/// Returns the fault that the system gives no descriptor of a file.
pub(crate) fn no_descriptor(error: io::Error) -> Fault {
    Fault::out_of_host_memory(format!(
        "the memory's descriptor cannot be duplicated: {error}. If too many are open, close some, or raise ulimit -n"
    ))
}

pub(crate) fn damaged() -> Fault {
    Fault::invalid("the export of the other process is damaged; allocate other memory in that process, and export it")
}

/// Returns the parcel of `len` bytes from an offset on.
pub(crate) fn pack(contents: Contents, file: BorrowedFd<'_>, offset: u64, len: u64) -> Result<Parcel> {
    let descriptor = file.try_clone_to_owned().map_err(|error| no_descriptor(named("dup", error)))?;
    let words = [MAGIC, contents as u64, offset, len].map(u64::to_le_bytes);
    Ok(Parcel::new(words.concat(), Some(descriptor)))
}

/// Unpacks the parcel of another process.
pub(crate) fn unpack(parcel: Parcel) -> Result<FilePart> {
    let Parcel { bytes, descriptor, kept: lease } = parcel;
    let bytes: [u8; LEN] = bytes.try_into().map_err(|_| Parcel::of_another())?;
    let [magic, what, offset, len] = words(&bytes);
    let known = [Contents::Memory, Contents::Physical, Contents::Host];
    let contents = known.into_iter().find(|known| *known as u64 == what && magic == MAGIC);
    let contents = contents.ok_or_else(Parcel::of_another)?;
    let file = descriptor.ok_or_else(Parcel::no_descriptor)?;
    let end = offset.checked_add(len).filter(|_| len != 0 && offset.is_multiple_of(UNIT));
    let unknown = |error: io::Error| {
        Fault::new(FaultKind::Driver, format!("the export of the other process cannot be inspected: {error}"))
    };
    // The file must have a fixed length, because otherwise its use could fault. Nothing else is asked of another file:
    // its file system could let the call wait forever.
    ensure!(memory_file::is_sealed(file.as_fd()).map_err(unknown)?, damaged());
    let file = Descriptor::new(file).map_err(no_descriptor)?;
    let size = file.file().map_err(unknown)?.metadata().map_err(|error| unknown(named("fstat", error)))?.len();
    ensure!(end.is_some_and(|end| end <= size), damaged());
    Ok(FilePart { contents, file, offset, len, lease })
}

#[cfg(test)]
#[path = "ipc_tests.rs"]
mod tests;
