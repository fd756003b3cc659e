//! Checks every order of the steps of two or three threads. A lost wake-up is a deadlock, which loom reports. A lost
//! operation is one that has not run after all lists are empty.

#[path = "stream_queue_models/dropping.rs"]
mod dropping;

use loom::thread;

use super::*;
use crate::tests::model;

const HELPER: Runner = Runner { helper: true, one_by_one: false };

fn streams<const N: usize>() -> (Arc<List>, [Arc<Stream>; N]) {
    let ready = Arc::new(List::new(VecDeque::new()));
    let streams = [(); N].map(|()| Stream::new(&ready));
    (ready, streams)
}

/// Starts a thread that works until nothing is listed.
fn worker(ready: &Arc<List>, runner: Runner) -> thread::JoinHandle<()> {
    let ready = Arc::clone(ready);
    thread::spawn(move || work(&ready, runner))
}

/// Starts a thread that calls `body` with a stream.
fn spawn<R: 'static>(stream: &Arc<Stream>, body: impl FnOnce(&Arc<Stream>) -> R + 'static) -> thread::JoinHandle<R> {
    let stream = Arc::clone(stream);
    thread::spawn(move || body(&stream))
}

/// Checks that complete operations stay complete, and have run.
fn watch(stream: &Stream) {
    let first = stream.operations.finished();
    let second = stream.operations.finished();
    assert!(first <= second && second <= stream.operations.last_ticket());
}

/// Checks that all operations run once, in the order of the tickets, if two threads submit and a third runs.
#[test]
fn loom_two_submitters_and_a_worker() {
    model(|| {
        let (ready, [stream]) = streams();
        let submitter = spawn(&stream, |stream| {
            let first = stream.push(Op::Note).unwrap();
            assert!(stream.push(Op::Note).unwrap() > first);
        });
        let worker = worker(&ready, WORKER);
        stream.push(Op::Note).unwrap();
        watch(&stream);
        submitter.join().unwrap();
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.log(), [1, 2, 3]);
        assert_eq!(stream.check(), 3);
    });
}

/// Checks the same with two workers, each of which releases the stream after an operation.
#[test]
fn loom_workers_take_turns() {
    model(|| {
        let (ready, [stream]) = streams();
        let one_by_one = Runner { one_by_one: true, ..WORKER };
        stream.push(Op::Note).unwrap();
        let workers = [(); 2].map(|()| worker(&ready, one_by_one));
        stream.push(Op::Note).unwrap();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        work(&ready, WORKER);
        assert_eq!(stream.check(), 2);
    });
}

/// Checks an operation that is submitted while the claimer finds the queue empty.
#[test]
fn loom_submission_while_the_claimer_goes_idle() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::Note).unwrap();
        let worker = worker(&ready, WORKER);
        let ticket = stream.push(Op::Note).unwrap();
        watch(&stream);
        worker.join().unwrap();
        work(&ready, WORKER);
        assert!(stream.operations.has_finished(ticket));
        assert_eq!(stream.check(), 2);
    });
}

/// Checks that an operation that its submitter runs itself keeps its place among those of another thread.
#[test]
fn loom_operations_in_the_caller_and_queued() {
    model(|| {
        let (ready, [stream]) = streams();
        let submitter = spawn(&stream, |stream| {
            stream.run_now();
            stream.run_now();
        });
        let worker = worker(&ready, WORKER);
        stream.push(Op::Note).unwrap();
        submitter.join().unwrap();
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 3);
    });
}

/// Checks that the completion alone orders the two threads.
#[test]
fn loom_what_was_before_a_completion_can_be_seen() {
    model(|| {
        let (_, [stream]) = streams();
        let record = Arc::new(Record::new());
        let other = {
            let (stream, record) = (Arc::clone(&stream), Arc::clone(&record));
            thread::spawn(move || {
                stream.note(1);
                assert!(record.complete().is_empty());
            })
        };
        if record.is_complete() {
            assert_eq!(stream.log(), [1]);
        }
        other.join().unwrap();
    });
}

/// Checks one worker that completes the record while the other blocks on it.
#[test]
fn loom_blocking_while_the_record_completes() {
    model(|| {
        let (ready, [first, second]) = streams();
        let record = Arc::new(Record::new());
        second.push(|_| Op::Wait(Arc::clone(&record))).unwrap();
        second.push(|ticket| Op::Look(ticket, Arc::clone(&first), 1)).unwrap();
        first.push(Op::Note).unwrap();
        first.push(|_| Op::Record(record)).unwrap();
        let worker = worker(&ready, WORKER);
        work(&ready, WORKER);
        worker.join().unwrap();
        assert_eq!(first.check(), 1);
        assert_eq!(second.check(), 1);
    });
}

