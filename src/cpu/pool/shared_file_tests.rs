use std::os::fd::AsFd;

use super::*;
use crate::algo::host::system_call::without_file_calls::without_file_calls;
use crate::base::files;

#[test]
fn a_file_without_seals_is_asked_nothing_else() {
    let (unsealed, _writer) = std::io::pipe().unwrap();
    let sealed = files::sealed_file(c"portacl-shared", 8 << 20).unwrap();
    let open =
        |descriptor: BorrowedFd<'_>| without_file_calls(|| ImportedFile::open(descriptor).err().expect("a fault"));
    let (Some(unsealed), Some(sealed)) = (open(unsealed.as_fd()), open(sealed.get().unwrap())) else {
        return println!("skipped: needs seccomp filters");
    };
    assert!(unsealed.text().contains("no seals"), "{unsealed:?}");
    // A file with seals is asked.
    assert_eq!(sealed.kind(), FaultKind::Driver, "{sealed:?}");
}
