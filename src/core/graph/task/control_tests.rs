use super::*;

#[test]
fn values_choose_bodies() {
    assert_eq!([0, 1, u64::MAX].map(|value| ConditionKind::If.choose(value)), [Some(1), Some(0), Some(0)]);
    assert_eq!([0, 1, 1 << 63].map(|value| ConditionKind::While.choose(value)), [None, Some(0), Some(0)]);
    assert_eq!([0, 7].map(|value| ConditionKind::Switch.choose(value)), [Some(0), Some(7)]);
}

#[test]
fn kinds_have_their_numbers_of_bodies() {
    let allowed = |kind: ConditionKind| {
        let counts = [0, 1, 2, 3, MOST_BODIES, MOST_BODIES + 1, u32::MAX];
        counts.map(|count| kind.check_count(count).is_ok())
    };
    assert_eq!(allowed(ConditionKind::If), [false, true, true, false, false, false, false]);
    assert_eq!(allowed(ConditionKind::While), [false, true, false, false, false, false, false]);
    assert_eq!(allowed(ConditionKind::Switch), [false, true, true, true, true, false, false]);
}
