//! Streams: which operations run in the caller, which are queued, and what returns when.

use std::any::Any;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::device::CpuDevice;
use super::event::{CpuEvent, Record};
use super::operation::{Awaited, Operation, SHORT, TINY};
use super::queue::{self, Queue};
use super::{Shared, copy};
use crate::backend::{
    Copy, Copy2d, Delivery, Event, Fault, Fill, Home, HostFn, Place, Reduce, Result, Span, Stream,
    Ticket, Wait,
};

/// A stream of the CPU backend.
pub(super) struct CpuStream {
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    device: Weak<CpuDevice>,
}

impl CpuStream {
    pub(super) fn new(shared: Arc<Shared>, queue: Arc<Queue>, device: Weak<CpuDevice>) -> Self {
        Self { shared, queue, device }
    }

    /// Runs the operation here if the stream is idle and the operation at most `limit` bytes
    /// long, else gives it back.
    fn try_now(&self, operation: Operation, limit: usize) -> Result<Option<Operation>> {
        let submission = self.queue.submit()?;
        if operation.len() > limit || !self.queue.may_run_now(&submission) {
            return Ok(Some(operation));
        }
        if operation.len() <= TINY {
            operation.run(&self.shared);
        } else {
            self.queue.run_now(submission, &operation);
        }
        Ok(None)
    }

    fn queue(&self, operation: Operation) -> Result<u64> {
        Ok(self.queue.push(self.queue.submit()?, operation))
    }

    fn now_or_later(&self, operation: Operation) -> Result<()> {
        match self.try_now(operation, SHORT)? {
            Some(operation) => self.queue(operation).map(drop),
            None => Ok(()),
        }
    }

    /// Queues a copy, or runs it here. The ticket of what the caller has to wait for, if anything.
    fn submit_copy(&self, copy: Copy) -> Result<Option<u64>> {
        let reads_now = copy.stage_source || copy.src.place == Place::Pageable;
        let completes = copy.dst.place == Place::Pageable;
        // The caller waits for the data anyway: it may as well move it.
        let limit = if reads_now || completes { usize::MAX } else { SHORT };
        let Some(operation) = self.try_now(Operation::Copy(copy), limit)? else { return Ok(None) };
        if completes || (reads_now && copy.src.len > SHORT) {
            return self.queue(operation).map(Some);
        }
        if reads_now {
            let staged = copy::staged(&copy.src);
            return self.queue(Operation::CopyStaged(copy.dst, staged)).map(|_| None);
        }
        self.queue(operation).map(|_| None)
    }

    /// Waits for an operation of this stream that the caller's memory hangs on.
    fn wait_for(&self, ticket: u64) -> Result<()> {
        let operations = &self.queue.operations;
        let over = || operations.has_finished(ticket) || operations.was_dropped(ticket);
        let wait = self.queue.wait_until(&over, None);
        debug_assert_eq!(wait, Wait::Done);
        if operations.was_dropped(ticket) { Err(queue::abandoned()) } else { Ok(()) }
    }

    #[cfg(test)]
    pub(super) fn inner(&self) -> &Arc<Queue> {
        &self.queue
    }
}

impl Stream for CpuStream {
    fn copy(&self, copy: Copy) -> Result<()> {
        match self.submit_copy(copy)? {
            Some(ticket) => self.wait_for(ticket),
            None => Ok(()),
        }
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<()> {
        let mut awaited = None;
        let mut outcome = Ok(());
        for copy in copies {
            match self.submit_copy(*copy) {
                Ok(ticket) => awaited = ticket.or(awaited),
                Err(fault) => {
                    outcome = Err(fault);
                    break;
                }
            }
        }
        // In order: when the last of them is over, all are.
        outcome.and(awaited.map_or(Ok(()), |ticket| self.wait_for(ticket)))
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<()> {
        let waits = [copy.dst, copy.src].iter().any(|rows| rows.span.place == Place::Pageable);
        let limit = if waits { usize::MAX } else { SHORT };
        let operation = Operation::Copy2d(Box::new(copy));
        let Some(operation) = self.try_now(operation, limit)? else { return Ok(()) };
        let ticket = self.queue(operation)?;
        if waits { self.wait_for(ticket) } else { Ok(()) }
    }

    fn fill(&self, fill: Fill) -> Result<()> {
        self.now_or_later(Operation::Fill(fill))
    }

    /// It is there.
    fn prefetch(&self, _range: Span, _to: Home) -> Result<()> {
        self.queue.submit().map(drop)
    }

    fn reduce(&self, reduce: Reduce) -> Result<()> {
        self.now_or_later(Operation::Reduce(reduce))
    }

    fn host_fn(&self, function: HostFn) -> Result<()> {
        self.queue(Operation::HostFn(function)).map(drop)
    }

    fn hand_over(&self, delivery: Box<dyn Delivery>, wait: bool) -> Result<()> {
        let record = wait.then(|| Arc::new(Record::outside_streams()));
        let submission = self.queue.submit()?;
        if !self.queue.may_run_now(&submission) {
            self.queue.push(submission, Operation::HandOver(delivery, record));
            return Ok(());
        }
        // Nobody need be woken for it. What is queued from here on waits already.
        let ticket = match record {
            Some(record) => {
                let awaited = Awaited { record: Arc::clone(&record), limit: None };
                self.queue.block_now(submission, awaited);
                queue::ticket(record)
            }
            None => {
                drop(submission);
                Ticket::unawaited()
            }
        };
        delivery.deliver(ticket);
        Ok(())
    }

    fn record(&self, event: &Arc<dyn Event>) -> Result<()> {
        let event = CpuEvent::of(&**event)?;
        let submission = self.queue.submit()?;
        if self.queue.may_run_now(&submission) {
            event.record_now();
        } else {
            // Under the stream's lock: of two records at once, the event keeps the later one.
            let record = event.record_later(&self.queue);
            self.queue.push(submission, Operation::Record(record));
        }
        Ok(())
    }

    fn wait(&self, event: &Arc<dyn Event>, limit: Option<Duration>) -> Result<()> {
        let event = CpuEvent::of(&**event)?;
        // What is queued here comes after a record of this stream anyway.
        let Some(record) = event.pending().filter(|record| !record.is_of(&self.queue)) else {
            return self.queue.submit().map(drop);
        };
        let limit = limit.map(|limit| self.shared.timer.limit(limit)).transpose()?;
        let awaited = Awaited { record, limit };
        let submission = self.queue.submit()?;
        if self.queue.may_run_now(&submission) {
            self.queue.block_now(submission, awaited);
        } else {
            self.queue.push(submission, Operation::Wait(awaited));
        }
        Ok(())
    }

    fn is_idle(&self) -> Result<bool> {
        Ok(self.queue.operations.is_idle())
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        let operations = &self.queue.operations;
        if operations.is_idle() {
            return Ok(Wait::Done);
        }
        let ticket = operations.last_ticket();
        Ok(self.queue.wait_until(&|| operations.has_finished(ticket), deadline))
    }

    fn take_failure(&self) -> Option<Fault> {
        self.queue.take_failure()
    }

    fn abandon(&self) {
        self.queue.abandon();
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CpuStream {
    fn drop(&mut self) {
        self.shared.users.forget(&self.queue);
        if let Some(device) = self.device.upgrade() {
            device.forget(&self.queue);
        }
    }
}
