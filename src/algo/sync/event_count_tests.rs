use super::*;

#[cfg(not(loom))]
mod real {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    /// Invariants while it is not in use.
    fn check(events: &EventCount) {
        assert_eq!(events.state.load(Relaxed) & WAITERS, 0, "a waiter is left");
    }

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(20))
    }

    /// Far enough for a loaded machine: a lost wake-up must look different from a slow one.
    fn late() -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(60))
    }

    #[test]
    fn a_wait_ends_at_its_deadline_and_not_before() {
        let events = EventCount::new();
        let deadline = soon();
        assert!(!events.wait(events.prepare(), deadline));
        assert!(Instant::now() >= deadline.unwrap());
        // A deadline in the past, and a notification before any waiter was announced.
        events.notify_all();
        assert!(!events.wait(events.prepare(), deadline));
        check(&events);
    }

    #[test]
    fn a_notification_after_prepare_counts() {
        let events = EventCount::new();
        for notify in [EventCount::notify_all, EventCount::notify_one] {
            let (first, second) = (events.prepare(), events.prepare());
            notify(&events);
            assert!(events.wait(first, None) && events.wait(second, None));
        }
        check(&events);
    }

    #[test]
    fn cancel_leaves_nobody_to_look_for() {
        let events = EventCount::new();
        events.cancel(events.prepare());
        check(&events);
        events.notify_all();
        assert_eq!(events.state.load(Relaxed), 0, "a notification without waiters writes nothing");
    }

    #[test]
    fn wait_for_asks_once_more_at_the_deadline() {
        let events = EventCount::new();
        let mut asked = 0;
        assert!(!events.wait_for(soon(), || {
            asked += 1;
            false
        }));
        assert_eq!(asked, 3);
        let deadline = soon();
        assert!(events.wait_for(deadline, || Instant::now() >= deadline.unwrap()));
        check(&events);
    }

    #[test]
    fn two_threads_hand_a_turn_to_each_other() {
        const TURNS: usize = 20_000;
        let (events, turn) = (EventCount::new(), AtomicUsize::new(0));
        thread::scope(|scope| {
            for me in 0..2 {
                let (events, turn) = (&events, &turn);
                scope.spawn(move || {
                    for mine in (me..TURNS).step_by(2) {
                        assert!(events.wait_for(late(), || turn.load(Acquire) == mine));
                        turn.store(mine + 1, Release);
                        events.notify_all();
                    }
                });
            }
        });
        assert_eq!(turn.into_inner(), TURNS);
        check(&events);
    }

    #[test]
    fn one_notification_per_item_reaches_enough_consumers() {
        const ITEMS: usize = 20_000;
        let (events, items, taken) = (EventCount::new(), AtomicUsize::new(0), AtomicUsize::new(0));
        let done = AtomicBool::new(false);
        let take = || items.fetch_update(AcqRel, Acquire, |items| items.checked_sub(1)).is_ok();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let mut got = false;
                        let in_time = events.wait_for(late(), || {
                            got = take();
                            got || done.load(Acquire)
                        });
                        assert!(in_time, "a wake-up was lost");
                        if !got {
                            return;
                        }
                        taken.fetch_add(1, Relaxed);
                    }
                });
            }
            for _ in 0..ITEMS {
                items.fetch_add(1, Release);
                events.notify_one();
            }
            done.store(true, Release);
            events.notify_all();
        });
        // `done` may have been seen before the last items.
        assert_eq!(taken.into_inner() + items.into_inner(), ITEMS);
        check(&events);
    }

    /// `cargo test --release --lib algo::event_count -- --ignored --nocapture`
    #[test]
    #[ignore = "prints costs"]
    fn cost() {
        use crate::algo::tests::nanoseconds;
        static EVENTS: EventCount = EventCount::new();
        nanoseconds("eventcount: notify_all, nobody waits", || EVENTS.notify_all());
        nanoseconds("eventcount: prepare, cancel", || EVENTS.cancel(EVENTS.prepare()));
    }
}

#[cfg(loom)]
mod loom_event_count {
    use loom::sync::Arc as Shared;
    use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
    use loom::thread;

    use super::*;
    use crate::algo::tests::model;

    // A lost wake-up is a deadlock here, and loom reports it.

    /// Only the fences order the condition and the eventcount.
    #[test]
    fn loom_no_wake_up_is_lost() {
        model(|| {
            let shared = Shared::new((EventCount::new(), AtomicBool::new(false)));
            let waiter = {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (events, ready) = &*shared;
                    let key = events.prepare();
                    if ready.load(Relaxed) {
                        events.cancel(key);
                    } else {
                        assert!(events.wait(key, None));
                        assert!(ready.load(Relaxed), "woken before it was true");
                    }
                })
            };
            let (events, ready) = &*shared;
            ready.store(true, Relaxed);
            events.notify_all();
            waiter.join().unwrap();
            assert_eq!(events.state.load(Relaxed) & WAITERS, 0);
        });
    }

    #[test]
    fn loom_notify_all_wakes_both() {
        model(|| {
            let shared = Shared::new((EventCount::new(), AtomicBool::new(false)));
            let waiters = [(); 2].map(|()| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (events, ready) = &*shared;
                    assert!(events.wait_for(None, || ready.load(Acquire)));
                })
            });
            let (events, ready) = &*shared;
            ready.store(true, Release);
            events.notify_all();
            for waiter in waiters {
                waiter.join().unwrap();
            }
            assert_eq!(events.state.load(Relaxed) & WAITERS, 0);
        });
    }

    /// Two alike consumers, two items, one notification for each.
    #[test]
    fn loom_notify_one_per_item() {
        model(|| {
            let shared = Shared::new((EventCount::new(), AtomicUsize::new(0)));
            let consumers = [(); 2].map(|()| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (events, items) = &*shared;
                    let take = || items.fetch_update(AcqRel, Acquire, |n| n.checked_sub(1)).is_ok();
                    assert!(events.wait_for(None, take));
                })
            });
            let (events, items) = &*shared;
            for _ in 0..2 {
                items.fetch_add(1, Release);
                events.notify_one();
            }
            for consumer in consumers {
                consumer.join().unwrap();
            }
        });
    }
}
