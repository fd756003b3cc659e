//! Records the work of a captured stream instead of its backend.

use std::sync::Arc;

use parking_lot::Mutex;

use super::Capture;
use crate::algo::map::typed_slots::Key;
use crate::backend::{self, Fault, FaultKind, Op, Place, Position, Span, Submit, Work};
use crate::base::error::{Code, Error, Result, error_with, param_invalid};
use crate::base::host_memory;
use crate::graph::task::group::Update;
use crate::graph::task::{Step, Task, What, work_spans};
use crate::memory;
use crate::stream::Stream;

/// The capture or the change that a stream takes part in. The stream keeps it.
#[derive(Default)]
enum Participation {
    #[default]
    Nothing,
    Capture(Arc<Capture>),
    /// The change of a task group.
    Update(Arc<Update>),
}

/// Returns the capture that a stream takes part in.
pub(crate) fn capture_of(stream: &Stream) -> Option<Arc<Capture>> {
    // The slot of the stream is not created for this: most streams never take part.
    if stream.is_captured() { Recorder::of(stream).capture() } else { None }
}

/// Records the work of a stream while it is captured.
#[derive(Clone, Copy)]
pub struct Recorder<'a> {
    /// Its stream.
    pub(super) stream: &'a Stream,
    part: &'a Mutex<Participation>,
}

impl<'a> Recorder<'a> {
    /// Returns the recorder of a stream.
    pub fn of(stream: &'a Stream) -> Self {
        static PART: Key<Mutex<Participation>> = Key::new();
        Self { stream, part: PART.of(&stream.features) }
    }

    /// Returns the capture, for a stream whose work must be recorded.
    pub(crate) fn take_part(&self) -> Result<Arc<Capture>> {
        self.check_not_updating()?;
        self.capture().ok_or_else(|| match self.stream.builds_graphs() {
            true => error_with!(
                Code::StreamModel,
                "{} has ACL_STREAM_PERSISTENT and is not bound to a graph; bind it with aclmdlRIBindStream before \
                 enqueuing work",
                self.stream
            ),
            false => Error::new(
                Code::StreamNotCaptured,
                "another thread has ended the capture of the stream during this call; end a capture after all threads \
                 have recorded their work",
            ),
        })
    }

    /// Returns the capture of the stream.
    pub fn capture(&self) -> Option<Arc<Capture>> {
        if let Participation::Capture(capture) = &*self.part.lock() { Some(Arc::clone(capture)) } else { None }
    }

    /// Lets the stream join a capture. Returns false if it takes part in another capture, or changes a task group.
    pub fn join(&self, capture: &Arc<Capture>) -> bool {
        let mut part = self.part.lock();
        if matches!(*part, Participation::Nothing) {
            *part = Participation::Capture(Arc::clone(capture));
            self.stream.set_captured(true);
        }
        matches!(&*part, Participation::Capture(own) if Arc::ptr_eq(own, capture))
    }

    /// Lets the stream leave the capture.
    pub fn leave(&self, capture: &Arc<Capture>) {
        let mut part = self.part.lock();
        if matches!(&*part, Participation::Capture(own) if Arc::ptr_eq(own, capture)) {
            *part = Participation::Nothing;
            self.stream.set_captured(false);
        }
    }

    /// Begins a change of a group by the stream's work, which does not run.
    pub fn begin_update(&self, update: Arc<Update>) -> Result<()> {
        let mut part = self.part.lock();
        if !matches!(*part, Participation::Nothing) {
            return Err(param_invalid!(
                "during this call, another thread has let {} join a capture, or begun to change a task group with it; \
                 end the capture or the change first, or use another stream",
                self.stream
            ));
        }
        *part = Participation::Update(update);
        self.stream.set_captured(true);
        Ok(())
    }

    /// Returns the change that the stream records, if any.
    pub fn update(&self) -> Option<Arc<Update>> {
        if let Participation::Update(update) = &*self.part.lock() { Some(Arc::clone(update)) } else { None }
    }

    /// Ends the change and returns it. The stream's work runs again.
    pub fn end_update(&self) -> Result<Arc<Update>> {
        let mut part = self.part.lock();
        let Participation::Update(update) = &*part else {
            let stream = self.stream;
            return Err(param_invalid!(
                "{stream} is not changing a task group; call aclmdlRICaptureTaskUpdateBegin first"
            ));
        };
        let update = Arc::clone(update);
        *part = Participation::Nothing;
        self.stream.set_captured(false);
        Ok(update)
    }

    /// Fails while the stream's work changes a group, which does not support this call.
    #[cold]
    pub(crate) fn check_not_updating(&self) -> Result<()> {
        let Some(update) = self.update() else { return Ok(()) };
        update.spoil("the update has an operation that task groups do not support");
        Err(param_invalid!(
            "{} is changing a task group, and accepts only copies, fills, reductions, random numbers, kernels and host \
             functions. The update is invalid now; call aclmdlRICaptureTaskUpdateEnd, which returns an error, and \
             begin again without this operation",
            self.stream
        ))
    }

    /// Fails if no work can be recorded now.
    pub fn check_open(&self) -> Result<()> {
        let updates = matches!(*self.part.lock(), Participation::Update(_));
        if updates { Ok(()) } else { self.take_part()?.check() }
    }

    fn add(&self, works: Vec<Option<Work>>) -> backend::Result<Position> {
        works.iter().flatten().flat_map(work_spans).try_for_each(|span| self.check(span))?;
        // The lock is held until the work is added, so that the change does not end without it.
        if let Participation::Update(update) = &*self.part.lock() {
            return update.add(works).map_err(no_memory);
        }
        let added = self.capture().map(|capture| capture.add(self.stream.handle, What::Work, works));
        in_time(added)
    }

