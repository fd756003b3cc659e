//! Checks the queue's rules one by one (`stream_queue_tests/rules.rs`) and, by loom, concurrent calls
//! (`stream_queue_models.rs`). Both use the queue as a backend does: with streams, records, threads with a list
//! of streams, and threads that wait and help.

use std::sync::Arc;

use super::super::completion::Completion;
use super::*;
use crate::sync::event_count::EventCount;

#[cfg(not(loom))]
use real_cell::UnsafeCell;

#[cfg(loom)]
use loom::cell::UnsafeCell;

/// Loom's interface of a cell.
#[cfg(not(loom))]
mod real_cell {
    pub(super) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(super) fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        pub(super) fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
            look(self.0.get())
        }

        pub(super) fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
            change(self.0.get())
        }
    }
}

enum Op {
    /// Notes its ticket in the stream's log.
    Note(u64),
    /// Notes its ticket in the stream's log. Only a worker may run it.
    User(u64),
    /// Checks that this many operations of the other stream are visible, and notes its ticket.
    Look(u64, Arc<Stream>, usize),
    Record(Arc<Record>),
    Wait(Arc<Record>),
    /// Puts the record on the list, and then waits for it.
    HandOver(Arc<Record>, Arc<Inbox>),
}

type Record = Completion<Stream>;
type Inbox = Mutex<Vec<Arc<Record>>>;

impl Operation for Op {
    type Record = Arc<Record>;
    /// The ticket, 0 for none.
    type Footprint = u64;

    fn awaits(&self) -> Option<&Arc<Record>> {
        if let Self::Wait(record) = self { Some(record) } else { None }
    }

    fn footprint(&self) -> u64 {
        match self {
            Self::Note(ticket) | Self::User(ticket) | Self::Look(ticket, ..) => *ticket,
            Self::Record(_) | Self::Wait(_) | Self::HandOver(..) => 0,
        }
    }
}

/// The streams that are listed.
type List = Mutex<VecDeque<Arc<Stream>>>;

struct Stream {
    operations: StreamQueue<Op>,
    /// The tickets of the operations that have run. There is no lock: the claim protects the log.
    log: UnsafeCell<Vec<u64>>,
    ready: Arc<List>,
    waiters: EventCount,
}

// SAFETY: the log is written by the claimer only, and read where what was written is complete; loom checks that.
unsafe impl Sync for Stream {}
// SAFETY: the test gives every access to the stream's cell an order, which loom checks.
unsafe impl Send for Stream {}

/// A thread: whether it may run [`Op::User`], and whether it releases the stream after each operation.
#[derive(Clone, Copy)]
struct Runner {
    helper: bool,
    one_by_one: bool,
}

const WORKER: Runner = Runner { helper: false, one_by_one: false };

impl Stream {
    fn new(ready: &Arc<List>) -> Arc<Self> {
        Arc::new(Self {
            operations: StreamQueue::new(),
            log: UnsafeCell::new(Vec::new()),
            ready: Arc::clone(ready),
            waiters: EventCount::new(),
        })
    }

    fn list(self: &Arc<Self>) {
        let mut ready = self.ready.lock();
        assert!(!ready.iter().any(|other| Arc::ptr_eq(other, self)), "listed twice");
        ready.push_back(Arc::clone(self));
    }

    /// Submits an operation. Returns its ticket, or `None` if the stream was abandoned.
    fn push(self: &Arc<Self>, operation: impl FnOnce(u64) -> Op) -> Option<u64> {
        let submission = self.operations.submit()?;
        let ticket = submission.ticket();
        if submission.push(operation(ticket)) {
            self.list();
        }
        Some(ticket)
    }

    /// Runs an operation in the caller if the stream is idle, otherwise queues it.
    fn run_now(self: &Arc<Self>) {
        let submission = self.operations.submit().unwrap();
        let ticket = submission.ticket();
        if !submission.is_idle() {
            if submission.push(Op::Note(ticket)) {
                self.list();
            }
            return;
        }
        let claim = submission.claim(&Op::Note(ticket));
        self.note(ticket);
        let mut claim = claim.lock();
        claim.finish();
        if claim.release() {
            self.list();
        }
    }

    fn note(&self, ticket: u64) {
        // SAFETY: the caller has the claim.
        self.log.with_mut(|log| unsafe { (*log).push(ticket) });
        assert!(!self.operations.has_finished(ticket), "over before it is over");
    }

