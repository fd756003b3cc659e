//! Writes the file: a JSON array that is complete after each write, so that it is readable however the process ends.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::output_file::{is_pipe, unopened};
use crate::algo::host::output_path;
use crate::algo::host::system_call::named;

/// Returns the error for a file that is not seekable.
fn sequential() -> io::Error {
    io::Error::new(
        io::ErrorKind::NotSeekable,
        "it is a FIFO, a pipe or a terminal, but each write of a trace overwrites the end of the file; choose a \
         regular file",
    )
}

fn unwritten(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(libc::ESPIPE) => sequential(),
        _ => named("pwrite", error),
    }
}

/// The end of the array. The next write overwrites it.
const TAIL: &str = "\n]\n";

/// An open trace.
pub(super) struct TraceFile {
    file: Descriptor,
    pub(super) path: PathBuf,
    /// The offset of the tail, where the next write continues. [`Self::create`] takes it if it is greater than 1: then
    /// there are events.
    pub(super) end: u64,
}

impl TraceFile {
    /// Creates or truncates a file. With `end`, opens one of this process that continues there. If another process is
    /// writing the file, creates a file beside it with the id of this process.
    pub(super) fn create(path: &Path, end: Option<u64>) -> io::Result<Self> {
        if let Some(file) = Self::take(path, end)? {
            return Ok(file);
        }
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}", std::process::id()));
        let busy = || io::ErrorKind::ResourceBusy.into();
        Self::take(Path::new(&beside), None)?.ok_or_else(busy)
    }

    fn take(path: &Path, end: Option<u64>) -> io::Result<Option<Self>> {
        // Opening a FIFO would wait. A trace is complete after each write, and the next one overwrites its end.
        let opened = if is_pipe(path) { Err(sequential()) } else { output_path::open(path) };
        let kept = Descriptor::new(opened.map_err(|error| unopened(path, error))?)?;
        let file = kept.file()?;
        let found = file.metadata().map_err(|error| named("fstat", error))?;
        match rustix::fs::flock(&*file, FlockOperation::NonBlockingLockExclusive) {
            // Processes may share a device such as /dev/null.
            Err(Errno::WOULDBLOCK) if found.is_file() => return Ok(None),
            Ok(()) | Err(Errno::WOULDBLOCK) => {}
            Err(why) => return Err(named("flock", why.into())),
        }
        let path = path.to_owned();
        if let Some(end) = end
            && found.len() == end + TAIL.len() as u64
        {
            return Ok(Some(Self { file: kept, path, end }));
        }
        if found.is_file() {
            file.set_len(0).map_err(|error| named("ftruncate", error))?;
        }
        file.write_all_at(format!("[{TAIL}").as_bytes(), 0).map_err(unwritten)?;
        Ok(Some(Self { file: kept, path, end: 1 }))
    }

    /// Returns the file's length.
    pub(super) fn len(&self) -> u64 {
        self.end + TAIL.len() as u64
    }

    /// Adds events, which are separated by commas.
    pub(super) fn append(&mut self, mut events: String) -> io::Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        events.insert_str(0, if self.end > 1 { ",\n" } else { "\n" });
        let len = events.len() as u64;
        events.push_str(TAIL);
        self.file.file()?.write_all_at(events.as_bytes(), self.end).map_err(unwritten)?;
        self.end += len;
        Ok(())
    }
}
