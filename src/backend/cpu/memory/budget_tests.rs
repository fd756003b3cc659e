use super::*;

#[test]
fn no_more_than_the_budget_is_taken() {
    let budget = Budget::new(100);
    assert!(budget.take(60) && !budget.take(41) && budget.take(40));
    assert!(!budget.take(1) && !budget.take(u64::MAX));
    assert_eq!((budget.left(), budget.most()), (0, Some(100)));
    budget.release(60);
    assert_eq!(budget.left(), 60);
    assert!(budget.take(60));
}

#[test]
fn without_a_common_limit_nothing_is_counted() {
    let budget = Budget::new(u64::MAX);
    assert!(budget.take(u64::MAX) && budget.take(u64::MAX));
    assert_eq!((budget.left(), budget.most()), (u64::MAX, None));
}

#[test]
fn threads_never_have_more_together() {
    let budget = Budget::new(1000);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for len in 1..1000 {
                    if budget.take(len) {
                        assert!(budget.used.load(Ordering::Relaxed) <= 1000);
                        budget.release(len);
                    }
                }
            });
        }
    });
    assert_eq!(budget.left(), 1000);
}
