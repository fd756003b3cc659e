//! Tasks of the host that the stream has reached.

use std::sync::Arc;
use std::sync::mpsc::channel;

use super::{Queue, complete};
use crate::backend::stream::watch::ANYWHERE;
use crate::backend::{Result, StopReason};
use crate::stream::event::Record;
use crate::transfer::host_task::TaskWait;

impl Queue {
    /// Starts a task for which the queue waits from now on. Its end completes the record, or fails the wait. The caller
    /// holds the queue's lock.
    pub(super) fn start_task(self: &Arc<Self>, task: &Arc<TaskWait>, done: &Arc<Record>) {
        let ticket = self.operations.finished() + 1;
        self.tasks.lock().push((Arc::clone(task), Arc::clone(done)));
        let (queue, record, started) = (Arc::clone(self), Arc::clone(done), Arc::clone(task));
        // In a schedule the next turn begins when the thread runs.
        let (begins, begun) = channel();
        let begin = move || {
            drop(begins);
            // The lock that this takes shows the queue as it is after the start.
            let awaited = queue.operations.blocked_on();
            if queue.is_retired() {
                started.run.stop(StopReason::StreamEnds);
            }
            awaited.is_some_and(|on| Arc::ptr_eq(&on.record, &record))
        };
        let (queue, record, ended) = (Arc::clone(self), Arc::clone(done), Arc::clone(task));
        let end = move |outcome| queue.end_task(ticket, &ended, &record, outcome);
        task.start(&self.shared, begin, end);
        if self.shared.options.schedule.is_some() {
            // An error says that the other end is dropped, which is expected.
            let _ = begun.recv() as std::result::Result<(), _>;
        }
    }

    /// Ends a task, so that the queue goes on.
    fn end_task(self: &Arc<Self>, ticket: u64, task: &Arc<TaskWait>, done: &Arc<Record>, outcome: Result<()>) {
        let schedule = self.shared.options.schedule.as_ref();
        schedule.into_iter().for_each(|schedule| schedule.end_user_code(self.id));
        self.tasks.lock().retain(|(other, _)| !Arc::ptr_eq(other, task));
        self.shared.watcher.check(ANYWHERE);
        if let Err(fault) = outcome {
            self.fail_wait(ticket, fault);
        }
        // After an abort, other waits are for the record.
        complete(done);
        schedule.into_iter().for_each(|schedule| schedule.end_turn());
    }

    /// Stops the tasks that run.
    pub(crate) fn stop_tasks(&self, stop: StopReason) {
        let tasks: Vec<_> = self.tasks.lock().iter().map(|(task, _)| Arc::clone(task)).collect();
        tasks.iter().for_each(|task| task.run.stop(stop));
    }

    /// Returns the records of the tasks that run.
    pub(crate) fn running_tasks(&self) -> Vec<Arc<Record>> {
        self.tasks.lock().iter().map(|(_, done)| Arc::clone(done)).collect()
    }
}
