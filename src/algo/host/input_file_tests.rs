use std::ffi::CString;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

struct Fifo(TempDir);

impl Fifo {
    fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        let path = made.path();
        let text = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: a text that ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(text.as_ptr(), 0o600) }, 0);
        made
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("fifo")
    }

    /// Opens a writer, which needs no reader.
    fn writer(&self) -> File {
        File::options().read(true).write(true).open(self.path()).unwrap()
    }
}

fn words(path: &Path) -> String {
    read(path).unwrap_err().to_string()
}

/// A file with holes costs its author nothing.
#[test]
fn files_of_settings_are_small() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings");
    let file = File::create(&path).unwrap();
    let mut refused = Vec::new();
    for len in [MOST_SETTINGS + 1, 16 << 30, 1 << 40] {
        file.set_len(len).unwrap();
        refused.push(read_settings(&path).unwrap_err().to_string());
    }
    file.set_len(MOST_SETTINGS).unwrap();
    let whole = read_settings(&path).unwrap();
    assert_eq!(whole.len() as u64, MOST_SETTINGS);
    assert!(refused.iter().all(|text| text == "it has more than 1048576 bytes"), "{refused:?}");
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
    let fifo = Fifo::new();
    // The file is also open for reading, so that it may be written before the reader opens it.
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
    assert_eq!(read(&fifo.path()).unwrap(), vec![7; 300_000]);
    writer.join().unwrap();
}

#[test]
fn nothing_waits_for_a_writer_for_ever() {
    let fifo = Fifo::new();
    assert!(words(&fifo.path()).contains("no process has it open for writing"));
    let _silent = fifo.writer();
    assert!(words(&fifo.path()).contains("nothing was written to it for 1s"));
}

#[test]
fn what_has_no_end_is_refused() {
    assert!(words(Path::new("/dev/zero")).contains("more than 67108864 bytes"));
}
