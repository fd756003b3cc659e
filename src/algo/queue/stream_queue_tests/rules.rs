//! Checks the queue's rules one by one.

use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::thread;

use super::*;

fn stream() -> (Arc<List>, Arc<Stream>) {
    let ready = Arc::new(List::default());
    let stream = Stream::new(&ready);
    (ready, stream)
}

#[test]
fn operations_run_in_order_and_are_listed_once() {
    let (ready, stream) = stream();
    assert!(stream.operations.is_idle());
    for ticket in 1..=3 {
        assert_eq!(stream.push(Op::Note), Some(ticket));
    }
    assert_eq!(ready.lock().len(), 1);
    assert!(!stream.operations.is_idle() && !stream.operations.has_finished(1));
    work(&ready, WORKER);
    assert_eq!(stream.check(), 3);
    stream.run_now();
    assert_eq!(stream.log(), [1, 2, 3, 4]);
    assert!(ready.lock().is_empty());
}

#[test]
fn releasing_a_queue_lists_it_while_operations_are_left() {
    let (ready, stream) = stream();
    (0..3).for_each(|_| _ = stream.push(Op::Note));
    let first = ready.lock().pop_front().unwrap();
    let claim = first.operations.claim_listed().unwrap();
    assert!(first.operations.claim_listed().is_none(), "it is claimed");
    first.run(claim, Runner { one_by_one: true, ..WORKER }, &mut Vec::new());
    assert_eq!((stream.operations.finished(), ready.lock().len()), (1, 1));
    work(&ready, WORKER);
    assert_eq!(stream.check(), 3);
}

#[test]
fn a_blocked_stream_resumes_when_the_record_completes() {
    let (ready, stream) = stream();
    let record = Arc::new(Record::new());
    stream.push(|_| Op::Wait(Arc::clone(&record))).unwrap();
    stream.push(Op::Note).unwrap();
    work(&ready, WORKER);
    assert_eq!(stream.operations.finished(), 0);
    match stream.operations.help(|_| true) {
        Help::BlockedOn(on) => assert!(Arc::ptr_eq(&on, &record)),
        Help::Claimed(_) | Help::Nothing => panic!("not blocked"),
    }
    stream.push(Op::Note).unwrap();
    assert!(ready.lock().is_empty(), "a blocked stream is not listed");
    let local = complete(&record);
    assert_eq!(local.len(), 1);
    assert!(record.complete().is_empty(), "a waiter is returned once");
    run_resumed(local);
    assert_eq!(stream.check(), 2);
}

#[test]
fn an_operation_is_over_when_what_it_goes_on_with_is() {
    let (ready, stream) = stream();
    let (record, list) = (Arc::new(Record::new()), Arc::default());
    stream.push(Op::Note).unwrap();
    stream.push(|_| Op::HandOver(Arc::clone(&record), Arc::clone(&list))).unwrap();
    stream.push(Op::Note).unwrap();
    work(&ready, WORKER);
    assert_eq!((stream.operations.finished(), list.lock().len()), (1, 1));
    assert!(matches!(stream.operations.help(|_| true), Help::BlockedOn(_)));
    run_resumed(complete(&record));
    assert_eq!((stream.operations.finished(), stream.log()), (3, vec![1, 3]));
    assert_eq!(stream.check(), 2);
    // The queue is abandoned with the operation in hand, so there is nothing to go on with.
    stream.push(|_| Op::HandOver(record, Arc::clone(&list))).unwrap();
    stream.push(Op::Note).unwrap();
    let listed = ready.lock().pop_front().unwrap();
    assert!(listed.operations.claim_listed().is_some());
    let (mut claim, operation) = Claim(&stream.operations).lock().next(|_| true).unwrap();
    let unlocked = claim.unlock();
    assert_eq!(stream.operations.abandon().len(), 1);
    assert!(!stream.operations.is_idle(), "it is in hand");
    claim = unlocked.lock();
    claim.go_on_with(operation);
    claim.finish();
    assert!(claim.next(|_| true).is_none());
    assert_eq!(stream.check(), 2);
}

