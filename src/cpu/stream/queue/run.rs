//! Runs a queue, and waits for one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Queue, ticket};
use crate::algo::math::mix::mix;
use crate::algo::queue::stream_queue::{Claim, Help};
use crate::algo::thread::pause::{pause, spin_until};
use crate::algo::thread::thread_attributes;
use crate::backend::stream::watch::ANYWHERE;
use crate::backend::{Fault, FaultKind, Result, Ticket, Wait};
use crate::runtime::utilization::Working;
use crate::stream::event::Record;
use crate::stream::executor::Runner;
use crate::stream::operation::{Awaited, Begins, GraphRun, Operation, SHORT, Task};

/// The maximum number of streams, each waiting for the next, that a helping thread follows.
const MAX_CHAIN: usize = 64;

/// The result of an operation. It is complete, or will be when the report is complete. An error contains the operation,
/// because this thread must not run its kernels or call its host function now.
type Execution = std::result::Result<Option<Operation>, Operation>;

impl Queue {
    /// Returns the name of the operation that runs next, for the log of a schedule.
    pub(crate) fn first_operation(&self) -> &'static str {
        let mut name = "nothing";
        let _ = self.operations.find(|task| {
            name = task.operation.name();
            true
        });
        name
    }

    /// Runs operations of a queue that the caller has claimed, until it is empty or blocked, or `stop` returns true
    /// after an operation. Then releases the claim.
    pub(crate) fn run(
        self: &Arc<Self>,
        claim: Claim<'_, Task>,
        runner: &mut Runner<'_>,
        stop: &mut dyn FnMut() -> bool,
    ) {
        let mut claim = claim.lock();
        // The device works from the first operation on memory on. User code does not count as work of the device.
        let mut working = None;
        while let Some((locked, task)) = claim.next(|on| self.subscribe(on)) {
            let Task { operation, thread } = task;
            let (mut report, mut begun) = (None, None);
            // A wait is complete when the queue returns it.
            claim = if let Operation::Wait(on) = operation {
                begun = on.begins;
                locked
            } else if let Operation::HandOver(delivery, record) = operation {
                let claim = locked.unlock();
                self.delay();
                delivery.deliver(record.clone().map_or(Ticket::unawaited(), ticket));
                let mut claim = claim.lock();
                if let Some(record) = record {
                    claim.go_on_with(Task { operation: Operation::Wait(Awaited::record(record)), thread });
                }
                claim
            } else {
                let claim = locked.unlock();
                match self.run_unlocked(operation, thread, runner, &mut working) {
                    Ok(failed) => report = failed,
                    Err(operation) => return self.hold(claim, runner, Task { operation, thread }),
                }
                claim.lock()
            };
            self.finish(&mut claim, report);
            if matches!(begun, Some(Begins::Task(_))) {
                // The last reference to a task calls the program, which may wait for a thread that wants the lock.
                working = None;
                let claimed = claim.unlock();
                drop(begun);
                claim = claimed.lock();
            }
            if stop() {
                return self.release(claim);
            }
        }
    }

    /// Runs an operation for which the queue needs no lock.
    fn run_unlocked<'a>(
        &'a self,
        operation: Operation,
        thread: u32,
        runner: &mut Runner<'_>,
        working: &mut Option<Working<'a>>,
    ) -> Execution {
        match operation {
            Operation::Mark => {
                self.delay();
                Ok(None)
            }
            Operation::Record(record) => {
                self.delay();
                runner.resumed(record.complete());
                Ok(None)
            }
            Operation::ChangeNotify(notify, change) => {
                self.delay();
                notify.change(change);
                self.shared.watcher.check(notify.range());
                Ok(None)
            }
            Operation::Launch(_) | Operation::Graph(_) if operation.runs_kernels() && !runner.may_run_kernels() => {
                Err(operation)
            }
            Operation::HostFn(_) | Operation::Graph(_) if operation.is_host_fn() => {
                self.run_user_code(operation, thread, runner, working)
            }
            Operation::Copy(_)
            | Operation::Awaited(..)
            | Operation::CopyStaged(..)
            | Operation::Copy2d(_)
            | Operation::CopyIndirect(_)
            | Operation::Fill(_)
            | Operation::RandomNum(_)
            | Operation::Reduce(_)
            | Operation::WriteValue(_)
            | Operation::Launch(_)
            | Operation::Graph(_)
            | Operation::HostFn(_) => {
                if operation.len() > SHORT {
                    runner.flush();
                }
                self.delay();
                working.get_or_insert_with(|| self.busy().begin());
                Ok(self.run_work(operation, thread, runner))
            }
            Operation::HandOver(..) | Operation::Wait(_) => unreachable!("the queue handles these under its lock"),
        }
    }

    /// Runs an operation on memory or a kernel. Returns the report of its failure.
    fn run_work(&self, operation: Operation, thread: u32, runner: &mut Runner<'_>) -> Option<Operation> {
        let failed = self.guarded(|| operation.run(&self.shared));
        self.shared.watcher.check(operation.written());
        let report = failed.and_then(|fault| self.fail(fault, thread, operation.failed_launch()));
        if let Operation::Graph(run) = operation {
            runner.resumed(run.end());
        }
        report
    }

    /// Runs a host function, or a graph with host functions. The device works on behalf of a graph only until its next
    /// host function.
    fn run_user_code<'a>(
        &'a self,
        operation: Operation,
        thread: u32,
        runner: &mut Runner<'_>,
        working: &mut Option<Working<'a>>,
    ) -> Execution {
        let function = match operation {
            Operation::HostFn(function) => function,
            Operation::Graph(run) => {
                self.delay();
                return self.run_graph(run, thread, runner, working);
            }
            Operation::Copy(_)
            | Operation::Awaited(..)
            | Operation::CopyStaged(..)
            | Operation::Copy2d(_)
            | Operation::CopyIndirect(_)
            | Operation::Fill(_)
            | Operation::RandomNum(_)
            | Operation::Reduce(_)
            | Operation::WriteValue(_)
            | Operation::Launch(_)
            | Operation::HandOver(..)
            | Operation::Record(_)
            | Operation::ChangeNotify(..)
            | Operation::Wait(_)
            | Operation::Mark => unreachable!("run_unlocked calls this for host functions and graphs"),
        };
        *working = None;
        match runner.enter_user_code() {
            Ok(true) => {
                self.delay();
                function.run();
                runner.leave_user_code(self.id);
                self.shared.watcher.check(ANYWHERE);
                Ok(None)
            }
            Ok(false) => Err(Operation::HostFn(function)),
            Err(fault) => Ok(self.fail(fault, thread, None)),
        }
    }

    fn run_graph<'a>(
        &'a self,
        mut run: Box<dyn GraphRun>,
        thread: u32,
        runner: &mut Runner<'_>,
        working: &mut Option<Working<'a>>,
    ) -> Execution {
        let mut report;
        loop {
            working.get_or_insert_with(|| self.busy().begin());
            let mut function = None;
            let failed = self.guarded(|| {
                function = run.run_to_user_code(&self.shared);
                Ok(())
            });
            *working = None;
            self.shared.watcher.check(ANYWHERE);
            report = failed.and_then(|fault| self.fail(fault, thread, None));
            let Some(function) = function else { break };
            match runner.enter_user_code() {
                Ok(true) => {
                    function.run();
                    runner.leave_user_code(self.id);
                    self.shared.watcher.check(ANYWHERE);
                    run.has_called();
                }
                Ok(false) => return Err(Operation::Graph(run)),
                Err(fault) => {
                    report = self.fail(fault, thread, None);
                    break;
                }
            }
        }
        if let Some(fault) = run.failure() {
            report = self.fail(fault, thread, None);
        }
        runner.resumed(run.end());
        Ok(report)
    }

    /// Puts an operation whose function the claimer cannot call back in front, and holds the queue in the executor.
    fn hold(self: &Arc<Self>, claim: Claim<'_, Task>, runner: &mut Runner<'_>, task: Task) {
        match claim.lock().put_back(task) {
            Ok(true) => runner.hold(Arc::clone(self)),
            Ok(false) => {}
            // The operation was dropped, and is complete now.
            Err((_, list)) => {
                self.waiters.notify_all();
                if list {
                    self.executor.push(Arc::clone(self));
                }
            }
        }
    }

    /// Runs the library's own work. Returns its failure, which may be a panic.
    pub(super) fn guarded(&self, work: impl FnOnce() -> Result<()>) -> Option<Fault> {
        let panic = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(outcome) => return outcome.err(),
            Err(panic) => panic,
        };
        let said = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no text");
        let text = format!("an operation of the stream failed because of a defect in portacl: {said}; report it");
        Some(Fault::new(FaultKind::Execution, text))
    }

    /// Delays the queue in asynchronous mode. The delay depends on the seed, the stream and the operation; half of all
    /// operations have none.
    fn delay(&self) {
        let options = &self.shared.options;
        if options.asynchronous && options.schedule.is_none() {
            let ticket = self.operations.finished();
            let random = mix(options.seed ^ mix(self.id ^ mix(ticket)));
            if random & 1 == 0 {
                pause(Duration::from_nanos((random >> 1) % 200_000));
            }
        }
    }

    /// Waits until `done`, which an operation of this queue makes true. While it waits, this thread runs the library's
    /// earlier operations, if it can.
    pub(crate) fn wait_until(self: &Arc<Self>, done: &(dyn Fn() -> bool + Sync), deadline: Option<Instant>) -> Wait {
        let expired = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if let Some(outcome) = self.shared.options.schedule.as_ref().and_then(|schedule| schedule.wait(done, deadline))
        {
            return outcome;
        }
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
            if self.shared.cores > 1 && spin_until(done) {
                return Wait::Done;
            }
            let key = self.waiters.prepare();
            if done() {
                return Wait::Done;
            }
            if !self.waiters.wait(key, deadline) && !done() {
                return Wait::TimedOut;
            }
        }
    }

    /// Runs operations of this queue, or of the one that it waits for. Returns false if nothing can be done here.
    fn help(self: &Arc<Self>, enough: &dyn Fn() -> bool) -> bool {
        let mut queue = Arc::clone(self);
        let mut until: Option<Arc<Record>> = None;
        for _ in 0..MAX_CHAIN {
            let may_run = |first: &Task| {
                let operation = &first.operation;
                !operation.is_host_fn() && (!operation.runs_kernels() || thread_attributes::has_deep_stack())
            };
            let record = match queue.operations.help(may_run) {
                Help::Claimed(claim) => {
                    let mut runner = Runner::new(&self.executor, true);
                    let mut stop = || enough() || until.as_ref().is_some_and(|record| record.is_complete());
                    queue.run(claim, &mut runner, &mut stop);
                    runner.run_resumed(enough, &mut || enough());
                    return true;
                }
                Help::BlockedOn(on) if !on.record.is_complete() => on.record,
                Help::BlockedOn(_) | Help::Nothing => return false,
            };
            let Some(next) = record.stream() else { return false };
            until = Some(record);
            queue = next;
        }
        false
    }
}
