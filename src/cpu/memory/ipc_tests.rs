use super::*;
use crate::algo::host::system_call::without_file_calls::without_file_calls;
use crate::base::files;

fn packed() -> Parcel {
    let file = files::sealed_file(c"portacl-device", 2 * UNIT).unwrap();
    pack(Contents::Memory, file.get().unwrap(), UNIT, UNIT).unwrap()
}

#[test]
fn what_is_packed_is_unpacked() {
    let part = unpack(packed()).unwrap();
    assert!(part.contents == Contents::Memory);
    assert_eq!((part.offset, part.len), (UNIT, UNIT));
}

#[test]
fn damage_is_noticed() {
    let damaged: [fn(&mut Parcel); 7] = [
        |parcel| parcel.bytes.clear(),
        |parcel| parcel.bytes.push(0),
        |parcel| parcel.bytes[0] ^= 1,
        |parcel| parcel.bytes[8] = 4,
        // The parcels have no whole page, more than the file has, and an overflow.
        |parcel| parcel.bytes[16] = 1,
        |parcel| parcel.bytes[24] = 1,
        |parcel| parcel.bytes[24..].fill(0xff),
    ];
    for (index, damage) in damaged.iter().enumerate() {
        let mut parcel = packed();
        damage(&mut parcel);
        let fault = unpack(parcel).err().expect("a fault");
        assert_eq!(fault.kind(), FaultKind::InvalidArgument, "{index}");
    }
    let parcel = Parcel { descriptor: None, ..packed() };
    assert_eq!(unpack(parcel).err().expect("a fault").kind(), FaultKind::OutOfResources);
    // This file could be truncated.
    let (open, _other_end) = std::io::pipe().unwrap();
    let parcel = Parcel { descriptor: Some(open.into()), ..packed() };
    assert_eq!(unpack(parcel).err().expect("a fault").kind(), FaultKind::InvalidArgument);
}

#[test]
fn a_file_without_seals_is_asked_nothing_else() {
    let (open, _other_end) = std::io::pipe().unwrap();
    let unsealed = Parcel { descriptor: Some(open.into()), ..packed() };
    let sealed = packed();
    let unpacked = |parcel| without_file_calls(|| unpack(parcel).err().expect("a fault"));
    let (Some(unsealed), Some(sealed)) = (unpacked(unsealed), unpacked(sealed)) else {
        return println!("skipped: needs seccomp filters");
    };
    assert_eq!(unsealed.kind(), FaultKind::InvalidArgument, "{unsealed:?}");
    // A file with seals is asked.
    assert_eq!(sealed.kind(), FaultKind::Driver, "{sealed:?}");
}

/// A process that lacks huge pages ends when it accesses such a file.
#[test]
fn a_file_that_can_lack_pages_is_refused() {
    use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
    const LEN: u64 = 2 << 20;
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | MemfdFlags::HUGETLB | MemfdFlags::HUGE_2MB;
    let Ok(file) = memfd_create(c"hostile", flags) else {
        return println!("skipped: needs files on huge pages");
    };
    ftruncate(&file, LEN).unwrap();
    memory_file::seal(&file).unwrap();
    let parcel = pack(Contents::Physical, file.as_fd(), 0, LEN).unwrap();
    assert_eq!(unpack(parcel).err().expect("a fault").kind(), FaultKind::InvalidArgument);
}