#[test]
fn a_resumed_stream_is_listed_once() {
    let (ready, stream) = stream();
    let record = Arc::new(Record::new());
    assert!(!stream.operations.must_list() && !stream.operations.resume(), "it is idle");
    stream.push(|_| Op::Wait(Arc::clone(&record))).unwrap();
    work(&ready, WORKER);
    assert!(!stream.operations.must_list(), "it is blocked");
    assert_eq!(complete(&record).len(), 1);
    assert!(stream.operations.must_list() && !stream.operations.must_list());
    stream.list();
    work(&ready, WORKER);
    assert_eq!((stream.operations.finished(), stream.check()), (1, 0));
}

#[test]
fn a_stream_sees_what_was_before_the_record() {
    let (ready, stream) = stream();
    let (first, record) = (Stream::new(&ready), Arc::new(Record::new()));
    stream.push(|_| Op::Wait(Arc::clone(&record))).unwrap();
    stream.push(|ticket| Op::Look(ticket, Arc::clone(&first), 2)).unwrap();
    (0..2).for_each(|_| _ = first.push(Op::Note));
    first.push(|_| Op::Record(record)).unwrap();
    work(&ready, WORKER);
    assert_eq!((first.check(), stream.check()), (2, 1));
}

#[test]
fn a_wait_for_a_completed_record_does_not_block() {
    let (_ready, stream) = stream();
    let record = Arc::new(Record::new());
    record.complete();
    let wait = Op::Wait(Arc::clone(&record));
    stream.operations.submit().unwrap().block(wait, |record| record.subscribe(&stream));
    assert_eq!((stream.operations.last_ticket(), stream.check()), (0, 0));
}

#[test]
fn a_wait_expires_while_the_stream_is_blocked_on_it() {
    let (ready, stream) = stream();
    let (first, second) = (Arc::new(Record::new()), Arc::new(Record::new()));
    stream.push(|_| Op::Wait(Arc::clone(&first))).unwrap();
    stream.push(|_| Op::Wait(Arc::clone(&second))).unwrap();
    stream.push(Op::Note).unwrap();
    assert!(!stream.expire(1, &first), "it has not come to the wait");
    work(&ready, WORKER);
    assert!(!stream.expire(2, &second), "the first wait is before it");
    assert!(stream.expire(1, &first));
    assert!(!stream.expire(1, &first), "it is over");
    assert_eq!((stream.operations.finished(), ready.lock().len()), (1, 1));
    work(&ready, WORKER);
    assert!(complete(&first).is_empty(), "the stream waits for the second");
    assert!(!stream.expire(1, &first));
    run_resumed(complete(&second));
    assert!(!stream.expire(2, &second), "the record was first");
    assert_eq!(stream.check(), 1);
}

#[test]
fn what_a_helper_may_not_run_stays_in_front() {
    let (ready, stream) = stream();
    let helper = Runner { helper: true, one_by_one: false };
    stream.push(Op::Note).unwrap();
    stream.push(Op::User).unwrap();
    stream.push(Op::Note).unwrap();
    assert!(stream.help(helper));
    assert_eq!(stream.operations.finished(), 1);
    assert_eq!(ready.lock().len(), 1, "the entry from before still counts");
    assert!(!stream.help(helper));
    work(&ready, WORKER);
    assert_eq!(stream.check(), 3);
}

#[test]
fn abandoning_drops_what_has_not_started() {
    let (ready, stream) = stream();
    (0..3).for_each(|_| _ = stream.push(Op::Note));
    let claim = ready.lock().pop_front().unwrap().operations.claim_listed().is_some();
    assert!(claim);
    let (locked, first) = Claim(&stream.operations).lock().next(|_| true).unwrap();
    let claim = locked.unlock();
    assert_eq!(first.footprint(), 1);
    assert_eq!(stream.operations.abandon().len(), 2);
    assert_eq!(stream.push(Op::Note), None);
    assert!([2, 3].iter().all(|&ticket| stream.operations.was_dropped(ticket)));
    assert!(!stream.operations.was_dropped(1) && !stream.operations.has_finished(1));
    // The operation has not started after all.
    assert!(claim.lock().put_back(first).is_err());
    assert!(stream.operations.was_dropped(1));
    assert_eq!(stream.check(), 0);
    assert!(stream.operations.abandon().is_empty());
}

