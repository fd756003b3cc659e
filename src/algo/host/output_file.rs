//! Writes files sequentially. They may be pipes: a program does not wait forever for a reader, and SIGPIPE does not
//! kill it.

use std::io::{self, ErrorKind, Write};
use std::mem::MaybeUninit;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

use super::descriptor::Descriptor;
use super::output_path;
use super::system_call::named;
use crate::thread::pause::pause;
use crate::thread::quiet_thread::Blocked;

/// The time for which a pipe may be full before a write fails.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });
/// The interval at which a full pipe is retried.
const STEP: Duration = Duration::from_millis(1);

/// A file that is open for writing.
pub struct OutputFile {
    file: Descriptor,
    is_pipe: bool,
    /// True if a write has timed out: later writes do not wait again before the reader reads.
    is_late: bool,
}

impl OutputFile {
    /// Creates the file, or truncates it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = output_path::open(path).map_err(|error| unopened(path, error))?;
        let found = file.metadata().map_err(|error| named("fstat", error))?;
        if found.is_file() {
            file.set_len(0).map_err(|error| named("ftruncate", error))?;
        }
        let is_pipe = found.file_type().is_fifo();
        Ok(Self { file: Descriptor::new(file)?, is_pipe, is_late: false })
    }

    fn write_to_pipe(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = self.file.file()?;
        let _no_signal = NoPipeSignal(Blocked::of(&pipe_signal()));
        let began = Instant::now();
        loop {
            match (&*file).write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.is_late || began.elapsed() > PATIENCE {
                        self.is_late = true;
                        let text = format!("the pipe is full, and no process has read it for {PATIENCE:?}");
                        return Err(io::Error::new(ErrorKind::TimedOut, text));
                    }
                    pause(STEP);
                }
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    return Err(named("no process reads the pipe any longer", error));
                }
                written => {
                    self.is_late &= written.is_err();
                    return written;
                }
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_pipe { self.write_to_pipe(bytes) } else { (&*self.file.file()?).write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns why a file cannot be opened. Replaces misleading messages of the system.
pub fn unopened(path: &Path, error: io::Error) -> io::Error {
    if is_pipe(path) && error.raw_os_error() == Some(libc::ENXIO) {
        return io::Error::new(error.kind(), "it is a FIFO, and no process reads it; start the reader first");
    }
    error
}

/// Whether a path names a FIFO, or leads to a pipe.
pub fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

/// Blocks SIGPIPE for the calling thread until dropped, because the signal kills most programs.
struct NoPipeSignal(Blocked);

fn pipe_signal() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the first call fills the set; SIGPIPE is a signal.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE);
        set.assume_init()
    }
}

impl Drop for NoPipeSignal {
    fn drop(&mut self) {
        if self.0.is_new(libc::SIGPIPE) {
            let (set, now) = (pipe_signal(), libc::timespec { tv_sec: 0, tv_nsec: 0 });
            // SAFETY: a set and a time that live. A signal that came by a write is taken; none was waiting before
            // that, because it was not blocked.
            unsafe { libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const now) };
        }
    }
}

#[cfg(test)]
#[path = "output_file_tests.rs"]
mod tests;
