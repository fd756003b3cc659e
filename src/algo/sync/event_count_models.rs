use loom::sync::Arc as Shared;
use loom::sync::atomic::{AtomicBool, Ordering::*};
use loom::thread;

use super::*;
use crate::tests::model;

// A lost wake-up is a deadlock here, and loom reports it.

/// Only the eventcount's lock orders the condition.
#[test]
fn loom_no_wake_up_is_lost() {
    model(|| {
        let shared = Shared::new((EventCount::new(), AtomicBool::new(false)));
        let waiter = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (events, ready) = &*shared;
                let key = events.prepare();
                if !ready.load(Relaxed) {
                    assert!(events.wait(key, None));
                    assert!(ready.load(Relaxed), "woken before it was true");
                }
            })
        };
        let (events, ready) = &*shared;
        ready.store(true, Relaxed);
        events.notify_all();
        waiter.join().unwrap();
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
    });
}