    fn log(&self) -> Vec<u64> {
        // SAFETY: the caller has seen that the operations are complete.
        self.log.with(|log| unsafe { (*log).clone() })
    }

    fn run(self: &Arc<Self>, claim: Claim<'_, Op>, runner: Runner, local: &mut Vec<Arc<Self>>) {
        let mut claim = claim.lock();
        while let Some((locked, operation)) = claim.next(|record| record.subscribe(self)) {
            let unlocked = locked.unlock();
            let mut go_on_with = None;
            match operation {
                Op::User(_) if runner.helper => {
                    if let Ok(true) | Err((_, true)) = unlocked.lock().put_back(operation) {
                        self.list();
                    }
                    return;
                }
                Op::Note(ticket) | Op::User(ticket) => self.note(ticket),
                Op::Look(ticket, other, count) => {
                    assert!(other.log().len() >= count, "it does not wait for the record");
                    self.note(ticket);
                }
                Op::Wait(_) => {}
                Op::Record(record) => local.extend(complete(&record)),
                Op::HandOver(record, list) => {
                    list.lock().push(Arc::clone(&record));
                    go_on_with = Some(Op::Wait(record));
                }
            }
            claim = unlocked.lock();
            if let Some(operation) = go_on_with {
                claim.go_on_with(operation);
            }
            claim.finish();
            self.waiters.notify_all();
            if runner.one_by_one {
                if claim.release() {
                    self.list();
                }
                return;
            }
        }
    }

    /// Ends the wait with this ticket, if the stream is blocked on it.
    fn expire(self: &Arc<Self>, ticket: u64, record: &Record) -> bool {
        let Some((claim, operation)) = self.operations.expire(ticket) else { return false };
        assert!(matches!(operation, Op::Wait(_)) && !self.operations.has_finished(ticket));
        record.unsubscribe(self);
        let mut claim = claim.lock();
        claim.finish();
        if claim.release() {
            self.list();
        }
        true
    }

    /// Runs the stream if the caller may. Returns the record that it waits for, or false if nothing can be done.
    fn help(self: &Arc<Self>, runner: Runner) -> bool {
        match self.operations.help(|first| !matches!(first, Op::User(_))) {
            Help::Claimed(claim) => {
                let mut local = Vec::new();
                self.run(claim, runner, &mut local);
                run_resumed(local);
                true
            }
            Help::BlockedOn(_) | Help::Nothing => false,
        }
    }

    /// Checks the final invariants: everything is complete, and every operation that was not dropped has run, once and
    /// in order. Returns the number of operations that have run.
    fn check(&self) -> usize {
        {
            let state = self.operations.state.lock();
            assert_eq!(state.phase, Phase::Idle, "no thread holds it at the end");
            assert!(state.operations.is_empty());
            assert!(!state.listed, "it counts as listed, and is not");
        }
        assert!(self.operations.is_idle());
        let log = self.log();
        assert!(log.is_sorted_by(|a, b| a < b), "twice, or out of order: {log:?}");
        for &ticket in &log {
            assert!(!self.operations.was_dropped(ticket), "dropped, and has run");
        }
        log.len()
    }
}

/// Completes a record. Returns the streams that the caller must run or list.
fn complete(record: &Record) -> Vec<Arc<Stream>> {
    record.complete().into_iter().filter(|stream| stream.operations.resume()).collect()
}

/// Runs the first resumed stream, and lists the others, as workers do.
fn run_resumed(mut local: Vec<Arc<Stream>>) {
    while !local.is_empty() {
        let stream = local.remove(0);
        for other in std::mem::take(&mut local) {
            if other.operations.must_list() {
                other.list();
            }
        }
        if let Some(claim) = stream.operations.claim_resumed() {
            stream.run(claim, WORKER, &mut local);
        }
    }
}

/// Runs streams until none is listed.
fn work(ready: &List, runner: Runner) {
    loop {
        let next = ready.lock().pop_front();
        let Some(stream) = next else { return };
        if let Some(claim) = stream.operations.claim_listed() {
            let mut local = Vec::new();
            stream.run(claim, runner, &mut local);
            run_resumed(local);
        }
    }
}

#[cfg(not(loom))]
#[path = "stream_queue_tests/rules.rs"]
mod real;

#[cfg(loom)]
#[path = "stream_queue_models.rs"]
mod loom_stream_queue;
