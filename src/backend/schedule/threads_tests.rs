use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::*;
use crate::thread_number;

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
            && !threads.are_quiet(0, |other| other != tid.load(Ordering::Relaxed))
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
    let spin = |over: &AtomicBool| spin_until(|| over.load(Ordering::Acquire));
    let spins = time_until_quiet(spin, || {});
    assert!(spins >= SPINS, "{spins:?}");
}

/// Until an idle processor begins to run the thread, the system shows the call in which it waited.
#[test]
fn a_thread_runs_from_the_moment_in_which_another_one_wakes_it() {
    const ROUNDS: u32 = 2000;
    let allowed = sched_getaffinity(None).unwrap();
    let mut processors = (0..CpuSet::MAX_CPU).filter(|&processor| allowed.is_set(processor));
    let (here, there) = (processors.next(), processors.next());
    let pin = |processor: Option<usize>| {
        let Some(processor) = processor else { return };
        let mut one = CpuSet::new();
        one.set(processor);
        sched_setaffinity(None, &one).unwrap();
    };
    let (tid, seen, (sender, receiver)) = (AtomicU32::new(0), AtomicU32::new(0), channel());
    let work = || {
        pin(there);
        tid.store(thread_number(), Ordering::Release);
        for (round, ()) in (1..).zip(receiver) {
            spin_until(|| seen.load(Ordering::Acquire) >= round);
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        pin(here);
        let mut threads = Threads::default();
        let mut wrong = 0;
        for round in 1..=ROUNDS {
            threads.await_quiet(&tid);
            sender.send(()).unwrap();
            wrong += u32::from(threads.is_quiet(tid.load(Ordering::Relaxed)));
            seen.store(round, Ordering::Release);
        }
        drop(sender);
        assert_eq!(wrong, 0, "of {ROUNDS} times the thread counts as waiting after it was woken");
    });
}

#[test]
fn only_a_thread_that_waits_in_a_loop_has_less_time_after_a_turn() {
    let (tid, over, (sender, receiver)) = (AtomicU32::new(0), AtomicBool::new(false), channel());
    let work = || {
        tid.store(thread_number(), Ordering::Release);
        assert_eq!(receiver.into_iter().next(), Some(()));
        spin_until(|| over.load(Ordering::Acquire));
    };
    thread::scope(|scope| {
        scope.spawn(work);
        let mut threads = Threads::default();
        threads.await_quiet(&tid);
        threads.note_turn();
        let began = Instant::now();
        sender.send(()).unwrap();
        threads.await_quiet(&tid);
        let spins = began.elapsed();
        threads.note_turn();
        let tid = tid.load(Ordering::Relaxed);
        let again = threads.seen[&tid].spins_at.saturating_sub(processor_time(tid));
        over.store(true, Ordering::Release);
        assert!(spins >= SPINS, "a thread that has waited is left after {spins:?}");
        assert!(again <= SPINS_ON, "a thread that waits in a loop is left after {again:?} more");
    });
}

#[test]
fn known_threads_are_not_listed_at_each_check() {
    const KNOWN: usize = 100;
    let (stay, tids) = (std::sync::Barrier::new(KNOWN + 1), parking_lot::Mutex::new(Vec::new()));
    let work = || {
        tids.lock().push(thread_number());
        stay.wait();
        stay.wait();
    };
    thread::scope(|scope| {
        (0..KNOWN).for_each(|_| drop(scope.spawn(work)));
        stay.wait();
        // The checking thread runs, and counts as known as well.
        tids.lock().push(thread_number());
        let known = tids.lock().clone();
        let mut threads = Threads::default();
        let mut check = || threads.are_quiet(known.len(), |tid| known.contains(&tid));
        let began = Instant::now();
        while !check() && began.elapsed() < Duration::from_secs(10) {}
        let before = threads.lists;
        for _ in 0..1000 {
            threads.are_quiet(known.len(), |tid| known.contains(&tid));
        }
        let lists = threads.lists - before;
        stay.wait();
        assert!(lists < 10, "1000 checks list the threads {lists} times");
    });
}

#[test]
fn a_thread_that_begins_later_is_found() {
    let mut threads = Threads::default();
    let here = thread_number();
    let (over, started) = (AtomicBool::new(false), AtomicU32::new(0));
    let is_listed = |threads: &mut Threads| {
        threads.are_quiet(1, |tid| tid == here);
        threads.others.contains(&started.load(Ordering::Acquire))
    };
    assert!(!is_listed(&mut threads));
    thread::scope(|scope| {
        scope.spawn(|| {
            started.store(thread_number(), Ordering::Release);
            spin_until(|| over.load(Ordering::Acquire));
        });
        spin_until(|| started.load(Ordering::Acquire) != 0);
        assert!(is_listed(&mut threads));
        over.store(true, Ordering::Release);
    });
    let began = Instant::now();
    while is_listed(&mut threads) && began.elapsed() < Duration::from_secs(10) {}
    assert!(!is_listed(&mut threads), "a thread that has ended is still listed");
}

fn spin_until(condition: impl Fn() -> bool) {
    while !condition() {
        std::hint::spin_loop();
    }
}

impl Threads {
    /// Waits until this thread is quiet, and before that, until it has stored its number.
    fn await_quiet(&mut self, tid: &AtomicU32) {
        while tid.load(Ordering::Acquire) == 0 || !self.is_quiet(tid.load(Ordering::Relaxed)) {
            thread::yield_now();
        }
    }
}
