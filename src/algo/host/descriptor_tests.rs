use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;

use tempfile::NamedTempFile;

use super::*;

/// A file that is deleted when dropped.
struct Temporary(NamedTempFile);

impl Temporary {
    fn new(text: &str) -> Self {
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Self(file)
    }

    fn open(&self) -> File {
        File::options().read(true).write(true).open(self.0.path()).unwrap()
    }
}

/// Puts a file of the program at the number of a descriptor.
fn replace(descriptor: &Descriptor, file: &File) -> File {
    // SAFETY: the test owns both descriptors, and does not use the replaced one.
    assert_eq!(unsafe { libc::dup2(file.as_raw_fd(), descriptor.number()) }, descriptor.number());
    // SAFETY: the number is open since the call above, and belongs to the test now.
    unsafe { File::from_raw_fd(descriptor.number()) }
}

#[test]
fn a_kept_descriptor_has_a_high_number_and_is_not_inherited() {
    let file = Temporary::new("text");
    let kept = Descriptor::new(file.open()).unwrap();
    assert!(kept.number() >= FLOOR, "{}", kept.number());
    let flags = rustix::io::fcntl_getfd(kept.get().unwrap()).unwrap();
    assert!(flags.contains(FdFlags::CLOEXEC));
    let number = kept.number();
    drop(kept);
    // SAFETY: the system checks the number.
    assert_eq!(unsafe { libc::fcntl(number, libc::F_GETFD) }, -1, "it is closed");
}

#[test]
fn a_file_of_the_program_at_the_number_is_neither_used_nor_closed() {
    let (ours, other) = (Temporary::new("ours"), Temporary::new("other"));
    let kept = Descriptor::new(ours.open()).unwrap();
    let mut placed = replace(&kept, &other.open());
    placed.seek(SeekFrom::Start(2)).unwrap();
    let error = kept.file().err().expect("the descriptor is lost").to_string();
    let number = kept.number();
    assert!(error.contains(&format!("closed descriptor {number}")), "{error}");
    assert!(kept.duplicate().is_err());
    drop(kept);
    let mut rest = String::new();
    placed.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "her", "the file is open, with its content and position");
}

#[test]
fn another_opening_of_the_same_file_is_not_ours() {
    let ours = Temporary::new("ours");
    let kept = Descriptor::new(ours.open()).unwrap();
    let placed = replace(&kept, &ours.open());
    assert!(!kept.is_ours());
    drop(kept);
    assert_eq!(placed.metadata().unwrap().len(), 4);
}

#[test]
fn a_closed_number_is_lost() {
    let ours = Temporary::new("ours");
    let kept = Descriptor::new(ours.open()).unwrap();
    // SAFETY: the test closes the number as a program does that closes all.
    unsafe { libc::close(kept.number()) };
    assert!(kept.get().is_err());
}

#[test]
fn a_descriptor_is_used_as_a_file() {
    let ours = Temporary::new("");
    let kept = Descriptor::new(ours.open()).unwrap();
    (&*kept.file().unwrap()).write_all(b"text").unwrap();
    let mut bytes = [0; 4];
    File::from(kept.duplicate().unwrap()).read_exact_at(&mut bytes, 0).unwrap();
    assert_eq!(&bytes, b"text");
}

#[test]
fn another_socket_is_not_ours() {
    let pair = || std::os::unix::net::UnixStream::pair().unwrap();
    let ((one, _peer), (two, _other)) = (pair(), pair());
    let kept = Descriptor::new(one).unwrap();
    assert!(kept.is_ours());
    let placed = replace(&kept, &File::from(OwnedFd::from(two)));
    assert!(!kept.is_ours());
    drop(kept);
    assert!(placed.metadata().is_ok());
}

#[test]
fn descriptors_for_the_program_are_no_standard_streams() {
    let file = Temporary::new("text");
    let opened: OwnedFd = file.open().into();
    let number = opened.as_raw_fd();
    assert!(number >= LOWEST, "the test has its standard streams");
    assert_eq!(above_streams(opened).unwrap().as_raw_fd(), number, "a higher number stays");
}
