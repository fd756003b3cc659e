use std::sync::Barrier;
use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;

/// How often threads that slept have woken up.
#[derive(Clone, Copy, Default)]
pub(super) struct Wakes {
    by_others: usize,
    by_time: usize,
}

impl Wakes {
    pub(super) fn note(&mut self, is_by_other: bool) {
        *if is_by_other { &mut self.by_others } else { &mut self.by_time } += 1;
    }
}

/// Lets threads make calls and waits under a schedule, with a thread that serves a stream. Each turn is another
/// thread's. Returns the number of turns, and what has woken the threads.
fn run(threads: usize, calls: usize) -> (usize, Wakes) {
    let turns = 2 * threads * calls;
    let steps: Vec<_> = (1..=turns).map(|step| step.to_string()).collect();
    let plan = format!("seed:1,at:{}", steps.join("+"));
    let schedule = Schedule::new(Settings::parse(&plan, None).expect("a valid schedule")).expect("a schedule");
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
    (turns, state.wakes)
}

#[test]
fn a_turn_wakes_the_thread_that_goes_on_and_few_others() {
    let begun = Instant::now();
    let (turns, Wakes { by_others, by_time }) = run(100, 10);
    let most = begun.elapsed().as_nanos() / LOOK.as_nanos();
    // A turn wakes the thread that goes on, and the next watcher if that one has watched. The last two are at the end.
    assert!(by_others <= 2 * turns + 2, "{by_others} wakes by others in {turns} turns of 100 threads");
    // One thread at a time wakes up by itself, however long the others take.
    assert!(by_time as u128 <= most, "{by_time} wakes by time; one thread can have {most}");
}

#[test]
fn a_wait_ends_with_its_time_if_nothing_else_can_go_on() {
    let schedule = Schedule::new(Settings::parse("lazy", None).expect("a valid schedule")).expect("a schedule");
    let waited = schedule.wait(&|| false, Some(Instant::now()));
    assert_eq!(waited, Some(Wait::TimedOut));
    schedule.stop();
    assert_eq!(schedule.wait(&|| true, None), None, "the schedule has ended");
}
