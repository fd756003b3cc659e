use super::visible_of;

#[test]
fn plain_lists_are_counted_and_others_are_left_to_the_driver() {
    assert_eq!(visible_of(4, None), Some(4));
    assert_eq!(visible_of(4, Some("2")), Some(1));
    assert_eq!(visible_of(4, Some("3,0,1")), Some(3));
    for left in ["", "-1", "4", "0,4", "0,0", "0, 1", "GPU-66616b65", "0,MIG-1", "1gpu", "0,"] {
        assert_eq!(visible_of(4, Some(left)), None, "{left}");
    }
}
