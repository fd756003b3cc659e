use std::cell::Cell;
use std::sync::atomic::AtomicUsize;

use super::*;

static ENDS: AtomicUsize = AtomicUsize::new(0);
static LATE: AtomicUsize = AtomicUsize::new(0);

thread_local! { static WATCHED: Cell<bool> = const { Cell::new(false) }; }

fn count() {
    if WATCHED.get() {
        ENDS.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn functions_run_once_for_each_thread_and_after_thread_local_objects() {
    struct Late;
    impl Drop for Late {
        fn drop(&mut self) {
            LATE.fetch_add(1 + 10 * ENDS.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
    thread_local! { static LATE_ONE: Late = const { Late }; }
    let thread = std::thread::spawn(|| {
        WATCHED.set(true);
        LATE_ONE.with(|_| ());
        assert!(at_end_of_thread(count) && at_end_of_thread(count));
        assert_eq!(ENDS.load(Ordering::Relaxed), 0);
    });
    thread.join().expect("a thread panicked");
    assert_eq!((ENDS.load(Ordering::Relaxed), LATE.load(Ordering::Relaxed)), (1, 1));
}
