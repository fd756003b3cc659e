use super::*;

#[test]
fn devices_have_together_what_the_budget_has() {
    let budget = Arc::new(Budget::new(8));
    let [a, b] = [(); 2].map(|()| Share::new(Arc::clone(&budget)));
    assert!(a.take(5) && !b.take(4) && b.take(3) && !a.take(1));
    assert_eq!((a.taken(), b.taken()), (Some((8, 5, 3)), Some((8, 3, 5))));
    a.release(5);
    assert_eq!((a.left(), b.left()), (5, 5));
    b.release(3);
    assert_eq!(budget.left(), 8);
}

#[test]
fn a_closed_device_has_released_everything_once() {
    let budget = Arc::new(Budget::new(8));
    let share = Share::new(Arc::clone(&budget));
    assert!(share.take(5));
    share.close();
    share.close();
    share.release(5);
    assert_eq!(budget.left(), 8);
}

#[test]
fn without_a_common_limit_nothing_is_counted() {
    let share = Share::new(Arc::new(Budget::new(u64::MAX)));
    assert!(share.take(5));
    assert_eq!((share.taken(), share.left()), (None, u64::MAX));
    share.release(5);
    share.close();
}
