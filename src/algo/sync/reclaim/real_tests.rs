use std::sync::Barrier;

use super::*;

per_thread! {
    /// The number of readers that flushes of this thread have checked.
    pub(super) static CHECKS_HERE: Cell<usize> = Cell::new(0);
}

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
    pin().defer_drop(object.clone());
    assert!(!flush_deferred(), "this thread is pinned");
    drop(outer);
    assert!(!flush_deferred(), "this thread is still pinned");
    drop(inner);
    while Arc::strong_count(&object) > 1 {
        flush_deferred();
    }
}

/// Lets `threads` threads defer and flush at once, a few times. Returns the checks of readers for each flush.
fn checks_of_threads_at_once(threads: usize, flush: fn()) -> usize {
    const TIMES: usize = 20;
    let barrier = Barrier::new(threads);
    let work = || {
        drop(pin());
        for _ in 0..TIMES {
            barrier.wait();
            pin().defer_drop(Arc::new(()));
            flush();
        }
        CHECKS_HERE.get()
    };
    let total: usize = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|thread| thread.join().expect("a thread panicked")).sum()
    });
    total / (threads * TIMES)
}

#[test]
fn a_flush_among_many_threads_checks_few_of_them() {
    for flush in [flush_in_turn, flush_if_many] {
        let (few, many) = (checks_of_threads_at_once(20, flush), checks_of_threads_at_once(1000, flush));
        // The waits of a flush for a reader, for two batches, are the rest.
        assert!(few <= CHECKS + 2 * (ROUNDS + 2), "{few} checks for each of 20 threads");
        assert!(many <= CHECKS + 2 * (ROUNDS + 2), "{many} checks for each of 1000 threads");
    }
}

#[test]
fn a_reader_that_stays_is_waited_for_once() {
    let (send, receive) = std::sync::mpsc::channel();
    let (stay, left) = std::sync::mpsc::channel::<()>();
    let reader = std::thread::spawn(move || {
        let pin = pin();
        send.send(()).expect("the test waits");
        let _ = left.recv();
        drop(pin);
    });
    receive.recv().expect("the reader has pinned");
    let object = Arc::new(());
    pin().defer_drop(object.clone());
    assert!(!flush_deferred(), "a thread is pinned");
    let before = CHECKS_HERE.get();
    const FLUSHES: usize = 1000;
    for _ in 0..FLUSHES {
        pin().defer_drop(Arc::new(()));
        assert!(!flush_deferred(), "a thread is pinned");
    }
    let checks = CHECKS_HERE.get() - before;
    assert!(checks < 4 * FLUSHES, "{checks} checks in {FLUSHES} flushes");
    drop(stay);
    reader.join().expect("the reader panicked");
    while Arc::strong_count(&object) > 1 {
        flush_deferred();
    }
}

#[test]
fn a_new_thread_gets_the_lowest_free_number() {
    let pinned = |wait: Arc<Barrier>| {
        std::thread::spawn(move || {
            drop(pin());
            wait.wait();
            wait.wait();
            number().expect("it has pinned")
        })
    };
    let wait = Arc::new(Barrier::new(9));
    let threads: Vec<_> = (0..8).map(|_| pinned(Arc::clone(&wait))).collect();
    wait.wait();
    wait.wait();
    let mut numbers: Vec<usize> = threads.into_iter().map(|thread| thread.join().expect("a thread panicked")).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 8, "two threads share a reader");
    let next = std::thread::spawn(|| {
        drop(pin());
        number().expect("it has pinned")
    });
    // Threads of other tests may take some of these numbers.
    assert!(next.join().expect("a thread panicked") <= numbers[7], "a lower number was free");
}
