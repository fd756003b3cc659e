//! Checks operations that time out or are dropped, in every order of the steps of two or three threads.

use loom::thread;

use super::*;
use crate::tests::model;

/// Creates a blocked stream, whose wait has ticket 1, with an operation after it.
fn blocked_on(record: &Arc<Record>, stream: &Arc<Stream>) {
    let submission = stream.operations.submit().unwrap();
    submission.block(Op::Wait(Arc::clone(record)), |record| record.subscribe(stream));
    stream.push(Op::Note).unwrap();
}

/// Checks that the wait ends once: by its timeout, or because the record completes.
#[test]
fn loom_expiring_while_the_record_completes() {
    model(|| {
        let (ready, [stream]) = streams();
        let record = Arc::new(Record::new());
        blocked_on(&record, &stream);
        let recorder = {
            let record = Arc::clone(&record);
            thread::spawn(move || run_resumed(complete(&record)))
        };
        stream.expire(1, &record);
        watch(&stream);
        recorder.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 1);
    });
}

/// Checks a wait that times out while the stream is abandoned, or while more is submitted.
#[test]
fn loom_expiring_while_others_submit_and_abandon() {
    for abandoned in [false, true] {
        model(move || {
            let (ready, [stream]) = streams();
            let record = Arc::new(Record::new());
            blocked_on(&record, &stream);
            let other = spawn(&stream, move |stream| match abandoned {
                true => drop(stream.operations.abandon()),
                false => drop(stream.push(Op::Note).unwrap()),
            });
            let expired = stream.expire(1, &record);
            other.join().unwrap();
            work(&ready, WORKER);
            let run = stream.check();
            assert!(expired || abandoned);
            assert!(if abandoned { run < 2 } else { run == 2 });
        });
    }
}

/// Abandons the stream. Returns how many operations were dropped, all of which count as dropped.
fn abandon(stream: &Stream) -> usize {
    let dropped = stream.operations.abandon();
    for operation in &dropped {
        assert!(stream.operations.was_dropped(operation.footprint()));
    }
    watch(stream);
    dropped.len()
}

/// Checks that the operation which a worker has started goes on, and that all others are dropped.
#[test]
fn loom_abandoning_while_a_worker_runs() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::Note).unwrap();
        stream.push(Op::Note).unwrap();
        let worker = worker(&ready, WORKER);
        let dropped = abandon(&stream);
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check() + dropped, 2);
    });
}

/// Checks that each operation is refused, dropped, or run.
#[test]
fn loom_abandoning_while_others_submit_and_work() {
    model(|| {
        let (ready, [stream]) = streams();
        let submitter = spawn(&stream, |stream| [(); 2].map(|()| stream.push(Op::Note)).iter().flatten().count());
        let worker = worker(&ready, WORKER);
        let dropped = abandon(&stream);
        let submitted = submitter.join().unwrap();
        worker.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check() + dropped, submitted);
        assert_eq!(stream.push(Op::Note), None);
    });
}

/// Checks a stream that is abandoned while a helper has an operation in hand that it puts back.
#[test]
fn loom_abandoning_while_a_helper_releases_the_queue() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::Note).unwrap();
        stream.push(Op::User).unwrap();
        stream.push(Op::Note).unwrap();
        let helper = spawn(&stream, |stream| stream.help(HELPER));
        abandon(&stream);
        helper.join().unwrap();
        work(&ready, WORKER);
        let run = stream.check();
        assert!(run < 2 && stream.operations.was_dropped(2));
        assert_eq!(stream.operations.was_dropped(1), run == 0);
    });
}

/// Checks a blocked stream that is abandoned while its record completes.
#[test]
fn loom_abandoning_while_the_record_completes() {
    model(|| {
        let (ready, [stream]) = streams();
        let record = Arc::new(Record::new());
        let submission = stream.operations.submit().unwrap();
        submission.block(Op::Wait(Arc::clone(&record)), |record| record.subscribe(&stream));
        let ticket = stream.push(Op::Note).unwrap();
        let recorder = {
            let record = Arc::clone(&record);
            thread::spawn(move || run_resumed(complete(&record)))
        };
        let dropped = stream.operations.abandon();
        record.unsubscribe(&stream);
        recorder.join().unwrap();
        work(&ready, WORKER);
        let run = stream.check();
        assert_eq!(run == 0, stream.operations.was_dropped(ticket));
        assert_eq!(run == 0, !dropped.is_empty());
    });
}

/// Checks a stream that is aborted while a worker runs it and another thread submits: each operation is dropped or run,
/// and later ones run.
#[test]
fn loom_aborting_while_others_submit_and_work() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::Note).unwrap();
        let submitter = spawn(&stream, |stream| stream.push(Op::Note).unwrap());
        let worker = worker(&ready, WORKER);
        let (dropped, in_hand) = stream.operations.abort();
        if let Some((ticket, _)) = in_hand {
            assert!(ticket <= 2);
        }
        watch(&stream);
        submitter.join().unwrap();
        worker.join().unwrap();
        let last = stream.push(Op::Note).unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check() + dropped.len(), 3);
        assert_eq!(stream.log().last(), Some(&last));
    });
}

/// Checks a blocked stream that is aborted while its record completes, and is then used again.
#[test]
fn loom_aborting_while_the_record_completes() {
    model(|| {
        let (ready, [stream]) = streams();
        let record = Arc::new(Record::new());
        let submission = stream.operations.submit().unwrap();
        submission.block(Op::Wait(Arc::clone(&record)), |record| record.subscribe(&stream));
        let recorder = {
            let record = Arc::clone(&record);
            thread::spawn(move || run_resumed(complete(&record)))
        };
        let _ = stream.operations.abort();
        record.unsubscribe(&stream);
        stream.push(Op::Note).unwrap();
        recorder.join().unwrap();
        work(&ready, WORKER);
        assert_eq!(stream.check(), 1);
    });
}

/// Checks a helper that puts a host function back while the stream is aborted.
#[test]
fn loom_aborting_while_a_helper_puts_back() {
    model(|| {
        let (ready, [stream]) = streams();
        stream.push(Op::User).unwrap();
        let helper = spawn(&stream, |stream| stream.help(HELPER));
        let (dropped, _) = stream.operations.abort();
        let last = stream.push(Op::Note).unwrap();
        helper.join().unwrap();
        work(&ready, WORKER);
        let run = stream.check();
        assert!(run <= 2 && stream.log().last() == Some(&last));
        assert!(dropped.len() <= 1);
    });
}
