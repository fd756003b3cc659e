use super::*;

#[test]
fn shared_mappings_of_files_are_found() {
    let text = "7f0000-7f2000 rw-s 00002000 00:01 2049   /memfd:name with spaces (deleted)\n\
                7f2000-7f3000 rw-p 00000000 fe:01 7   /lib/x.so\n\
                7f3000-7f4000 rw-p 00000000 00:00 0\n\
                7f4000-7f5000 ---s 00000000 00:01 2049 /memfd:name (deleted)\n\
                nonsense\n";
    let found = parse(text);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], FileMapping { addrs: 0x7f_0000..0x7f_2000, file: (1, 2049), offset: 0x2000 });
    assert_eq!(found[0].addr_of((1, 2049), 0x3fff), Some(0x7f_1fff));
    assert_eq!(found[0].addr_of((1, 2049), 0x4000), None);
    assert_eq!(found[0].addr_of((1, 2049), 0x1fff), None);
    assert_eq!(found[0].addr_of((2, 2049), 0x2000), None);
    assert_eq!(found[1].addr_of((1, 2049), 5), Some(0x7f_4005));
}

#[test]
fn this_process_can_be_asked() {
    // Whatever is mapped, the file can be parsed.
    all().iter().for_each(|mapping| assert!(!mapping.addrs.is_empty(), "{mapping:?}"));
}
