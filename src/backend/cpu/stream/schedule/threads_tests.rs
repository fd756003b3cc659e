use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use super::*;
use crate::backend::thread_number;

/// How long it takes until a thread that does `work` counts as quiet; at most a second.
fn time_until_quiet(work: impl Fn(&AtomicBool) + Send + Sync) -> Duration {
    let (tid, over) = (AtomicU32::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            tid.store(thread_number(), Ordering::Release);
            work(&over);
        });
        while tid.load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        let (began, mut threads) = (Instant::now(), Threads::default());
        // Other tests run in this process.
        while began.elapsed() < Duration::from_secs(1)
            && !threads.are_quiet(|other| other != tid.load(Ordering::Relaxed))
        {
            thread::yield_now();
        }
        over.store(true, Ordering::Release);
        began.elapsed()
    })
}

#[test]
fn a_thread_that_waits_is_quiet_and_one_that_sleeps_is_awaited() {
    let (sender, receiver) = channel::<()>();
    let receiver = parking_lot::Mutex::new(receiver);
    let waits = thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_secs(2));
            drop(sender);
        });
        time_until_quiet(|_| {
            let _ = receiver.lock().recv();
        })
    });
    assert!(waits >= WAITS && waits < Duration::from_secs(1), "{waits:?}");
    let sleeps = time_until_quiet(|_| thread::sleep(SLEEPS / 2));
    assert!(sleeps >= SLEEPS / 2, "a short sleep counts as a wait after {sleeps:?}");
}

#[test]
fn a_thread_that_runs_is_quiet_only_after_much_processor_time() {
    let spins = time_until_quiet(|over| {
        while !over.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
    });
    assert!(spins >= SPINS, "{spins:?}");
}
