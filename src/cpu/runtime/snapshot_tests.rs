use std::sync::Barrier;
use std::thread;

use super::*;

/// A short copy runs under its stream's lock, for which another thread waits inside a call that pins objects.
#[test]
fn a_thread_that_waits_for_the_lock_of_a_stopped_one_delays_no_snapshot() {
    let (hold, slots, lock, locked) = (Hold::default(), [DeviceSlot::default()], Mutex::new(()), Barrier::new(3));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _pin = reclaim::pin();
            let _locked = lock.lock();
            locked.wait();
            while !hold.is_on.load(Ordering::SeqCst) {
                pause(PAUSE);
            }
            hold.pass();
        });
        scope.spawn(|| {
            let _pin = reclaim::pin();
            locked.wait();
            drop(lock.lock());
        });
        locked.wait();
        let begun = hold.begin(&slots, Duration::from_secs(60));
        hold.end(&slots);
        assert!(begun.is_ok());
    });
}
