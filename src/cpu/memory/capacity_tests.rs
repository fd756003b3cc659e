use super::*;

const GIB: u64 = 1 << 30;

#[test]
fn each_device_can_have_nearly_all_and_all_together_no_more() {
    let alone = divide(32 * GIB, None, 1, 1);
    assert_eq!(alone, Capacity { each: 30 * GIB, all: u64::MAX });
    for devices in [2, 4, 8, 64] {
        for addresses in [1, 4, 8] {
            let capacity = divide(32 * GIB, None, devices, addresses);
            assert_eq!(capacity, Capacity { each: 30 * GIB, all: 30 * GIB });
            assert!(capacity.is_shared());
        }
    }
}

#[test]
fn addresses_are_divided_where_they_are_limited() {
    let limited = divide(32 * GIB, Some(16 * GIB), 4, 1);
    // Eight are for the program, and the rest is divided among the devices.
    assert_eq!(limited, Capacity { each: 2 * GIB, all: u64::MAX });
    let wide = divide(32 * GIB, Some(160 * GIB), 4, 1);
    assert_eq!(wide, Capacity { each: 20 * GIB, all: 30 * GIB });
    // This machine has more memory than 64 devices have addresses for.
    assert_eq!(divide(2 << 40, None, 64, 1).each, 1 << 40);
    assert_eq!(divide(2 << 40, None, 64, 8).each, 1 << 37);
    assert_eq!(divide(1 << 50, None, 1, 1).each, MOST);
}

#[test]
fn a_device_has_something_at_least_and_whole_large_pages() {
    assert_eq!(divide(1, Some(1), 8, 1).each, HUGE);
    assert_eq!(divide(0, None, 8, 8).each, HUGE);
    for memory in [GIB + 1, 23_456_789_012, 999_999_999_999] {
        for devices in [1, 3, 4, 8] {
            let capacity = divide(memory, None, devices, 1);
            assert_eq!(capacity.each % HUGE, 0);
            assert!(capacity.each <= memory && capacity.each > memory / 10 * 9);
            assert!(devices == 1 || capacity.all == capacity.each);
        }
    }
}

#[test]
fn limits_of_their_own_are_rounded_up() {
    assert_eq!(Capacity::of_limit(1).unwrap(), Capacity { each: HUGE, all: u64::MAX });
    assert_eq!(Capacity::of_limit(MOST).unwrap().each, MOST);
    for bad in [0, MOST + 1, u64::MAX] {
        assert_eq!(Capacity::of_limit(bad), None);
    }
}

#[test]
fn no_more_than_the_budget_is_taken() {
    let share = Share::new(Arc::new(Budget::new(100)));
    assert!(share.take(60) && !share.take(41) && share.take(40));
    assert!(!share.take(1) && !share.take(u64::MAX));
    assert_eq!((share.left(), share.taken()), (0, Some((100, 100, 0))));
    share.release(60);
    assert_eq!(share.left(), 60);
    assert!(share.take(60));
}

#[test]
fn threads_never_have_more_together() {
    let budget = Arc::new(Budget::new(1000));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let share = Share::new(Arc::clone(&budget));
            scope.spawn(move || {
                for len in 1..1000 {
                    if share.take(len) {
                        assert!(share.budget.used.load(Ordering::Relaxed) <= 1000);
                        share.release(len);
                    }
                }
            });
        }
    });
    assert_eq!(budget.left(), 1000);
}

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
    assert!(share.take(5) && share.take(u64::MAX) && share.take(u64::MAX));
    assert_eq!((share.taken(), share.left()), (None, u64::MAX));
    share.release(5);
    share.close();
}
