use super::*;

#[test]
fn one_thread_at_a_time_has_the_value() {
    let lock = SpinLock::new(0_u64);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|_| *lock.lock() += 1));
        }
    });
    assert_eq!(*lock.lock(), 40_000);
    let held = lock.lock();
    assert!(lock.try_lock().is_none());
    drop(held);
    assert!(lock.try_lock().is_some());
}
