use super::*;
use crate::FaultKind;

/// Returns an ELF header with one program header, whose part of the file ends at `end`.
fn elf_file(machine: u16, end: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    bytes[16..18].copy_from_slice(&SHARED_OBJECT.to_le_bytes());
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes[32] = 64;
    bytes[54] = 56;
    bytes[56] = 1;
    bytes[64] = 1;
    bytes[64 + 32..64 + 40].copy_from_slice(&end.to_le_bytes());
    bytes
}

#[test]
fn programs_are_known_by_their_first_bytes() {
    // Of another processor: the tables of a shared object for this one are checked, too.
    let machine = if THIS_MACHINE == 62 { 183 } else { 62 };
    let elf = Image::Elf { machine, kind: SHARED_OBJECT };
    assert_eq!(Image::of(&elf_file(machine, 200, 200)), Ok(elf));
    assert_eq!(Image::of(b"// made by hand\n/* 1 */ .version 6.4\n"), Ok(Image::Ptx));
    let mut fatbin = FATBIN_MAGIC.to_le_bytes().to_vec();
    fatbin.extend([1, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
    assert_eq!(Image::of(&fatbin), Ok(Image::Fatbin));
    for unknown in [&b""[..], b"\0", b"garbage", b"// .version", b"/* .version", b"version"] {
        assert_eq!(Image::of(unknown).unwrap_err().kind(), FaultKind::Unsupported);
    }
    let big = [b"\x7fELF\x02\x02", &[0; 58][..]].concat();
    assert_eq!(Image::of(&big).unwrap_err().kind(), FaultKind::Unsupported);
}

#[test]
fn truncated_images_are_rejected() {
    let whole = elf_file(62, 200, 200);
    for len in 4..whole.len() {
        let fault = Image::of(&whole[..len]).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::InvalidArgument, "{len} bytes: {}", fault.text());
    }
    let fault = Image::of(&elf_file(62, u64::MAX, 200)).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::InvalidArgument, "{}", fault.text());
    let fatbin = [&FATBIN_MAGIC.to_le_bytes()[..], &[1, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0]].concat();
    for len in 4..=fatbin.len() {
        assert_eq!(Image::of(&fatbin[..len]).unwrap_err().kind(), FaultKind::InvalidArgument);
    }
}
