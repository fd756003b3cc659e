use super::*;

#[test]
fn grids_cover_little_and_stay_within_the_device() {
    assert_eq!(blocks(1, 132), 1);
    assert_eq!(blocks(256, 132), 1);
    assert_eq!(blocks(257, 132), 2);
    assert_eq!(blocks(u64::MAX, 132), 132 * 8);
    assert_eq!(blocks(1000, 0), 1);
}
