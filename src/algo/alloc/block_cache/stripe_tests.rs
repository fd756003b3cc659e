use std::sync::{Arc, Barrier};

use parking_lot::Mutex;

use super::*;
use crate::sync::reclaim::pin;

/// The lock that lets one test run at a time: the first one needs all stripes.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn threads_that_live_together_share_no_own_stripe() {
    let _alone = ALONE.lock();
    const THREADS: usize = OWN + 2 * SHARED;
    let all_have_one = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let all_have_one = Arc::clone(&all_have_one);
            std::thread::spawn(move || {
                drop(pin());
                let seat = Seat::mine();
                all_have_one.wait();
                assert_eq!(Seat::mine(), seat);
                seat.index
            })
        })
        .collect();
    let mut seats: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(seats.iter().all(|seat| *seat < OWN + SHARED));
    seats.retain(|seat| *seat < OWN);
    let own = seats.len();
    seats.sort_unstable();
    seats.dedup();
    assert_eq!(seats.len(), own);
    assert!(own > 0);
}

/// Checks a destructor of the program that runs after the thread's private stripe was vacated.
#[test]
fn a_thread_at_its_very_end_shares_a_stripe() {
    struct Late;
    impl Drop for Late {
        fn drop(&mut self) {
            assert!(!Seat::mine().is_exclusive());
        }
    }
    thread_local! {
        static LATE: Late = const { Late };
    }
    let _alone = ALONE.lock();
    let thread = std::thread::spawn(|| {
        // This value is used first, so it is destroyed last.
        LATE.with(|_| ());
        drop(pin());
        assert!(Seat::mine().is_exclusive());
    });
    // A panic in a destructor would end the process.
    thread.join().unwrap();
}
