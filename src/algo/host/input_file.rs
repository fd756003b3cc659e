//! Reads files of the program as a whole. They may be pipes and devices, so a read does not wait forever for a writer,
//! and is bounded.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::grow::fallible;
use super::system_call::refused_by;

/// The time for which a pipe may be empty before the read fails.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });
/// The maximum number of bytes that are read from files without a length: pipes and devices.
const MOST: usize = 64 << 20;

/// The maximum number of bytes of a file of settings.
const MOST_SETTINGS: u64 = 1 << 20;

/// Reads a file of settings, which is small. A larger one would use as much memory as its author wants.
pub fn read_settings(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MOST_SETTINGS)
}

/// Reads the bytes of a file, or those of a pipe up to its end.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, u64::MAX)
}

fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
    // Without this flag, opening a FIFO would wait for its writer.
    let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let found = file.metadata()?;
    let mut bytes = Vec::new();
    if found.is_file() || found.is_dir() {
        ensure!(found.is_dir() || found.len() <= most, too_large());
        // The read itself is not inside: it may extend the list by some bytes without a result.
        fallible(|| bytes.try_reserve_exact(usize::try_from(found.len()).unwrap_or(usize::MAX)))?;
        // The system refuses a directory. Files of /proc state no length, and others grow.
        file.by_ref().take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 <= most, too_large());
        return Ok(bytes);
    }
    read_stream(&file, &mut bytes)?;
    ensure!(bytes.len() as u64 <= most, too_large());
    if bytes.is_empty() && found.file_type().is_fifo() {
        let text = "it is a FIFO without data, and no process has it open for writing; start a process that \
                    writes to it first";
        return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
    }
    Ok(bytes)
}

/// Reads a pipe or a device up to its end.
fn read_stream(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let room = MOST + 1 - bytes.len();
        match file.take(room as u64).read_to_end(bytes) {
            Ok(read) if read == room => {
                let text = format!(
                    "it is a pipe or a device with more than {MOST} bytes, the most that is read from one; use a \
                     regular file"
                );
                return Err(io::Error::new(ErrorKind::FileTooLarge, text));
            }
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => wait_for_bytes(file)?,
            Err(error) => return Err(error),
        }
    }
}

/// Waits until bytes are available, or no more will come.
fn wait_for_bytes(file: &File) -> io::Result<()> {
    let patience = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&patience)) {
        Ok(0) => {
            let text = format!("nothing was written to it for {PATIENCE:?}, and its writer has not closed it");
            Err(io::Error::new(ErrorKind::TimedOut, text))
        }
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(refused_by("ppoll")(error)),
    }
}

#[cfg(test)]
#[path = "input_file_tests.rs"]
mod tests;
