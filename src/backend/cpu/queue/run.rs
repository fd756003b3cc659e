//! Running a queue, and waiting for one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Chance, Claim, Queue, happen};
use crate::backend::cpu::event::Record;
use crate::backend::cpu::executor::{Entry, Runner};
use crate::backend::cpu::operation::{Operation, SHORT};
use crate::backend::{Fault, FaultKind, HostFn, Wait};

/// How long a waiter spins before it sleeps: about 7 us, what waking it would cost.
const SPINS: u32 = 200;
/// How many streams, each waiting for the next, a helping thread follows.
const MAX_CHAIN: usize = 64;

impl Queue {
    /// Runs operations of a queue that the caller has claimed, until it is empty, blocked, or
    /// `stop` says so after an operation; then the claim is given up.
    pub(in crate::backend::cpu) fn run(
        self: &Arc<Self>,
        runner: &mut Runner<'_>,
        stop: &mut dyn FnMut() -> bool,
    ) {
        let mut state = self.state.lock();
        loop {
            let Some(operation) = state.operations.pop_front() else {
                state.claim = Claim::Idle;
                return;
            };
            let mut failure = None;
            match operation {
                Operation::Wait(record) => {
                    if record.subscribe(self) {
                        state.operations.push_front(Operation::Wait(Arc::clone(&record)));
                        state.claim = Claim::Blocked(record);
                        return;
                    }
                }
                Operation::Record(record) => {
                    drop(state);
                    self.delay();
                    runner.resumed(happen(&record));
                    state = self.state.lock();
                }
                Operation::HostFn(function) => {
                    drop(state);
                    match runner.enter_user_code() {
                        Entry::Granted => {
                            self.delay();
                            function.run();
                            runner.leave_user_code();
                        }
                        Entry::NotNow => {
                            self.hold(runner, function);
                            return;
                        }
                        Entry::Failed(fault) => failure = Some(fault),
                    }
                    state = self.state.lock();
                }
                operation => {
                    state.current = operation.ranges();
                    drop(state);
                    if operation.len() > SHORT {
                        runner.flush();
                    }
                    self.delay();
                    failure = self.run_guarded(&operation);
                    state = self.state.lock();
                }
            }
            self.finish_current(&mut state, failure);
            self.waiters.notify_all();
            if stop() {
                let list = self.end_claim(&mut state);
                drop(state);
                if list {
                    self.shared.executor.push(Arc::clone(self));
                }
                return;
            }
        }
    }

    /// The claimer cannot call this function: the queue goes back to the executor, with it in
    /// front again.
    fn hold(self: &Arc<Self>, runner: &mut Runner<'_>, function: HostFn) {
        let mut state = self.state.lock();
        if state.abandoned {
            let ticket = self.submitted.load(Ordering::Relaxed) - state.operations.len() as u64;
            self.dropped.fetch_min(ticket, Ordering::Release);
            self.finish_current(&mut state, None);
            state.claim = Claim::Idle;
            drop(state);
            self.waiters.notify_all();
            return;
        }
        state.operations.push_front(Operation::HostFn(function));
        let list = self.become_queued(&mut state);
        drop(state);
        if list {
            runner.hold(Arc::clone(self));
        }
    }

    pub(super) fn run_guarded(&self, operation: &Operation) -> Option<Fault> {
        let panic = catch_unwind(AssertUnwindSafe(|| operation.run(&self.shared))).err()?;
        let said = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no text");
        Some(Fault::new(
            FaultKind::Execution,
            format!("an operation of the stream failed by a defect in portacl: {said}"),
        ))
    }

    /// In asynchronous mode: a moment that depends on the seed, the stream and the operation, in
    /// half of all cases none.
    fn delay(&self) {
        let options = &self.shared.options;
        if options.asynchronous {
            let ticket = self.finished.load(Ordering::Relaxed);
            let random = mix(options.seed ^ mix(self.id ^ mix(ticket)));
            if random & 1 == 0 {
                std::thread::sleep(Duration::from_nanos((random >> 1) % 200_000));
            }
        }
    }

    /// Waits until `done`, which must become true by an operation of this queue. Meanwhile this
    /// thread runs the library's own operations that have to come first, where it can.
    pub(in crate::backend::cpu) fn wait_until(
        self: &Arc<Self>,
        done: &dyn Fn() -> bool,
        deadline: Option<Instant>,
    ) -> Wait {
        let expired = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        loop {
            if done() {
                return Wait::Done;
            }
            if expired() {
                return Wait::TimedOut;
            }
            if !self.shared.options.asynchronous && self.help(&|| done() || expired()) {
                continue;
            }
            if self.shared.cores > 1 {
                for _ in 0..SPINS {
                    if done() {
                        return Wait::Done;
                    }
                    std::hint::spin_loop();
                }
            }
            let key = self.waiters.prepare();
            if done() {
                self.waiters.cancel(key);
                return Wait::Done;
            }
            if !self.waiters.wait(key, deadline) && !done() {
                return Wait::TimedOut;
            }
        }
    }

    /// Runs operations of this queue, or of the one that it has to wait for. False: nothing can
    /// be done from here.
    fn help(self: &Arc<Self>, enough: &dyn Fn() -> bool) -> bool {
        let mut queue = Arc::clone(self);
        let mut until: Option<Arc<Record>> = None;
        for _ in 0..MAX_CHAIN {
            match queue.try_help() {
                Chance::Claimed => {
                    let mut runner = Runner::helper(&self.shared.executor);
                    let mut stop =
                        || enough() || until.as_ref().is_some_and(|record| record.has_happened());
                    queue.run(&mut runner, &mut stop);
                    while let Some(next) = runner.take_local() {
                        if enough() {
                            runner.put_back(next);
                            break;
                        }
                        if next.claim_resumed() {
                            next.run(&mut runner, &mut || enough());
                        }
                    }
                    return true;
                }
                Chance::BlockedOn(record) => {
                    let Some(next) = record.stream() else { return false };
                    until = Some(record);
                    queue = next;
                }
                Chance::None => return false,
            }
        }
        false
    }
}

/// A well-mixed number from a poor one (the finaliser of SplitMix64).
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