/// Checks an idle stream that blocks at once, while more is submitted to it, and the record completes. The resuming
/// thread runs it, or lists it for a worker.
#[test]
fn loom_blocking_at_once_while_the_record_completes() {
    for list in [false, true] {
        model(move || {
            let (ready, [stream]) = streams();
            let record = Arc::new(Record::new());
            let recorder = {
                let record = Arc::clone(&record);
                thread::spawn(move || {
                    let local = complete(&record);
                    if list {
                        local.iter().filter(|s| s.operations.must_list()).for_each(Stream::list);
                    } else {
                        run_resumed(local);
                    }
                })
            };
            let submission = stream.operations.submit().unwrap();
            submission.block(Op::Wait(record), |record| record.subscribe(&stream));
            stream.push(Op::Note).unwrap();
            watch(&stream);
            work(&ready, WORKER);
            recorder.join().unwrap();
            work(&ready, WORKER);
            assert_eq!(stream.check(), 1);
        });
    }
}

/// Checks a resumed stream that a helper claims before the resuming thread, while more is submitted.
#[test]
fn loom_helper_and_resumed_stream() {
    model(|| {
        let (ready, [stream]) = streams();
        let record = Arc::new(Record::new());
        let submission = stream.operations.submit().unwrap();
        submission.block(Op::Wait(Arc::clone(&record)), |record| record.subscribe(&stream));
        stream.push(Op::Note).unwrap();
        let recorder = thread::spawn(move || run_resumed(complete(&record)));
        let helper = spawn(&stream, |stream| stream.help(HELPER));
        stream.push(Op::Note).unwrap();
        recorder.join().unwrap();
        helper.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 2);
    });
}

/// Checks a thread that waits, and helps if it can: one of the two runs each operation, and the waiter sees the last
/// complete.
#[test]
fn loom_waiting_helper_and_worker() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::Note).unwrap();
        let ticket = stream.push(Op::Note).unwrap();
        let worker = worker(&ready, WORKER);
        let done = || stream.operations.has_finished(ticket);
        while !done() {
            if !stream.help(HELPER) {
                assert!(stream.waiters.wait_for(None, done));
            }
        }
        assert_eq!(stream.log(), [1, 2], "what has finished can be seen");
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 2);
    });
}

/// Checks a helper that reaches an operation which it may not run, and releases the queue.
#[test]
fn loom_helper_releases_the_queue() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::Note).unwrap();
        stream.push(Op::User).unwrap();
        stream.push(Op::Note).unwrap();
        let worker = worker(&ready, WORKER);
        stream.help(HELPER);
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 3);
    });
}

/// Checks a helper that stops after an operation: the rest is listed, unless it still is.
#[test]
fn loom_helper_lets_go() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::Note).unwrap();
        stream.push(Op::Note).unwrap();
        let worker = worker(&ready, WORKER);
        stream.help(Runner { one_by_one: true, ..HELPER });
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 2);
    });
}

/// Checks the same when the resuming thread lists the stream.
#[test]
fn loom_helper_lets_go_of_a_resumed_stream() {
    model(|| {
        let (ready, [stream]) = streams();
        let record = Arc::new(Record::new());
        let submission = stream.operations.submit().unwrap();
        submission.block(Op::Wait(Arc::clone(&record)), |record| record.subscribe(&stream));
        stream.push(Op::Note).unwrap();
        let recorder = thread::spawn(move || {
            complete(&record).iter().filter(|s| s.operations.must_list()).for_each(Stream::list);
        });
        stream.help(Runner { one_by_one: true, ..HELPER });
        recorder.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 1);
    });
}

/// Checks another thread that completes what a stream handed over, before or after the stream blocks on it.
#[test]
fn loom_handing_over_while_the_record_completes() {
    model(|| {
        let (ready, [stream]) = streams();
        let (record, list) = (Arc::new(Record::new()), Arc::new(Mutex::new(Vec::new())));
        stream.push(|_| Op::HandOver(record, Arc::clone(&list))).unwrap();
        stream.push(Op::Note).unwrap();
        let worker = worker(&ready, WORKER);
        let handed = list.lock().pop();
        if let Some(record) = handed {
            run_resumed(complete(&record));
        }
        worker.join().unwrap();
        let handed = list.lock().pop();
        if let Some(record) = handed {
            assert!(stream.log().is_empty(), "it did not wait");
            run_resumed(complete(&record));
        }
        work(&ready, WORKER);
        assert_eq!(stream.check(), 1);
        assert!(stream.operations.has_finished(2));
    });
}

/// Checks a stream that is abandoned while a worker has an operation in hand that it must go on with.
#[test]
fn loom_abandoning_while_handing_over() {
    model(|| {
        let (ready, [stream]) = streams();
        let (record, list) = (Arc::new(Record::new()), Arc::new(Mutex::new(Vec::new())));
        stream.push(|_| Op::HandOver(Arc::clone(&record), list)).unwrap();
        stream.push(Op::Note).unwrap();
        let worker = worker(&ready, WORKER);
        let dropped = stream.operations.abandon();
        if let Some(Op::Wait(record)) = dropped.front() {
            record.unsubscribe(&stream);
        }
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 0);
        assert!(dropped.len() <= 2 && stream.operations.was_dropped(2));
        assert!(complete(&record).is_empty(), "no stream waits for it");
    });
}
