//! Waits for operations that complete independently of the program.

use std::sync::Arc;

use super::Queue;
use crate::backend::Position;
use crate::stream::event::Record;
use crate::stream::operation::{Operation, Task};

/// The maximum number of streams that are followed: each takes some of the caller's stack. A record that depends on
/// more counts as one that depends on the program.
const MOST: usize = 256;

/// The streams that a record depends on, with the last operations that it depends on.
type Seen = Vec<(Arc<Queue>, Position)>;

impl Queue {
    /// Waits until the operation with this ticket is complete. If the completion of an earlier operation depends on the
    /// program, waits only for those before it.
    pub(crate) fn drain_up_to(self: &Arc<Self>, ticket: Position) {
        let ticket = self.independent_up_to(ticket, &mut Vec::new());
        let _ = self.wait_until(&|| self.operations.has_finished(ticket), None);
    }

    /// Returns the last operation, up to `ticket`, that completes independently of the program.
    fn independent_up_to(self: &Arc<Self>, ticket: Position, seen: &mut Seen) -> Position {
        if self.operations.in_hand().is_some_and(|in_hand| in_hand.is_user_code) {
            return self.operations.finished();
        }
        let mut waits = Vec::new();
        let stop = self.operations.find(|task| {
            if let Operation::Wait(on) = &task.operation {
                waits.push(Arc::clone(&on.record));
            }
            task.operation.is_user_code()
        });
        let ticket = stop.map_or(ticket, |stop| ticket.min(stop - 1));
        for record in waits {
            if !completes_by_itself(&record, seen) {
                let is_it =
                    |task: &Task| matches!(&task.operation, Operation::Wait(on) if Arc::ptr_eq(&on.record, &record));
                // The operation is no longer enqueued, because it has become complete.
                let Some(stop) = self.operations.find(is_it) else { continue };
                return ticket.min(stop - 1);
            }
        }
        ticket
    }
}

fn completes_by_itself(record: &Arc<Record>, seen: &mut Seen) -> bool {
    if record.is_complete() {
        return true;
    }
    let Some(stream) = record.stream().filter(|_| record.dropped().is_none()) else {
        return false;
    };
    let is_it = |task: &Task| matches!(&task.operation, Operation::Record(queued) if Arc::ptr_eq(queued, record));
    // The operation is no longer enqueued, because it is about to complete.
    let Some(ticket) = stream.operations.find(is_it) else { return true };
    if seen.iter().any(|(other, seen)| Arc::ptr_eq(other, &stream) && *seen >= ticket) {
        return true;
    }
    if seen.len() == MOST {
        return false;
    }
    seen.push((Arc::clone(&stream), ticket));
    stream.independent_up_to(ticket, seen) == ticket
}