    /// Records a step of the stream of a run, which groups do not support.
    fn add_step(&self, what: What, step: Step) -> backend::Result<Position> {
        // A word that a run reads or writes may be managed memory.
        let mut words = step.spans().into_iter().filter(|word| !memory::is_managed(word.addr));
        words.try_for_each(|word| self.check(word))?;
        let is_grouping = |it: &Capture| it.state.lock().branch(self.stream.handle).group.is_some();
        let capture = self.capture();
        if self.update().is_some() || capture.as_deref().is_some_and(is_grouping) {
            return Err(self.cannot(
                "a task group can have only copies, fills, reductions, random numbers, kernels and host functions; \
                 enqueue this operation outside of the group and of its update",
            ));
        }
        let task = Task { step: Some(step), ..Task::new(self.stream.handle, what, None) };
        let added =
            capture.map(|it| it.add_task(task, None).map(|(mut state, _)| state.branch(self.stream.handle).count));
        in_time(added)
    }

    /// Records work that is ordered after the earlier work of the stream.
    pub(crate) fn add_work(&self, work: Work) -> backend::Result<Position> {
        self.add(vec![Some(work)])
    }

    /// Returns the error of an operation that graphs do not support. Makes the capture invalid, because it would lack
    /// the operation.
    #[cold]
    pub fn cannot(&self, text: &'static str) -> Fault {
        self.capture().iter().for_each(|it| {
            it.spoil("an enqueued operation cannot be part of a graph; the call that enqueued it returned the reason");
        });
        if let Participation::Update(update) = &*self.part.lock() {
            update.spoil("the update has an operation that task groups do not support");
        }
        Fault::unsupported(text)
    }

    /// Fails for memory on another device: a graph's work must stay on its device.
    fn check(&self, span: Span) -> backend::Result<()> {
        let is_on_another_device = matches!(span.place, Place::Device(id) if id != self.stream.device.id);
        let why = "a graph has one device, but this operation uses memory on another device; enqueue it in a stream \
             that is not captured, not bound to a graph and not changing a task group";
        ensure!(!is_on_another_device, self.cannot(why));
        Ok(())
    }
}

/// Converts the error of missing host memory. The capture, or the update, is unchanged.
fn no_memory(error: Error) -> Fault {
    Fault::new(FaultKind::OutOfHostMemory, error.text())
}

/// Returns the recorded position. Fails if the capture ended before.
fn in_time(added: Option<Result<Position>>) -> backend::Result<Position> {
    match added {
        Some(Ok(position)) => Ok(position),
        Some(Err(error)) if error.code() == Code::BadAlloc => Err(no_memory(error)),
        // The capture ended between its check and this.
        Some(Err(_)) | None => Err(Fault::new(
            FaultKind::Abandoned,
            "during this call, another thread has ended or invalidated the capture, the graph under construction or \
             the update of a task group to which this stream adds its work; end it after all threads have added their \
             work",
        )),
    }
}

impl Submit for Recorder<'_> {
    fn submit(&self, op: Op<'_>) -> backend::Result<Position> {
        match op {
            Op::Copy(copy) if copy.stage_source => Err(self.cannot(
                "ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE reads its source during the call, but a graph reads it in each run; \
                 use ACL_MEMCPY_HOST_TO_DEVICE, and keep the source as long as the graph exists",
            )),
            Op::Copy(copy) => self.add_work(Work::Copy(copy)),
            Op::CopyBatch(copies) => {
                let each = size_of::<Option<Work>>();
                let _memory = host_memory::claim("copies", copies.len(), each).map_err(no_memory)?;
                self.add(copies.iter().map(|copy| Some(Work::Copy(copy.clone()))).collect())
            }
            Op::Copy2d(copy) => self.add_work(Work::Copy2d(copy)),
            Op::CopyIndirect(copy) => self.add_step(What::CopyIndirect, Step::CopyIndirect(copy)),
            Op::Fill(fill) => self.add_work(Work::Fill(fill)),
            Op::Prefetch(_) => self.add(vec![None]),
            Op::RandomNum(job) => self.add_work(Work::RandomNum(job)),
            Op::Reduce(reduce) => self.add_work(Work::Reduce(reduce)),
            Op::HostFn(function) => {
                let function = function.take().repeated().ok_or_else(|| {
                    self.cannot(
                        "this host function can be called once only, but a graph calls it in each run; enqueue it in a \
                         stream that is not captured, not bound to a graph and not changing a task group",
                    )
                })?;
                self.add_work(Work::HostFn(function))
            }
            Op::HostTask(task) => self.add_step(What::HostTask, Step::HostTask(Arc::clone(task))),
            Op::HandOver { .. } => Err(self.cannot(
                "a callback for aclrtProcessReport or aclrtProcessHostFunc cannot be part of a graph; use \
                 aclrtLaunchHostFunc on a stream without a subscribed thread",
            )),
            Op::WriteValue(write) => self.add_step(What::ValueWrite, Step::WriteValue(write)),
            Op::WaitValue(wait) => self.add_step(What::ValueWait, Step::WaitValue(wait)),
            Op::ChangeNotify(notify, change) => {
                self.add_step(What::NotifyRecord, Step::ChangeNotify(Arc::clone(notify), change))
            }
            Op::WaitNotify(notify, wait) => self.add_step(What::NotifyWait, Step::WaitNotify(Arc::clone(notify), wait)),
            // Launches arrive with their arguments (`Interceptor::launch`), graphs as their tasks, and events take
            // records and waits themselves.
            Op::Launch(_) | Op::RunGraph(_) | Op::Record(_) | Op::Wait(..) | Op::Mark => Err(self.cannot(
                "graphs do not support this operation; enqueue it in a stream that is not captured, not bound to a \
                     graph and not changing a task group",
            )),
        }
    }
}
