//! Standard streams of the program.
//!
//! Descriptors 1 and 2 are not always standard streams: a program that was started without them opens files that get
//! these numbers. The library prints only to a number that was open when the library was loaded, and that programs
//! which this process starts would inherit: files of programs have the flag `FD_CLOEXEC` more often than not, streams
//! never. A program that replaces a stream by `dup2` or `freopen` gets the output there.

use std::ffi::c_int;
use std::io::{self, Write, stdout};

unsafe extern "C" {
    fn portacl_is_stream(number: c_int) -> c_int;
}

/// Whether the standard output, number 1, is a stream of the program.
fn has_output() -> bool {
    // SAFETY: the function takes the numbers of streams.
    unsafe { portacl_is_stream(libc::STDOUT_FILENO) != 0 }
}

/// Whether the standard error stream, number 2, is a stream of the program. A handler of a signal may call this.
pub fn has_errors() -> bool {
    // SAFETY: the function makes one system call, and keeps `errno`.
    unsafe { portacl_is_stream(libc::STDERR_FILENO) != 0 }
}

/// The standard output. If the program has none, what is written is lost, as the standard library does it.
pub struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if has_output() { stdout().write(bytes) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if has_output() { stdout().flush() } else { Ok(()) }
    }
}
