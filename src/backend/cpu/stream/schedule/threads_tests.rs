use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use super::*;
use crate::backend::thread_number;

/// Returns the time, at most a second, until a thread that does `work` counts as quiet.
fn time_until_quiet(work: impl Fn(&AtomicBool) + Send + Sync, release: impl FnOnce()) -> Duration {
    let (tid, over) = (AtomicU32::new(0), AtomicBool::new(false));
    // Before the work begins: what is measured is at least as long as a sleep.
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            tid.store(thread_number(), Ordering::Release);
            work(&over);
        });
        while tid.load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        let mut threads = Threads::default();
        // Other tests run in this process.
        while began.elapsed() < Duration::from_secs(1)
            && !threads.are_quiet(|other| other != tid.load(Ordering::Relaxed))
        {
            thread::yield_now();
        }
        let elapsed = began.elapsed();
        over.store(true, Ordering::Release);
        release();
        elapsed
    })
}

#[test]
fn a_thread_that_waits_is_quiet_and_one_that_sleeps_is_awaited() {
    let (sender, receiver) = channel::<()>();
    let receiver = parking_lot::Mutex::new(receiver);
    let block = |_: &AtomicBool| _ = receiver.lock().recv();
    let waits = time_until_quiet(block, || drop(sender));
    assert!(waits >= WAITS && waits < Duration::from_secs(1), "{waits:?}");
    let sleeps = time_until_quiet(|_| thread::sleep(SLEEPS / 2), || {});
    assert!(sleeps >= SLEEPS / 2, "a short sleep counts as a wait after {sleeps:?}");
}

#[test]
fn a_thread_that_runs_is_quiet_only_after_much_processor_time() {
    let spin = |over: &AtomicBool| {
        while !over.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
    };
    let spins = time_until_quiet(spin, || {});
    assert!(spins >= SPINS, "{spins:?}");
}
