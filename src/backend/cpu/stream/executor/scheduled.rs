//! Streams whose order a schedule chooses: they run one operation and are listed again.

use std::sync::Arc;

use super::{Executor, Task};
use crate::backend::cpu::stream::queue::Queue;
use crate::backend::cpu::stream::schedule::Schedule;

impl Executor {
    /// Lists streams. The thread that serves waits in the schedule.
    pub(super) fn push_scheduled(&self, schedule: &Schedule, queues: impl Iterator<Item = Arc<Queue>>) {
        for queue in queues {
            let (id, operation) = (queue.id(), queue.first_operation());
            self.pool.lock().ready[0].push_back(queue);
            schedule.add(id, operation);
        }
    }

    pub(super) fn next_scheduled(&self, schedule: &Schedule) -> Task {
        let Some(id) = schedule.next() else { return Task::End };
        let ready = &mut self.pool.lock().ready[0];
        let place = ready.iter().position(|queue| queue.id() == id);
        place.and_then(|place| ready.remove(place)).map_or(Task::End, Task::Stream)
    }

    pub(super) fn is_scheduled(&self) -> bool {
        self.schedule.is_some()
    }
}
