//! Runs of flows. A run waits in its stream for a ticket. A thread of the library submits the steps of the strands as
//! far as possible; it never waits for a device. At a step that reads memory, the strand's stream hands over to that
//! thread, which reads the memory and continues. The ticket is dropped when all strands have ended.
//!
//! The conditional nodes that CUDA has since 12.3 are not used: their bodies have no host functions and no events, only
//! kernels set their values, and the strands and labels of built graphs would need this way in any case.

mod dropped;
mod steps;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub(crate) use self::dropped::{drop_runs_of, stream_drops_work};
pub use self::dropped::{limit, register};
use super::{Flow, serving};
use crate::algo::map::slot_table::Handle;
use crate::backend::{Fault, FaultKind, Op, Payload, Position, Ticket};
use crate::base::error;
use crate::graph::program::Program;
use crate::graph::program::reporting::Reporting;
use crate::order::accesses::GraphRun;
use crate::order::checker;
use crate::order::effects::{Effect, Effects};
use crate::stream::Stream;

/// A run that is enqueued.
pub struct QueuedRun {
    number: u64,
    /// The stream that it was enqueued on.
    stream: Handle,
    report: Reporting,
    /// Whether its stream has accepted all of it, or will not.
    is_submitted: bool,
    /// Tickets that keep freed memory mapped until the run has ended, if its stream has dropped its work.
    kept: Vec<Ticket>,
    /// The ticket that its stream waits for, after the stream has reached it. Dropped after the others.
    ticket: Option<Ticket>,
    /// The reason why it must end early.
    stop: Option<Stop>,
    /// The time from which on it must end.
    until: Option<Instant>,
}

/// The reason why a run ends early.
#[derive(Clone)]
enum Stop {
    /// The caller reports the reason.
    Quietly,
    /// The stream of the run has failed.
    Because(Fault),
}

/// The current run.
pub struct Run {
    /// The strands, by their numbers. The last one stands for user code that a failure is reported to.
    strands: Vec<StrandState>,
    /// The events that were recorded in this run.
    recorded: Vec<bool>,
    /// True if no new step begins.
    is_stopping: bool,
}

/// The state of a strand.
#[derive(Clone, Default)]
struct StrandState {
    at: At,
    /// Number of times that it must begin again after its end.
    again: usize,
    /// The number of the awaited hand-over; 0 for none.
    awaited: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    /// The strand was not started, or has ended.
    #[default]
    Nowhere,
    /// The strand is before this step, which can run.
    Step(usize),
    /// The strand is before a wait for an event that was not recorded yet.
    Waiting(usize),
    /// The strand's stream has not reached the choice of this step.
    Choosing(usize),
    /// The strand's stream has not reached its end.
    Draining,
}

/// Queues a run. `tail` is an empty graph after the run: freed memory is kept until that is complete, on devices whose
/// streams drop work.
pub fn queue(flow: &Arc<Flow>, stream: &Stream, tail: &Program) -> error::Result<Position> {
    serving::need()?;
    let _submitting = flow.submitting.lock();
    if let Some(checker) = checker::installed() {
        // Which steps run is decided while it runs.
        let unknown = GraphRun::of(Effects([Effect::Unknown].into_iter().collect()), true);
        checker.runs_graph(stream.handle.raw(), &Arc::new(unknown), None);
    }
    let number = flow.new_number();
    flow.queued.lock().push_back(QueuedRun {
        number,
        stream: stream.handle,
        report: Reporting::of(stream),
        is_submitted: false,
        kept: Vec::new(),
        ticket: None,
        stop: None,
        until: None,
    });
    let reached = Arc::clone(flow);
    let delivery = serving::delivery(move |ticket| reached.arrived(number, ticket));
    let queued = stream.submit(Op::HandOver { delivery: Payload::new(&mut Some(delivery)), wait: true });
    let queued = match flow.keeper {
        Some(_) => queued.and_then(|position| tail.queue(stream, &[]).map(|_| position)),
        None => queued,
    };
    flow.submitted(number, &queued);
    queued
}

impl Flow {
    /// Returns a number that no other run or hand-over has; not 0.
    fn new_number(&self) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Called when a run is enqueued, or its stream has not accepted all of it.
    fn submitted(self: &Arc<Self>, number: u64, queued: &error::Result<Position>) {
        let mut runs = self.queued.lock();
        let Some(run) = runs.iter_mut().find(|run| run.number == number) else { return };
        match queued {
            Ok(position) => run.report.position = *position,
            // The run does nothing.
            Err(_) => run.stop = Some(Stop::Quietly),
        }
        run.is_submitted = true;
        let has_arrived = run.ticket.is_some();
        drop(runs);
        if has_arrived {
            Arc::clone(self).look();
        }
    }

    /// Ends all enqueued runs.
    pub fn abort(self: &Arc<Self>) {
        let text = "aclmdlRIAbort dropped the work that a run of the graph had not begun";
        let why = Stop::Because(Fault::new(FaultKind::Aborted, text));
        self.queued.lock().iter_mut().for_each(|run| run.stop = Some(why.clone()));
        Arc::clone(self).look();
    }

