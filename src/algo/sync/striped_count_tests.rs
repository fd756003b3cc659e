use std::sync::Barrier;
use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;
use crate::sync::reclaim::pin;

#[test]
fn increments_of_all_threads_are_counted() {
    const EACH: u64 = 10_000;
    let count = StripedCount::default();
    let numbers = [0, OWN - 1, OWN, OWN + SHARED, OWN + 1];
    thread::scope(|scope| {
        for number in numbers {
            let count = &count;
            scope.spawn(move || {
                let _pin = pin();
                (0..EACH).for_each(|_| count.raise(number));
            });
        }
    });
    assert_eq!(count.total(), EACH * numbers.len() as u64);
}

#[test]
fn an_increment_and_a_close_do_not_miss_each_other() {
    for thread in [0, OWN] {
        for _ in 0..2_000 {
            let (count, closed) = (StripedCount::default(), AtomicBool::new(false));
            let begin = Barrier::new(2);
            let (saw_closed, saw_raised) = thread::scope(|scope| {
                let raises = scope.spawn(|| {
                    let _pin = pin();
                    begin.wait();
                    count.raise(thread);
                    closed.load(Ordering::Relaxed)
                });
                drop(pin());
                begin.wait();
                closed.store(true, Ordering::Relaxed);
                let saw_raised = count.exact_total() > 0;
                (raises.join().expect("a thread panicked"), saw_raised)
            });
            assert!(saw_closed || saw_raised, "thread {thread}");
        }
    }
}
