use std::ffi::CString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

struct Fifo(TempDir);

impl Fifo {
    fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        let path = made.path();
        let text = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: a terminated text.
        assert_eq!(unsafe { libc::mkfifo(text.as_ptr(), 0o600) }, 0);
        made
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("fifo")
    }

    fn reader(&self) -> File {
        File::options().read(true).custom_flags(libc::O_NONBLOCK).open(self.path()).unwrap()
    }
}

#[test]
fn writing_does_not_wait_for_a_reader() {
    let fifo = Fifo::new();
    let error = OutputFile::create(&fifo.path()).err().expect("an error");
    assert!(error.to_string().contains("no process reads it"), "{error}");
    let mut reader = fifo.reader();
    let mut file = OutputFile::create(&fifo.path()).unwrap();
    file.write_all(b"first\n").unwrap();
    let error = file.write_all(&[b'x'; 1 << 20]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    // Later writes do not wait.
    let began = Instant::now();
    assert!(file.write_all(b"second\n").is_err());
    assert!(began.elapsed() < PATIENCE);
    let mut read = vec![0; 1 << 16];
    assert!(reader.read(&mut read).unwrap() > 6);
    assert_eq!(&read[..6], b"first\n");
    file.write_all(b"third\n").unwrap();
}

#[test]
fn a_reader_that_has_gone_ends_nothing_else() {
    // The test program ignores the signal; a C program dies of it.
    // SAFETY: the handler that programs begin with, and the one of before.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let fifo = Fifo::new();
    let reader = fifo.reader();
    let mut file = OutputFile::create(&fifo.path()).unwrap();
    drop(reader);
    let error = file.write_all(b"lost\n").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe, "{error}");
    // SAFETY: `before` is the handler that the first call of signal returned.
    unsafe { libc::signal(libc::SIGPIPE, before) };
}
