use std::sync::Barrier;
use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;

/// Lets threads make calls and waits under a schedule, with a thread that serves a stream. Returns the number of turns,
/// and that of waits of all threads together.
fn run(threads: usize, calls: usize) -> (u64, usize) {
    let schedule = Schedule::new(Settings::parse("seed:1", None).expect("a valid schedule")).expect("a schedule");
    let (ready, running) = (Barrier::new(threads), AtomicUsize::new(threads));
    let work = || {
        ready.wait();
        for call in 0..calls {
            schedule.call("works");
            let is_done = AtomicBool::new(call % 2 == 0);
            let waited = schedule.wait(&|| is_done.swap(true, Ordering::SeqCst), None);
            assert_eq!(waited, Some(Wait::Done));
        }
        if running.fetch_sub(1, Ordering::SeqCst) == 1 {
            schedule.stop();
        }
    };
    let serve = || while schedule.next().is_some() {};
    thread::scope(|scope| {
        scope.spawn(serve);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    let state = schedule.lock();
    assert!(state.parked.is_empty() && state.idle.is_empty());
    (2 * (threads * calls) as u64, state.waits)
}

#[test]
fn a_turn_wakes_the_thread_that_goes_on_and_few_others() {
    let (turns, waits) = run(100, 20);
    // Each thread waits until it goes on. The watcher wakes up while others run, and is replaced.
    assert!((waits as u64) < 4 * turns, "{waits} waits in {turns} turns of 100 threads");
}

#[test]
fn a_wait_ends_with_its_time_if_nothing_else_can_go_on() {
    let schedule = Schedule::new(Settings::parse("lazy", None).expect("a valid schedule")).expect("a schedule");
    let waited = schedule.wait(&|| false, Some(Instant::now()));
    assert_eq!(waited, Some(Wait::TimedOut));
    schedule.stop();
    assert_eq!(schedule.wait(&|| true, None), None, "the schedule has ended");
}
