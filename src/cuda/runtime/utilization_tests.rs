use super::in_groups;

#[test]
fn numbers_are_written_in_groups() {
    let uuid = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0xfc, 0xfd, 0xfe, 0xff];
    assert_eq!(in_groups(uuid), "00010203-0405-0607-0809-0a0bfcfdfeff");
}
