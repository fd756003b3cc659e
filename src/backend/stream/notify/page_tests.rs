use std::os::fd::AsFd;

use super::*;
use crate::algo::host::system_call::without_file_calls::{REFUSED, without_file_calls};

#[test]
fn a_file_without_seals_is_asked_nothing_else() {
    let (unsealed, _writer) = io::pipe().unwrap();
    let sealed = memory_file::create(c"portacl-notify", SIZE as u64).unwrap();
    memory_file::seal(sealed.get().unwrap()).unwrap();
    let import = |descriptor: BorrowedFd<'_>| {
        without_file_calls(|| Page::import(descriptor, 0).map(|_| ()).unwrap_err().to_string())
    };
    let (Some(unsealed), Some(sealed)) = (import(unsealed.as_fd()), import(sealed.get().unwrap())) else {
        return println!("skipped: needs seccomp filters");
    };
    assert_eq!(
        unsealed,
        "the file descriptor in the export belongs to no notify; both processes need the same version of this library"
    );
    // A file with seals is asked.
    assert!(sealed.contains(&format!("(os error {REFUSED})")), "{sealed}");
}
