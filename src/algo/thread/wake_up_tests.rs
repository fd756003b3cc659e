use std::sync::Arc;
use std::time::Instant;

use super::*;

#[test]
fn a_thread_is_woken_before_it_sleeps_and_while_it_sleeps() {
    let (there, back) = (Arc::new(WakeUp::default()), Arc::new(WakeUp::default()));
    let thread = std::thread::spawn({
        let (there, back) = (Arc::clone(&there), Arc::clone(&back));
        move || {
            for _ in 0..10_000 {
                there.wait();
                there.reset();
                back.wake();
            }
        }
    });
    for _ in 0..10_000 {
        there.wake();
        back.wait();
        assert!(back.is_woken());
        back.reset();
    }
    thread.join().unwrap();
}

#[test]
fn a_limited_sleep_ends_by_itself() {
    let one = WakeUp::default();
    let (begin, limit) = (Instant::now(), Duration::from_millis(20));
    one.wait_for(limit);
    assert!(!one.is_woken() && begin.elapsed() >= limit);
    assert_eq!(one.0.load(Ordering::Relaxed), AWAKE);
    one.wake();
    one.wait_for(Duration::from_secs(1000));
    one.wait();
    assert!(one.is_woken());
}
