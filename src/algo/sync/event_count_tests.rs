use super::*;

#[cfg(not(loom))]
mod real {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering::*};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(20))
    }

    /// Returns a deadline that is far enough for a loaded machine: a lost wake-up must differ from a slow one.
    fn late() -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(60))
    }

    #[test]
    fn a_wait_ends_at_its_deadline_and_not_before() {
        let events = EventCount::new();
        let deadline = soon();
        assert!(!events.wait(events.prepare(), deadline));
        assert!(Instant::now() >= deadline.unwrap());
        // The deadline is in the past, and the notification comes before any waiter was announced.
        events.notify_all();
        assert!(!events.wait(events.prepare(), deadline));
    }

    #[test]
    fn a_notification_after_prepare_counts() {
        let events = EventCount::new();
        let (first, second) = (events.prepare(), events.prepare());
        events.notify_all();
        assert!(events.wait(first, None) && events.wait(second, None));
    }

    #[test]
    fn wait_for_asks_once_more_at_the_deadline() {
        let events = EventCount::new();
        let asked = Cell::new(0);
        assert!(!events.wait_for(soon(), || {
            asked.set(asked.get() + 1);
            false
        }));
        assert_eq!(asked.get(), 2);
        let deadline = soon();
        assert!(events.wait_for(deadline, || Instant::now() >= deadline.unwrap()));
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
    }
}

#[cfg(loom)]
#[path = "event_count_models.rs"]
mod loom_event_count;