#[test]
fn abandoning_a_claimed_stream_before_its_first_operation_ends_all() {
    let (ready, stream) = stream();
    stream.push(Op::Note).unwrap();
    let listed = ready.lock().pop_front().unwrap();
    let claim = listed.operations.claim_listed().unwrap();
    assert_eq!(stream.operations.abandon().len(), 1);
    assert!(stream.operations.is_idle(), "no thread would finish it");
    listed.run(claim, WORKER, &mut Vec::new());
    assert_eq!(stream.check(), 0);
}

#[test]
fn an_abort_drops_what_is_queued_and_the_queue_goes_on() {
    let (ready, stream) = stream();
    (0..3).for_each(|_| _ = stream.push(Op::Note));
    let (dropped, in_hand) = stream.operations.abort();
    assert_eq!((dropped.len(), in_hand, stream.operations.aborts()), (3, None, 1));
    assert!(stream.operations.is_idle() && !stream.operations.was_dropped(3));
    // The entry in the list is stale until an operation is queued, for which it then serves.
    assert_eq!(stream.push(Op::Note), Some(4));
    assert_eq!(ready.lock().len(), 1);
    assert!(stream.operations.is_pending(4) && !stream.operations.is_pending(3));
    work(&ready, WORKER);
    assert!(!stream.operations.is_pending(4));
    assert_eq!((stream.check(), stream.log()), (1, vec![4]));
}

#[test]
fn an_abort_leaves_what_is_in_hand_and_takes_back_what_has_not_begun() {
    for begins in [true, false] {
        let (ready, stream) = stream();
        (0..2).for_each(|_| _ = stream.push(Op::Note));
        let listed = ready.lock().pop_front().unwrap();
        let claim = listed.operations.claim_listed().unwrap();
        let (locked, first) = claim.lock().next(|_| true).unwrap();
        let claim = locked.unlock();
        let (dropped, in_hand) = stream.operations.abort();
        assert_eq!((dropped.len(), in_hand), (1, Some((1, 1))));
        assert!(stream.operations.is_pending(1) && !stream.operations.is_pending(2));
        assert_eq!(stream.push(Op::Note), Some(3));
        assert!(!stream.operations.has_finished(1), "it is in hand");
        if begins {
            stream.note(1);
            let mut claim = claim.lock();
            claim.finish();
            assert!(claim.release());
        } else {
            let Err((_, list)) = claim.lock().put_back(first) else { panic!("it is kept") };
            assert!(list, "another thread runs what came after");
        }
        assert_eq!(stream.operations.finished(), 2);
        stream.list();
        work(&ready, WORKER);
        assert_eq!(stream.log(), if begins { vec![1, 3] } else { vec![3] });
        stream.check();
    }
}

#[test]
fn an_aborted_wait_ends_and_a_late_record_wakes_no_stream() {
    let (ready, stream) = stream();
    let record = Arc::new(Record::new());
    stream.push(|_| Op::Wait(Arc::clone(&record))).unwrap();
    work(&ready, WORKER);
    assert!(stream.operations.blocked_on().is_some_and(|on| Arc::ptr_eq(&on, &record)));
    assert_eq!(stream.operations.abort().0.len(), 1);
    assert!(stream.operations.blocked_on().is_none() && stream.operations.is_idle());
    assert!(complete(&record).is_empty());
    stream.push(Op::Note).unwrap();
    work(&ready, WORKER);
    assert_eq!(stream.check(), 1);
}

