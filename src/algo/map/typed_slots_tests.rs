use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Key, Slots};

#[test]
fn each_object_has_state_of_its_own_for_each_key() {
    static NUMBERS: Key<AtomicUsize> = Key::new();
    static OTHERS: Key<AtomicUsize> = Key::new();
    static NAMES: Key<parking_lot::Mutex<String>> = Key::new();
    let (first, second) = (Slots::default(), Slots::default());
    NUMBERS.of(&first).store(1, Ordering::Relaxed);
    OTHERS.of(&first).store(2, Ordering::Relaxed);
    NAMES.of(&second).lock().push_str("second");
    assert_eq!(NUMBERS.of(&first).load(Ordering::Relaxed), 1);
    assert_eq!(OTHERS.of(&first).load(Ordering::Relaxed), 2);
    assert_eq!(NUMBERS.of(&second).load(Ordering::Relaxed), 0);
    assert_eq!(NAMES.of(&first).lock().as_str(), "");
    assert_eq!(NAMES.of(&second).lock().as_str(), "second");
}

#[test]
fn threads_that_use_a_key_first_share_one_state() {
    static COUNT: Key<AtomicUsize> = Key::new();
    let slots = Slots::default();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| COUNT.of(&slots).fetch_add(1, Ordering::Relaxed));
        }
    });
    assert_eq!(COUNT.of(&slots).load(Ordering::Relaxed), 8);
}

#[test]
fn state_is_dropped_with_its_object() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    #[derive(Default)]
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
    static KEY: Key<Counted> = Key::new();
    let slots = Slots::default();
    KEY.of(&slots);
    assert_eq!(DROPPED.load(Ordering::Relaxed), 0);
    drop(slots);
    assert_eq!(DROPPED.load(Ordering::Relaxed), 1);
}
