use super::*;

#[test]
fn every_policy_of_the_api() {
    let of = |policy| pages(policy, 1);
    assert_eq!([of(0), of(3)], [PagePolicy::HugeFirst; 2]);
    assert_eq!([of(1), of(4)], [PagePolicy::HugeOnly; 2]);
    assert_eq!([of(2), of(5)], [PagePolicy::NormalOnly; 2]);
    assert_eq!([of(6), of(7)], [PagePolicy::Huge1GOnly; 2]);
    assert_eq!(of(1 | 0x1000), PagePolicy::HugeOnly);
    assert_eq!(pages(99, HUGE_FROM - 1), PagePolicy::NormalOnly);
    assert_eq!(pages(-1, HUGE_FROM), PagePolicy::HugeFirst);
}