#[test]
fn an_operation_in_place_of_another_ends_it_later() {
    let (ready, stream) = stream();
    (0..2).for_each(|_| _ = stream.push(Op::Note));
    let listed = ready.lock().pop_front().unwrap();
    let claim = listed.operations.claim_listed().unwrap();
    let (mut locked, _) = claim.lock().next(|_| true).unwrap();
    let record = Arc::new(Record::new());
    locked.put_in_place(Op::Wait(Arc::clone(&record)));
    assert!(locked.release());
    stream.list();
    work(&ready, WORKER);
    assert_eq!(stream.operations.finished(), 0, "the first is not over");
    run_resumed(complete(&record));
    assert_eq!((stream.operations.finished(), stream.log()), (2, vec![2]));
    stream.check();
}

#[test]
fn what_has_run_already_is_counted() {
    let (_ready, stream) = stream();
    assert_eq!(stream.operations.submit().unwrap().pass(), 1);
    assert_eq!(stream.operations.submit().unwrap().pass(), 2);
    assert!(stream.operations.is_idle() && stream.operations.has_finished(2));
    assert_eq!((stream.operations.last_ticket(), stream.check()), (2, 0));
}

#[test]
fn operations_are_found_by_their_footprint_until_they_are_over() {
    let (ready, stream) = stream();
    let find = |limit, wanted| stream.operations.last_where(limit, |&mark| mark == wanted);
    (0..2).for_each(|_| _ = stream.push(Op::Note));
    stream.push(|_| Op::Record(Arc::new(Record::new()))).unwrap();
    assert_eq!((find(3, 1), find(3, 2), find(3, 9)), (Some(1), Some(2), None));
    assert_eq!(find(2, 9), Some(3), "too long to look");
    let claim = ready.lock().pop_front().unwrap().operations.claim_listed().is_some();
    assert!(claim);
    let (mut locked, operation) = Claim(&stream.operations).lock().next(|_| true).unwrap();
    drop(operation);
    assert_eq!(locked.state.in_hand, Some(1));
    let claim = locked.unlock();
    assert_eq!(find(3, 1), Some(1), "it runs");
    locked = claim.lock();
    locked.finish();
    assert!(locked.release());
    assert_eq!(find(3, 1), None);
    assert_eq!(find(3, 2), Some(2));
    stream.list();
    work(&ready, WORKER);
    assert_eq!(find(3, 2), None);
}

#[test]
fn threads_that_submit_work_and_help_lose_nothing() {
    const OPERATIONS: usize = 7 * 2_000;
    let ready = Arc::new(List::default());
    let streams = [(); 2].map(|()| Stream::new(&ready));
    let submitting = AtomicUsize::new(2);
    thread::scope(|scope| {
        for me in 0..2 {
            let (streams, submitting) = (&streams, &submitting);
            let (mine, other) = (&streams[me], &streams[1 - me]);
            scope.spawn(move || {
                for n in 0..OPERATIONS {
                    match n % 7 {
                        // A record is submitted before any wait for it, and the first stream has no waits, so there is
                        // no cycle.
                        0 => {
                            let record = Arc::new(Record::new());
                            streams[0].push(|_| Op::Record(Arc::clone(&record))).unwrap();
                            streams[1].push(|_| Op::Wait(record)).unwrap();
                        }
                        1 => _ = mine.push(Op::User).unwrap(),
                        2 => other.run_now(),
                        3 => _ = mine.help(Runner { helper: true, one_by_one: n % 2 == 0 }),
                        _ => _ = other.push(Op::Note).unwrap(),
                    }
                }
                submitting.fetch_sub(1, Release);
            });
            scope.spawn(|| {
                while submitting.load(Acquire) > 0 || !ready.lock().is_empty() {
                    work(&ready, WORKER);
                    thread::yield_now();
                }
            });
        }
    });
    work(&ready, WORKER);
    // One of seven operations is a record or wait, and one a help.
    let run: usize = streams.iter().map(|stream| stream.check()).sum();
    assert_eq!(run, 2 * OPERATIONS / 7 * 5);
}
