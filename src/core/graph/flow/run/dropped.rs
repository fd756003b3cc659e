//! Runs whose stream drops its work. The runs end, and the memory that they use stays mapped until then.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::{Run, Stop, StrandState};
use crate::algo::map::slot_table::Handle;
use crate::backend::{Fault, Op, Payload, Wait};
use crate::graph::flow::{Flow, Keeper, Strand, serving};

/// All flows, for threads that end streams.
static FLOWS: Mutex<Vec<Weak<Flow>>> = Mutex::new(Vec::new());
/// The number of flows, or a recent one. Streams without flows read only this.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Adds a new flow.
pub fn register(flow: &Arc<Flow>) {
    let mut flows = FLOWS.lock();
    flows.retain(|known| known.strong_count() > 0);
    flows.push(Arc::downgrade(flow));
    COUNT.store(flows.len(), Ordering::Release);
}

/// Returns the flows that exist. Programs without flows pay for one load.
fn flows() -> Vec<Arc<Flow>> {
    if COUNT.load(Ordering::Acquire) == 0 {
        return Vec::new();
    }
    FLOWS.lock().iter().filter_map(Weak::upgrade).collect()
}

/// Called when a stream is about to drop its work: its runs end. The memory that they use stays mapped until then.
pub(crate) fn stream_drops_work(stream: Handle) {
    for flow in flows() {
        let mut queued = flow.queued.lock();
        let mut its = queued.iter_mut().filter(|run| run.stream == stream);
        its.by_ref().for_each(|run| run.stop = Some(Stop::Quietly));
        // Only the first run may have begun. The others will begin nothing.
        let current = queued.front().filter(|run| run.stream == stream).map(|run| run.number);
        drop(queued);
        current.into_iter().for_each(|number| flow.keep_memory(number));
        flow.look();
    }
}

/// Drops what the current run of a stream has submitted, if the device can do that: the stream has dropped its work.
/// Waits for operations on memory that have begun, not for user code.
///
/// It waits for the serving thread, which calls no user code. It must not be called on that thread or inside a call of
/// a backend.
pub(crate) fn drop_runs_of(stream: Handle, why: &Fault, deadline: Option<Instant>) -> Wait {
    let mut waited = Wait::Done;
    for flow in flows() {
        if flow.drop_run_of(stream, why, deadline) == Wait::TimedOut {
            waited = Wait::TimedOut;
        }
        serving::drain();
    }
    waited
}

/// Limits the runs of a stream whose device is in teardown: runs that have not ended by `until` end at the next choice.
pub fn limit(stream: Handle, until: Instant) {
    for flow in flows() {
        flow.queued.lock().iter_mut().filter(|run| run.stream == stream).for_each(|run| run.until = Some(until));
        flow.look();
    }
}

impl Flow {
    /// Keeps memory that is freed from now on mapped until this run has ended.
    fn keep_memory(self: &Arc<Self>, number: u64) {
        let Some(Keeper { stream: keeper, nothing }) = &self.keeper else { return };
        let flow = Arc::clone(self);
        let delivery = serving::delivery(move |ticket| {
            // The keeper waits for the end of this run. If there is no run, the ticket is dropped after the lock is
            // released.
            if let Some(run) = flow.queued.lock().iter_mut().find(|run| run.number == number) {
                run.kept.extend(ticket);
            }
        });
        let waits = keeper.submit(Op::HandOver { delivery: Payload::new(&mut Some(delivery)), wait: true });
        // A device that rejects this has failed, and runs nothing more.
        let _ = waits.and_then(|_| keeper.submit(Op::RunGraph(nothing)));
    }

    /// Does the work of [`drop_runs_of`] for one flow.
    fn drop_run_of(self: &Arc<Self>, stream: Handle, why: &Fault, deadline: Option<Instant>) -> Wait {
        // While this is locked the serving thread submits and reads nothing. Afterwards it sees that the run must end.
        let machine = self.machine.lock();
        let Some(number) = self.current_run_of(stream, &machine) else { return Wait::Done };
        if self.strands.iter().any(|strand| strand.native.submitted().is_none()) {
            // Such a device completes what was submitted.
            return Wait::Done;
        }
        let now = Some(Instant::now());
        let has_begun = |strand: &&Strand| strand.native.abort(why.clone(), now) == Wait::TimedOut;
        let begun: Vec<_> = self.strands.iter().filter(has_begun).collect();
        let begun: Vec<_> = begun.into_iter().map(|strand| (strand, strand.native.submitted())).collect();
        drop(machine);
        for (strand, position) in begun {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Wait::TimedOut;
            }
            // A failed device has no pending work.
            let _ = strand.native.drain_up_to(position.unwrap_or(0));
        }
        let mut machine = self.machine.lock();
        if self.current_run_of(stream, &machine) == Some(number)
            && let Some(run) = &mut *machine
        {
            run.is_stopping = true;
            run.strands.fill(StrandState::default());
        }
        drop(machine);
        Arc::clone(self).look();
        Wait::Done
    }

    /// Returns the number of the current run, if it belongs to this stream.
    fn current_run_of(&self, stream: Handle, machine: &Option<Run>) -> Option<u64> {
        machine.as_ref()?;
        let queued = self.queued.lock();
        queued.front().filter(|run| run.stream == stream).map(|run| run.number)
    }
}
