use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::*;
use crate::{Comparison, FaultKind, Place};

const LONG: Duration = Duration::from_secs(60);

/// Returns a word, and the condition that it is not 0.
fn word() -> (Arc<AtomicU64>, ByteRange, Condition) {
    let word = Arc::new(AtomicU64::new(0));
    let range = (Arc::as_ptr(&word).addr(), 8);
    let seen = Arc::clone(&word);
    (word, range, Box::new(move || Ok(seen.load(Ordering::Acquire) != 0)))
}

/// Creates a wait for memory in this range. The tests choose its conditions.
fn watched(watcher: &Arc<Watcher>, range: ByteRange) -> Watched {
    let src = Span { addr: range.0, len: range.1, place: Place::Pinned };
    let wait = ValueWait { src, value: 1, comparison: Comparison::Equal };
    Watched::new(watcher, Expected::Value(wait)).unwrap()
}

fn channel_end() -> (OnComplete, Receiver<Result<()>>) {
    let (sender, receiver) = channel();
    (Box::new(move |outcome| sender.send(outcome).unwrap()), receiver)
}

fn until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < LONG, "waited too long for {what}");
        std::thread::yield_now();
    }
}

fn late() -> Fault {
    Fault::new(FaultKind::WaitTimedOut, "too late")
}

#[test]
fn the_thread_notices_a_plain_write() {
    let watcher = Arc::new(Watcher::default());
    let (word, range, mut condition) = word();
    let seat = watched(&watcher, range);
    let (end, ended) = channel_end();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let counted = move || {
        count.fetch_add(1, Ordering::Release);
        condition()
    };
    assert!(seat.wait_for(Box::new(counted), None, end));
    // Once by the call, and then by the thread, which ends no wait before the word changes.
    let is_over = || Arc::strong_count(&asked) == 1;
    until("checks by the thread", || is_over() || asked.load(Ordering::Acquire) >= 4);
    assert_eq!(ended.try_recv(), Err(TryRecvError::Empty));
    word.store(1, Ordering::Release);
    assert_eq!(ended.recv_timeout(LONG).unwrap(), Ok(()));
}

#[test]
fn a_writer_completes_the_wait_itself() {
    let watcher = Arc::new(Watcher::default());
    let (word, range, condition) = word();
    let seat = watched(&watcher, range);
    let (end, ended) = channel_end();
    assert!(seat.wait_for(condition, None, end));
    assert!(watcher.state.lock().take_over((range.0 + 8, 8), None).is_empty());
    // The thread has to wait for the lock.
    let mut state = watcher.state.lock();
    word.store(1, Ordering::Release);
    assert!(state.take_over((range.0 + 8, 8), None).is_empty());
    assert!(state.take_over((range.0 - 8, 8), None).is_empty());
    let over = state.take_over((range.0 - 8, 9), None);
    drop(state);
    assert_eq!(over.len(), 1);
    watcher.end(over);
    assert_eq!(ended.try_recv().unwrap(), Ok(()));
    assert_eq!(watcher.waiting.load(Ordering::Relaxed), 0);
}

#[test]
fn a_condition_that_holds_is_not_waited_for() {
    let watcher = Arc::new(Watcher::default());
    let (word, range, condition) = word();
    let seat = watched(&watcher, range);
    word.store(1, Ordering::Release);
    let (end, ended) = channel_end();
    assert!(!seat.wait_for(condition, None, end));
    assert!(ended.try_recv().is_err());
}

#[test]
fn a_deadline_ends_the_wait() {
    let watcher = Arc::new(Watcher::default());
    let (_word, range, condition) = word();
    let seat = watched(&watcher, range);
    let (end, ended) = channel_end();
    let deadline = Instant::now() + Duration::from_millis(20);
    assert!(seat.wait_for(condition, Some((deadline, Some(LONG))), end));
    assert_eq!(ended.recv_timeout(LONG).unwrap(), Err(seat.expected.timed_out(LONG)));
    assert!(Instant::now() >= deadline);
}

#[test]
fn a_deadline_can_come_later() {
    let watcher = Arc::new(Watcher::default());
    let (_word, range, condition) = word();
    let seat = watched(&watcher, range);
    let (end, ended) = channel_end();
    assert!(seat.wait_for(condition, None, end));
    let begun = Instant::now();
    seat.limit(begun);
    seat.limit(begun + LONG);
    assert_eq!(ended.recv_timeout(LONG).unwrap(), Err(seat.expected.never_came()));
    assert!(begun.elapsed() < LONG);
}

#[test]
fn a_condition_that_fails_ends_the_wait() {
    let watcher = Arc::new(Watcher::default());
    let seat = watched(&watcher, (8, 8));
    let mut asked = 0;
    let condition = Box::new(move || {
        asked += 1;
        if asked > 3 { Err(late()) } else { Ok(false) }
    });
    let (end, ended) = channel_end();
    assert!(seat.wait_for(condition, None, end));
    assert_eq!(ended.recv_timeout(LONG).unwrap(), Err(late()));
}

#[test]
fn a_cancelled_wait_is_not_checked_again() {
    let watcher = Arc::new(Watcher::default());
    let (word, range, condition) = word();
    let seat = watched(&watcher, range);
    let (end, ended) = channel_end();
    assert!(seat.wait_for(condition, None, end));
    seat.cancel();
    word.store(1, Ordering::Release);
    // What would end it is dropped uncalled, and so is the condition with what it reads.
    assert_eq!(ended.try_recv(), Err(TryRecvError::Disconnected));
    assert_eq!(Arc::strong_count(&word), 1);
    assert_eq!(watcher.waiting.load(Ordering::Relaxed), 0);
}

/// Checks that a wait which has ended before the thread woke for it does not keep the next one from waking it.
#[test]
fn the_thread_is_woken_for_each_wait() {
    let watcher = Arc::new(Watcher::default());
    let (_word, range, condition) = word();
    let seat = watched(&watcher, range);
    assert!(seat.wait_for(condition, None, channel_end().0));
    seat.cancel();
    until("the thread to wake", || !watcher.state.lock().begun);
}

#[test]
fn the_thread_is_there_while_it_is_needed() {
    let watcher = Arc::new(Watcher::default());
    assert!(!watcher.has_thread());
    let seat = watched(&watcher, (8, 8));
    // It goes on for longer than it stays without a seat.
    let begun = Instant::now();
    let goes_on = || watcher.state.lock().wakes.is_some_and(|wakes| wakes > begun + 3 * LINGER);
    until("the thread to look for waits", || goes_on() || !watcher.has_thread());
    assert!(watcher.has_thread());
    drop(seat);
    until("the thread to end", || !watcher.has_thread());
    let seat = watched(&watcher, (8, 8));
    assert!(watcher.has_thread());
    drop(seat);
    watcher.stop();
    assert!(!watcher.has_thread());
}