    /// Whether an enqueued run has not ended.
    pub fn is_running(&self) -> bool {
        !self.queued.lock().is_empty()
    }

    /// Makes the serving thread check whether runs must end.
    fn look(self: Arc<Self>) {
        serving::post(move || self.go_on());
    }

    /// Called when a stream has reached a run, or has dropped it before; there is no ticket then.
    fn arrived(self: &Arc<Self>, number: u64, ticket: Option<Ticket>) {
        let mut queued = self.queued.lock();
        // If there is no such run, the ticket is dropped after the lock is released.
        let Some(place) = queued.iter().position(|run| run.number == number) else { return };
        let is_dropped = ticket.is_none();
        queued[place].ticket = ticket;
        let dropped = if is_dropped { queued.remove(place) } else { None };
        drop(queued);
        // They are dropped without a lock.
        drop(dropped);
        self.go_on();
    }

    /// Called when a strand has reached a choice, or its end.
    fn returned(self: &Arc<Self>, strand: usize, number: u64) {
        if let Some(run) = &mut *self.machine.lock()
            && run.strands[strand].awaited == number
        {
            run.strands[strand].awaited = 0;
            match run.strands[strand].at {
                At::Choosing(step) => {
                    self.stop_if_requested(run);
                    let chosen = if run.is_stopping { Ok(At::Nowhere) } else { self.choose(run, strand, step) };
                    run.strands[strand].at = chosen.unwrap_or_else(|fault| {
                        self.fail(run, fault);
                        At::Nowhere
                    });
                }
                At::Draining if run.strands[strand].again > 0 && !run.is_stopping => {
                    run.strands[strand].again -= 1;
                    run.strands[strand].at = At::Step(0);
                }
                At::Nowhere | At::Step(_) | At::Waiting(_) | At::Draining => run.strands[strand].at = At::Nowhere,
            }
        }
        self.go_on();
    }

    /// Submits and reads as much as is possible now.
    fn go_on(self: &Arc<Self>) {
        while let Some(ended) = self.go_on_to_an_end() {
            // The tickets are dropped without a lock.
            drop(ended);
        }
    }

    /// Submits and reads as much as is possible now, up to the end of a run, which it returns.
    fn go_on_to_an_end(self: &Arc<Self>) -> Option<QueuedRun> {
        let mut machine = self.machine.lock();
        if machine.is_none() {
            *machine = self.next();
        }
        let run = machine.as_mut()?;
        self.advance(run);
        if run.strands.iter().any(|strand| strand.at != At::Nowhere) {
            return None;
        }
        self.listener.set(None);
        *machine = None;
        self.queued.lock().pop_front()
    }

    /// Returns the next run, if its stream has reached it and all of it is enqueued. It does not wait for a thread that
    /// enqueues a run: that may wait until a driver's queue has room, for which the current run has to end.
    fn next(&self) -> Option<Run> {
        let queued = self.queued.lock();
        let first = queued.front().filter(|run| run.ticket.is_some() && run.is_submitted)?;
        // The stream of the run has dropped it, so the run begins nothing.
        let is_stopping = matches!(first.stop, Some(Stop::Quietly));
        self.listener.set(Some(first.report.clone()));
        let starts = self.strands.iter().map(|strand| strand.starts && !is_stopping);
        let begin =
            |starts| StrandState { at: if starts { At::Step(0) } else { At::Nowhere }, ..StrandState::default() };
        Some(Run {
            strands: starts.chain([false]).map(begin).collect(),
            recorded: vec![false; self.events.len()],
            is_stopping,
        })
    }

    /// Ends the run if that was requested.
    fn stop_if_requested(self: &Arc<Self>, run: &mut Run) {
        run.is_stopping |= self.listener.has_failed();
        if run.is_stopping {
            return;
        }
        let first = self.queued.lock().front().map(|first| (first.stop.clone(), first.until));
        let Some((stop, until)) = first else { return };
        match stop {
            Some(Stop::Quietly) => run.is_stopping = true,
            Some(Stop::Because(fault)) => self.fail(run, fault),
            None if until.is_some_and(|until| until <= Instant::now()) => {
                let text = format!(
                    "a run of modelRI {} was not complete at the reset of its device or the end of the session, and \
                     was dropped; synchronize the stream of the run first",
                    self.graph
                );
                self.fail(run, Fault::new(FaultKind::Aborted, text));
            }
            None => {}
        }
    }

    /// Notes that the run has failed, and ends it.
    fn fail(self: &Arc<Self>, run: &mut Run, fault: Fault) {
        if std::mem::replace(&mut run.is_stopping, true) {
            return;
        }
        // User code is called before the run is complete, if possible.
        let Some(report) = self.listener.report(fault) else { return };
        let reporter = self.strands.len();
        if self.strands[0].native.submit(Op::HostFn(Payload::new(&mut Some(report)))).is_ok()
            && self.hand_over(run, 0, reporter).is_ok()
        {
            run.strands[reporter].at = At::Draining;
        }
    }
}
