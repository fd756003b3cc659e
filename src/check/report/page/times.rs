//! The times that operations take: between two events in their stream.

use std::mem;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use super::label::Label;
use super::timeline::MOST;
use super::{PAGE, is_wanted};
use crate::algo::map::slot_table::Handle;
use crate::backend::{Event, Op};
use crate::core::base::error::Result;
use crate::core::base::handles::Object;
use crate::core::stream::Stream;

/// The times of complete operations are read after this number of operations.
const MANY: usize = 64;

/// An operation that may be pending: its number in the timeline, and the events around it.
type Unread = (usize, [Arc<dyn Event>; 2]);

static UNREAD: Mutex<Vec<Unread>> = Mutex::new(Vec::new());

/// Submits an operation to the stream with this handle. The page shows how long the operation takes.
pub(crate) fn timed<T>(label: Option<&Label>, stream: u64, submit: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(label) = label.filter(|label| label.has_time) else { return submit() };
    let begin = point(stream);
    let submitted = submit()?;
    if let (Some(number), Some(begin)) = (label.number.get(), begin)
        && let Some(end) = point(stream)
    {
        let is_due = {
            let mut pending = UNREAD.lock();
            // Operations of a stream that stopped may stay pending.
            if pending.len() == MOST {
                pending.clear();
            }
            pending.push((number, [begin, end]));
            pending.len().is_multiple_of(MANY)
        };
        if is_due {
            collect(false);
        }
    }
    Ok(submitted)
}

/// Runs an operation of the host. The page shows how long it takes.
pub(crate) fn timed_by_host<T>(label: Option<&Label>, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let begin = Instant::now();
    let ran = run()?;
    if let Some(number) = label.and_then(|label| label.number.get()) {
        set(number, begin.elapsed().as_nanos() as u64);
    }
    Ok(ran)
}

/// Records an event in a stream. A failure only leaves out the time.
fn point(stream: u64) -> Option<Arc<dyn Event>> {
    let stream = Stream::table().get(Handle::from_raw(stream)?)?;
    let event = stream.device.native.create_event(true).ok()?;
    stream.queue_quietly(Op::Record(&event)).ok()?;
    Some(event)
}

fn set(number: usize, time: u64) {
    // At the end of the process a thread that was stopped may hold the lock.
    if let Some(mut page) = PAGE.try_lock_for(super::PATIENCE) {
        page.iter_mut().for_each(|page| page.timeline.took(number, time));
    }
}

/// Reads the times of complete operations. `is_last`: forgets the others, because their device may end.
pub(super) fn collect(is_last: bool) {
    if !is_wanted() {
        return;
    }
    let Some(mut pending) = UNREAD.try_lock_for(super::PATIENCE).map(|mut pending| mem::take(&mut *pending)) else {
        return;
    };
    pending.retain(|(number, [begin, end])| {
        // The later one is complete only after the other.
        match end.time_ns().and_then(|end| Ok(end.saturating_sub(begin.time_ns()?))) {
            Ok(time) => set(*number, time),
            Err(_) if is_last => {}
            Err(_) => return true,
        }
        false
    });
    if !pending.is_empty() {
        UNREAD.lock().splice(0..0, pending);
    }
}
