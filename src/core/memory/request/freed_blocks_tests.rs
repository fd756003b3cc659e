use super::*;

#[test]
fn sizes_round_up_and_do_not_overflow() {
    assert_eq!(padded(1, true), Some(64));
    assert_eq!(padded(32, true), Some(64));
    assert_eq!(padded(33, false), Some(64));
    assert_eq!(padded(usize::MAX, false), None);
    assert_eq!(padded(usize::MAX - 31, true), None);
}
