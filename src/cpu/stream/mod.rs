//! Streams: which operations run in the caller, which are enqueued, and when calls return.

pub(crate) mod event;
pub(crate) mod executor;
pub(crate) mod operation;
pub(crate) mod parallel;
pub(crate) mod queue;
mod submit;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::backend::stream::watch::{Expected, Watched};
use crate::backend::{Copy, Fault, Place, Position, Result, StopReason, Stream, Wait};
use crate::stream::event::Record;
use crate::stream::operation::{Awaited, Begins, Operation, SHORT, Task};
use crate::stream::queue::Queue;
use crate::transfer::memcpy;

/// An operation that was submitted.
struct Submitted {
    position: Position,
    /// If the caller has to wait for the operation: whether it began, and the stream's number of aborts before it.
    awaited: Option<(Arc<AtomicBool>, u64)>,
}

/// The position of an operation that ran in the caller, or the operation that is still to be enqueued.
type Attempt = std::result::Result<Position, Operation>;

/// A stream of the CPU backend.
pub(super) struct CpuStream {
    pub(super) queue: Arc<Queue>,
}

impl CpuStream {
    /// Runs the operation in the caller if the stream is idle and the operation has at most `limit` bytes.
    fn try_now(&self, operation: Operation, limit: usize) -> Result<Attempt> {
        let (submission, may_run_now) = self.queue.begin()?;
        if operation.len() > limit || !may_run_now {
            return Ok(Err(operation));
        }
        if operation.is_tiny() {
            operation.run(&self.queue.shared)?;
            let position = submission.pass();
            self.queue.shared.watcher.check(operation.written());
            return Ok(Ok(position));
        }
        Ok(Ok(self.queue.run_now(submission, &Task::new(operation))))
    }

    fn queue(&self, operation: Operation) -> Result<Position> {
        Ok(self.queue.push(self.queue.submit_queued()?, operation))
    }

    fn queue_wait(&self, awaited: Awaited) -> Result<Position> {
        let (submission, may_run_now) = self.queue.begin()?;
        Ok(if may_run_now {
            self.queue.block_now(submission, awaited)
        } else {
            self.queue.push(submission, Operation::Wait(awaited))
        })
    }

    fn queue_watched(&self, expected: Expected) -> Result<Position> {
        let watched = Arc::new(Watched::new(&self.queue.shared.watcher, expected)?);
        self.queue_wait(Awaited { record: Record::outside_streams(), begins: Some(Begins::Watch(watched)) })
    }

    fn now_or_later(&self, operation: Operation) -> Result<Position> {
        self.try_now(operation, SHORT)?.or_else(|operation| self.queue(operation))
    }

    /// Enqueues an operation that the caller has to wait for.
    fn queue_awaited(&self, operation: Operation) -> Result<Submitted> {
        let aborts = self.queue.operations.aborts();
        let began = Arc::new(AtomicBool::new(false));
        let operation = Operation::Awaited(Box::new(operation), Arc::clone(&began));
        Ok(Submitted { position: self.queue(operation)?, awaited: Some((began, aborts)) })
    }

    /// Enqueues a copy, or runs it in the caller.
    fn submit_copy(&self, copy: Copy) -> Result<Submitted> {
        let reads_now = copy.stage_source || copy.src.place == Place::Pageable;
        let completes = copy.dst.place == Place::Pageable;
        let (dst, src) = (copy.dst, copy.src);
        // The caller waits for the data anyway, so it may copy it.
        let limit = if reads_now || completes { usize::MAX } else { SHORT };
        let operation = match self.try_now(Operation::Copy(copy), limit)? {
            Ok(position) => return Ok(Submitted { position, awaited: None }),
            Err(operation) => operation,
        };
        if completes || (reads_now && src.len > SHORT) {
            return self.queue_awaited(operation);
        }
        let operation = if reads_now { Operation::CopyStaged(dst, memcpy::staged(&src)) } else { operation };
        Ok(Submitted { position: self.queue(operation)?, awaited: None })
    }

    /// Waits for an operation of this stream, if it uses the caller's memory.
    fn wait_for(&self, submitted: Submitted) -> Result<Position> {
        let Submitted { position, awaited } = submitted;
        let Some((began, aborts)) = awaited else { return Ok(position) };
        let operations = &self.queue.operations;
        let over = || {
            operations.has_finished(position)
                || operations.was_dropped(position)
                || (operations.aborts() != aborts && !operations.is_pending(position))
        };
        let wait = self.queue.wait_until(&over, None);
        debug_assert_eq!(wait, Wait::Done);
        // Relaxed: see where it is set. The observer reports failures of operations that began.
        if began.load(Ordering::Relaxed) {
            Ok(position)
        } else if operations.was_dropped(position) {
            Err(Fault::abandoned())
        } else {
            Err(self.queue.why_aborted())
        }
    }

    #[cfg(test)]
    pub(super) fn inner(&self) -> &Arc<Queue> {
        &self.queue
    }
}

impl Stream for CpuStream {
    fn limit_waits(&self, until: Instant) {
        self.queue.limit_waits(until);
    }

    fn is_idle(&self) -> Result<bool> {
        Ok(self.is_known_idle())
    }

    fn is_known_idle(&self) -> bool {
        self.queue.operations.is_idle()
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        let operations = &self.queue.operations;
        if operations.is_idle() {
            return Ok(Wait::Done);
        }
        let (ticket, aborts) = (operations.last_ticket(), operations.aborts());
        let over = || operations.has_finished(ticket) || operations.aborts() != aborts;
        let wait = self.queue.wait_until(&over, deadline);
        if operations.aborts() != aborts { Err(self.queue.why_aborted()) } else { Ok(wait) }
    }

    #[inline]
    fn submitted(&self) -> Option<Position> {
        let operations = &self.queue.operations;
        (!operations.is_abandoned()).then(|| operations.last_ticket())
    }

    fn finished(&self) -> Position {
        self.queue.operations.finished()
    }

    fn drain_up_to(&self, position: Position) -> Result<()> {
        self.queue.drain_up_to(position);
        Ok(())
    }

    fn abandon(&self) -> Position {
        let kept = self.queue.abandon();
        self.queue.stop_tasks(StopReason::Dropped);
        kept
    }

    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait {
        let started = self.queue.abort(why);
        self.queue.stop_tasks(StopReason::Dropped);
        // Later work is ordered after tasks that still run. An abandoned stream has none.
        self.queue.running_tasks().into_iter().for_each(|done| _ = self.queue_wait(Awaited::record(done)));
        let Some(started) = started else { return Wait::Done };
        self.queue.wait_until(&|| self.queue.operations.has_finished(started), deadline)
    }

    fn retire(&self) {
        self.queue.retire();
        self.queue.stop_tasks(StopReason::StreamEnds);
    }

    fn set_priority(&self, priority: u32) -> Result<()> {
        // Relaxed: nothing else depends on it.
        self.queue.priority.store(priority, Ordering::Relaxed);
        Ok(())
    }

    fn native(&self) -> Option<usize> {
        None
    }
}

impl Drop for CpuStream {
    fn drop(&mut self) {
        self.queue.shared.users.forget(&self.queue);
    }
}
