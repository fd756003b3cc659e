//! Reads files of the program as a whole. They may be pipes and devices: a read does not wait forever for a writer, and
//! is bounded.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use super::system_call::refused;

/// How long a pipe may be empty before the read fails.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });
/// The most bytes read from files without a length: pipes and devices.
const MOST: usize = 64 << 20;
/// Bytes of one read of those.
const STEP: usize = 64 << 10;

/// The bytes of a file; of a pipe, up to its end.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a FIFO waits for its writer otherwise.
    let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let found = file.metadata()?;
    let mut bytes = Vec::new();
    if found.is_file() || found.is_dir() {
        bytes.try_reserve_exact(usize::try_from(found.len()).unwrap_or(usize::MAX))?;
        // A directory is refused by the system.
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    read_stream(&mut file, &mut bytes)?;
    if bytes.is_empty() && found.file_type().is_fifo() {
        let text = "it is a FIFO, and no process has it open for writing; start the writer first";
        return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
    }
    Ok(bytes)
}

/// Reads a pipe or a device up to its end.
fn read_stream(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let len = bytes.len();
        if len > MOST {
            let text = format!("it is no file, and gives more than {MOST} bytes without an end");
            return Err(io::Error::new(ErrorKind::FileTooLarge, text));
        }
        bytes.try_reserve(STEP)?;
        bytes.resize(len + STEP, 0);
        let read = file.read(&mut bytes[len..]);
        bytes.truncate(len + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => wait_for_bytes(file)?,
            Err(error) => return Err(error),
        }
    }
}

/// Waits until bytes are available, or no more will come.
fn wait_for_bytes(file: &File) -> io::Result<()> {
    let mut wanted = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let milliseconds = libc::c_int::try_from(PATIENCE.as_millis()).unwrap_or(libc::c_int::MAX);
    // SAFETY: one description, of a file that is open.
    match unsafe { libc::poll(&raw mut wanted, 1, milliseconds) } {
        0 => {
            let text = format!("nothing was written to it for {PATIENCE:?}, and it has not ended");
            Err(io::Error::new(ErrorKind::TimedOut, text))
        }
        -1 => {
            let error = refused("poll");
            if error.kind() == ErrorKind::Interrupted { Ok(()) } else { Err(error) }
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::io::Write;
    use std::path::PathBuf;

    use super::*;

    struct Fifo(PathBuf);

    impl Fifo {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("portacl-{name}-{}", std::process::id()));
            let text = CString::new(path.to_str().unwrap()).unwrap();
            // SAFETY: a text that ends with a zero.
            assert_eq!(unsafe { libc::mkfifo(text.as_ptr(), 0o600) }, 0);
            Self(path)
        }

        /// A writer that opens without a reader.
        fn writer(&self) -> File {
            File::options().read(true).write(true).open(&self.0).unwrap()
        }
    }

    impl Drop for Fifo {
        fn drop(&mut self) {
            std::fs::remove_file(&self.0).unwrap();
        }
    }

    fn words(path: &Path) -> String {
        read(path).unwrap_err().to_string()
    }

    #[test]
    fn files_are_read_as_they_are() {
        let this = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert_eq!(read(&this).unwrap(), std::fs::read(&this).unwrap());
        assert!(read(Path::new("/dev/null")).unwrap().is_empty());
        assert!(!read(Path::new("/proc/self/stat")).unwrap().is_empty());
        assert_eq!(read(Path::new("/nowhere")).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(read(Path::new("/")).unwrap_err().kind(), ErrorKind::IsADirectory);
    }

    #[test]
    fn a_fifo_is_read_up_to_its_end() {
        let fifo = Fifo::new("read");
        // For reading as well: it may write before the reader opens it.
        let mut file = fifo.writer();
        let writer = std::thread::spawn(move || {
            for _ in 0..3 {
                file.write_all(&[7; 100_000]).unwrap();
            }
            let mut left: libc::c_int = 1;
            // Unread bytes are lost when the last writer closes.
            while left > 0 {
                // SAFETY: the call writes one number, for which there is room.
                let asked = unsafe { libc::ioctl(file.as_raw_fd(), libc::FIONREAD, &raw mut left) };
                assert_eq!(asked, 0);
                std::thread::yield_now();
            }
        });
        assert_eq!(read(&fifo.0).unwrap(), vec![7; 300_000]);
        writer.join().unwrap();
    }

    #[test]
    fn nothing_waits_for_a_writer_for_ever() {
        let fifo = Fifo::new("wait");
        assert!(words(&fifo.0).contains("no process has it open for writing"));
        let _silent = fifo.writer();
        assert!(words(&fifo.0).contains("nothing was written to it for 1s"));
    }

    #[test]
    fn what_has_no_end_is_refused() {
        assert!(words(Path::new("/dev/zero")).contains("more than 67108864 bytes"));
    }
}
