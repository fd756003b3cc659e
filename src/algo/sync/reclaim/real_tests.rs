use super::*;

fn count() -> usize {
    readers().count()
}

#[test]
fn threads_that_follow_each_other_share_a_reader() {
    let visit = || std::thread::spawn(|| drop(pin())).join().expect("a thread panicked");
    visit();
    let before = count();
    for _ in 0..100 {
        visit();
    }
    // Other tests of this process have threads too, but not one more for each of this test's.
    assert!(count() < before + 50, "{before} readers became {}", count());
}

#[test]
fn who_is_pinned_is_counted() {
    assert!(!is_pinned());
    let pins = (pin(), pin());
    assert!(is_pinned());
    assert!(count_pinned() >= 1);
    drop(pins);
    assert!(!is_pinned());
}

#[test]
fn a_thread_can_pin_to_its_very_end() {
    struct Late;
    impl Drop for Late {
        fn drop(&mut self) {
            let outer = pin();
            drop(pin());
            drop(outer);
        }
    }
    thread_local! {
        static LATE: Late = const { Late };
    }
    // The value is destroyed after the reader was released, because it is used first.
    let thread = std::thread::spawn(|| {
        LATE.with(|_| ());
        drop(pin());
    });
    thread.join().expect("a thread panicked");
}

#[test]
fn an_object_outlives_the_pins_that_were_there_before_it_was_deferred() {
    let object = Arc::new(());
    let (outer, inner) = (pin(), pin());
    outer.defer_drop(object.clone());
    assert!(!flush_deferred(), "this thread is pinned");
    drop(outer);
    assert!(!flush_deferred(), "this thread is still pinned");
    drop(inner);
    while Arc::strong_count(&object) > 1 {
        flush_deferred();
    }
}
