//! Submits the operations of a stream to the driver.
//!
//! A driver's queue for a stream holds some 56 host functions and event records, and some 1,000 operations; then calls
//! wait, also those for other streams. The library does not hold submissions back on the host: a second queue in front
//! of each stream would need a thread that submits from it, would change the order against other libraries that use the
//! stream, and would hide errors of submissions. Work that is submitted after an abort is ordered after what the driver
//! still holds and is not refused, so that work that never ends keeps no program from using the stream.

use std::sync::Arc;
use std::time::Duration;

use super::CudaStream;
use crate::backend::{Copy, Event, Fault, Fill, Graph, HostFn, Launch, Op, Payload, Position, Result, Submit, Ticket};
use crate::base::api::Api;
use crate::graph;
use crate::kernel::kernel_launch;
use crate::memory::managed_memory;
use crate::stream::event::CudaEvent;
use crate::stream::{host_fn, timed_wait, watch};
use crate::transfer::{host_task, memcpy, memcpy_2d, memcpy_indirect, random_num, reduce, stream_value};

/// These operations are submitted in inner loops of programs. They are separate functions, so that [`Submit::submit`]
/// jumps to them without a frame: inlined together they cost each call some 5 ns.
impl CudaStream {
    #[inline(never)]
    fn copy(&self, copy: &Copy) -> Result<Position> {
        self.reported(memcpy::queue_copy(&self.0, copy))
    }

    #[inline(never)]
    fn launch(&self, launch: &Launch<'_>) -> Result<Position> {
        self.reported(kernel_launch::queue(&self.0, launch))
    }

    #[inline(never)]
    fn host_fn(&self, function: Payload<'_, HostFn>) -> Result<Position> {
        let function = function.take();
        let queued = match function.calls_backend() {
            true => host_fn::queue_task(&self.0, move || function.run()),
            false => host_fn::queue(&self.0, move || function.run()),
        };
        self.reported(queued)
    }

    #[inline(never)]
    fn record(&self, event: &Arc<dyn Event>) -> Result<Position> {
        let event = CudaEvent::of(&**event)?;
        if event.is_record_kept() {
            event.keep_awaited_record()?;
        }
        let raw = event.raw();
        let is_captured = self.0.is_shared() && self.0.is_captured()?;
        // SAFETY: `event` and the stream are borrowed during the call, and both are on this device.
        let record = |api: &Api| unsafe { api.event_record(raw.0, self.0.raw.0) };
        let recorded = self.0.submit_in_places(1, |_| self.0.device.call_here(record));
        event.note_record(self.0.depends_on_program(), is_captured);
        self.reported(recorded)
    }

    #[inline(never)]
    fn wait(&self, event: &Arc<dyn Event>, limit: Option<Duration>) -> Result<Position> {
        let event = CudaEvent::of(&**event)?;
        // A record in a capture has no state that a timeout could end.
        if let Some(limit) = limit
            && !event.is_captured()
            && !event.is_complete()?
        {
            return self.reported(timed_wait::queue(&self.0, event.latest(), limit));
        }
        // SAFETY: both are alive; the driver keeps what it needs of the event's record.
        let wait = |api: &Api| unsafe { api.stream_wait_event(self.0.raw.0, event.raw().0, 0) };
        self.reported(self.0.submit(|| {
            if event.depends_on_program() {
                self.0.note_dependence();
            }
            let may_join = event.may_be_captured() && self.0.begin_join();
            let waited = self.0.device.call_here(wait);
            if may_join {
                self.0.end_join();
            }
            waited
        }))
    }

    #[inline(never)]
    fn fill(&self, fill: &Fill) -> Result<Position> {
        self.reported(memcpy::queue_fill(&self.0, fill))
    }

    #[inline(never)]
    fn run_graph(&self, graph: &Arc<dyn Graph>) -> Result<Position> {
        self.reported(graph::queue(&self.0, graph))
    }
}

impl Submit for CudaStream {
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        match op {
            Op::Copy(ref copy) => self.copy(copy),
            Op::Fill(ref fill) => self.fill(fill),
            Op::Launch(launch) => self.launch(launch),
            Op::HostFn(function) => self.host_fn(function),
            Op::RunGraph(graph) => self.run_graph(graph),
            Op::Record(event) => self.record(event),
            Op::Wait(event, limit) => self.wait(event, limit),
            Op::CopyBatch(_)
            | Op::Copy2d(_)
            | Op::CopyIndirect(_)
            | Op::Prefetch(_)
            | Op::RandomNum(_)
            | Op::Reduce(_)
            | Op::HostTask(_)
            | Op::HandOver { .. }
            | Op::WriteValue(_)
            | Op::WaitValue(_)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..)
            | Op::Mark => self.submit_rarer(op),
        }
    }
}

impl CudaStream {
    /// Submits operations that programs submit less often.
    #[inline(never)]
    fn submit_rarer(&self, op: Op<'_>) -> Result<Position> {
        let stream = &self.0;
        self.reported(match op {
            Op::CopyBatch(copies) => memcpy::queue_batch(stream, copies),
            Op::Copy2d(copy) => memcpy_2d::queue(stream, &copy),
            Op::CopyIndirect(copy) => memcpy_indirect::queue(stream, &copy),
            Op::Prefetch(moves) => managed_memory::prefetch(stream, moves),
            Op::RandomNum(job) => random_num::queue(stream, &job),
            Op::Reduce(reduce) => reduce::queue(stream, &reduce),
            Op::HostTask(task) => host_task::queue(stream, task),
            Op::HandOver { delivery, wait } => {
                let delivery = delivery.take();
                if wait {
                    host_fn::deliver(stream, move |arrival| delivery.deliver(arrival.into()))
                } else {
                    host_fn::deliver_unawaited(stream, move || delivery.deliver(Ticket::unawaited()))
                }
            }
            Op::WriteValue(write) => stream_value::write(stream, &write),
            Op::WaitValue(wait) => stream_value::wait(stream, &wait),
            Op::ChangeNotify(notify, change) => watch::change_notify(stream, notify, change),
            Op::WaitNotify(notify, wait) => watch::wait_for_notify(stream, notify, wait),
            Op::Mark => Err(Fault::unsupported(
                "this operation is for memory pools of the library; the cuda backend uses pools of the driver",
            )),
            Op::Copy(_)
            | Op::Fill(_)
            | Op::Launch(_)
            | Op::HostFn(_)
            | Op::RunGraph(_)
            | Op::Record(_)
            | Op::Wait(..) => unreachable!("Submit::submit runs these"),
        })
    }
}
