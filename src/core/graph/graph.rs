//! Graphs, and their runs.

pub(super) mod body;
pub(super) mod inspected;
pub(super) mod ready;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use self::body::{Body, ConditionHandle};
use self::inspected::Inspected;
pub(super) use self::ready::{Drive, Ready, Resources};
use super::capture::{Capture, Recorder};
use super::end_callback::{self, EndCallback};
use super::{memory, task};
use crate::algo::map::slot_table::{self, Handle, Ref};
use crate::backend::Wait;
use crate::base::error::{Code, Error, Result, error_with, param_invalid, unsupported};
use crate::base::handles::{self, Object};
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::stream::event::Event;
use crate::stream::{self, Stream, interceptor};

/// A graph.
pub struct Graph {
    /// Its own handle.
    pub handle: Handle,
    /// Its device.
    pub device: Arc<Device>,
    /// The id, different from all others.
    pub id: u32,
    /// The capture of a graph that is built; `None` for a captured graph.
    pub building: Option<Arc<Capture>>,
    /// The runnable form; `None` while the graph is being recorded.
    pub ready: Mutex<Option<Arc<Ready>>>,
    /// Locked while a run is enqueued, which may take long, and while tasks are changed. It comes before `ready`.
    pub enqueuing: Mutex<()>,
    /// True while a run is enqueued.
    is_enqueuing: AtomicBool,
    /// Handles and changes for queries.
    pub inspected: Inspected,
    /// The values of conditional tasks, in it and in nested graphs.
    pub conditions: Mutex<Vec<Arc<ConditionHandle>>>,
    /// The state of a body, if it is the body of a conditional task. It ends with that task.
    pub body: Option<Body>,
    /// The callbacks of the program for its end, in the order of registration.
    pub end_callbacks: Mutex<Vec<EndCallback>>,
}

handles::object!(Graph, Graph, |graph| graph.body.is_none());

/// Writes the graph as texts name it.
impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "modelRI {}", self.handle)
    }
}

impl Graph {
    /// Creates a graph that is about to be recorded.
    pub fn create(device: &Arc<Device>, is_built: bool, body: Option<Body>) -> Result<Arc<Self>> {
        static IDS: AtomicU32 = AtomicU32::new(0);
        let made = Self::table().publish(|handle| Self {
            handle,
            device: Arc::clone(device),
            id: IDS.fetch_add(1, Ordering::Relaxed),
            building: is_built.then(|| Capture::building(handle, device.owner)),
            ready: Mutex::new(None),
            enqueuing: Mutex::default(),
            is_enqueuing: AtomicBool::new(false),
            inspected: Inspected::default(),
            conditions: Mutex::default(),
            body,
            end_callbacks: Mutex::default(),
        });
        made.ok_or_else(|| Error::no_more("graphs"))
    }

    /// Fails if `what` is on another device than the one that the graph `is` on; `instead` says what to do.
    pub(crate) fn check_device(&self, device: &Arc<Device>, what: &str, is: &str, instead: &str) -> Result<()> {
        if Arc::ptr_eq(&self.device, device) { Ok(()) } else { Err(self.on_another_device(device, what, is, instead)) }
    }

    #[cold]
    fn on_another_device(&self, device: &Device, what: &str, is: &str, instead: &str) -> Error {
        let (own, other) = (self.device.id, device.id);
        error_with!(Code::StreamContext, "{self} {is} on device {own}, but {what} is on device {other}; {instead}")
    }

    /// Completes the graph: it is recorded, and `ready` runs it.
    pub fn complete(&self, ready: Arc<Ready>) {
        *self.ready.lock() = Some(ready);
        self.inspected.forget();
    }

    /// Returns what [`Self::hold`] returns, for a short use.
    pub(crate) fn ready_or(&self, code: Code) -> Result<Arc<Ready>> {
        self.hold(code).map(|ready| Arc::clone(&ready))
    }

    /// Returns the runnable form, locked against changes. While the graph is being recorded, fails with this code.
    pub fn hold(&self, code: Code) -> Result<MappedMutexGuard<'_, Arc<Ready>>> {
        MutexGuard::try_map(self.ready.lock(), Option::as_mut).map_err(|_| self.not_ready(code))
    }

    #[cold]
    fn not_ready(&self, code: Code) -> Error {
        if Self::table().get_arc(self.handle).is_none() {
            return param_invalid!(
                "{self} was destroyed during the call by another thread, or released with its device or its parent graph; \
                 destroy a graph after its last use"
            );
        }
        let (recorded, end) = match (&self.building, &self.body) {
            (Some(_), _) => ("built", "aclmdlRIBuildEnd"),
            (None, Some(body)) if !body.is_capturing.load(Ordering::Acquire) => {
                ("captured", "aclmdlRICaptureToModelRIBegin and aclmdlRICaptureEnd")
            }
            (None, _) => ("captured", "aclmdlRICaptureEnd"),
        };
        error_with!(code, "{self} is not {recorded} yet; call {end} first")
    }

    /// Returns about how many operations a run has.
    fn operations(&self) -> usize {
        self.ready.lock().as_ref().map_or(0, |ready| ready.program.operations())
    }

    /// Fails during a run.
    pub(crate) fn check_not_running(&self, then: &str) -> Result<()> {
        let ready = self.ready.lock();
        let Some(ready) = &*ready else { return Ok(()) };
        let in_flow = matches!(&ready.drive, Drive::Host(flow) if flow.is_running());
        if !self.is_enqueuing.load(Ordering::Acquire) && !in_flow && !ready.program.is_running()? {
            return Ok(());
        }
        Err(error_with!(Code::ModelRunning, "{self} is running; synchronize the stream that runs it, then {then}"))
    }

    /// Queues a run.
    fn run(&self, stream: &Stream) -> Result<()> {
        self.check_not_body("run the parent graph")?;
        if stream.is_captured() {
            return self.record_in(stream);
        }
        let _enqueuing = self.enqueuing.lock();
        self.is_enqueuing.store(true, Ordering::Release);
        let queued = self.enqueue(stream);
        self.is_enqueuing.store(false, Ordering::Release);
        queued
    }

    fn enqueue(&self, stream: &Stream) -> Result<()> {
        let mut held = self.hold(Code::ModelCaptured)?;
        if matches!(held.drive, Drive::HostLater) {
            *held = held.with_flow(self)?;
        }
        let ready = Arc::clone(&held);
        // Queries go on while this waits for a driver.
        drop(held);
        task::check_memory(self, &ready.memory)?;
        let position = ready.queue(stream)?;
        for event in &ready.events {
            if let Ok(event) = handles::get::<Event>("event", *event) {
                event.note_record(stream, position);
            }
        }
        Ok(())
    }

    /// Adds the tasks of the graph to a captured stream.
    #[cold]
    fn record_in(&self, stream: &Stream) -> Result<()> {
        let ready = self.ready_or(Code::SubAclgraphIsCapturing)?;
        task::check_memory(self, &ready.memory)?;
        if !matches!(ready.drive, Drive::Backend) {
            // Runs that the host drives cannot be recorded.
            let why = "a graph with labels, switches, conditional tasks or streams that start others cannot be part of \
                 another graph in this version; run it by itself, before or after the other graph, in the stream that \
                 runs the other graph";
            return Err(Recorder::of(stream).cannot(why).into());
        }
        if ready.resources.memory.is_any() {
            return Err(unsupported!(
                "{self} allocates or frees pool memory, so it cannot be part of another graph; run it by itself, or \
                 capture its calls together with those of the other graph"
            ));
        }
        Recorder::of(stream).take_part()?.add_graph(stream.handle, &ready.tasks)
    }

    /// Ends the graph, which was removed from the table. The handles of its groups and tasks die, even while another
    /// thread uses the graph; that thread then frees the memory. Returns the first failure.
    pub fn end(&self) -> Result<()> {
        let _enqueuing = self.enqueuing.lock();
        let ready = self.ready.lock().take();
        self.inspected.forget();
        let ended = ready.and_then(Arc::into_inner).map_or(Ok(()), Ready::end);
        ended.and(self.end_conditions())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        memory::note(self.end_conditions());
    }
}

/// Returns the graph and the stream of a run, when the stream has room for it, or fails at the deadline. Other calls
/// for the graph go on until then, and may destroy it. A run that is larger than a queue, or whose room another thread
/// takes, waits inside, and updates of the graph wait for it.
fn resolve(raw: u64, stream: u64, deadline: Option<Instant>) -> Result<(Ref<'static, Stream>, Arc<Graph>)> {
    handles::check_not_null::<Graph>("modelRI", raw)?;
    let stream = stream::resolve(stream)?;
    loop {
        let graph = handles::get_arc::<Graph>("modelRI", raw)?;
        let instead = "run the graph on a stream of its device; for aclmdlRIExecute or a null stream, which use the \
                       default stream of the current context, call aclrtSetDevice for that device first";
        graph.check_device(&stream.device, "the stream", "is", instead)?;
        let operations = graph.operations();
        let waited = if stream.is_captured() { None } else { stream.native().await_room(operations, deadline) };
        match waited {
            None => return Ok((stream, graph)),
            // The graph may be another one now.
            Some(Wait::Done) => {}
            Some(Wait::TimedOut) => {
                return Err(error_with!(
                    Code::StreamSyncTimeout,
                    "{graph} was not launched within the timeout: {} has no room for it before earlier work is \
                     complete; synchronize that stream first, or pass a longer timeout",
                    &*stream
                ));
            }
        }
    }
}

/// Implements aclmdlRIExecuteAsync.
pub fn execute_async(raw: u64, stream: u64) -> Result<()> {
    let (stream, graph) = resolve(raw, stream, None)?;
    graph.run(&stream)
}

/// Implements aclmdlRIExecute: runs the graph on the default stream of the current context.
pub fn execute(raw: u64, timeout_ms: i32) -> Result<()> {
    let deadline = stream::deadline(timeout_ms)?;
    interceptor::check_waiting()?;
    let (stream, graph) = resolve(raw, 0, deadline)?;
    graph.run(&stream)?;
    let stream = { stream }.handle.raw();
    drop(graph);
    stream::synchronize_until(stream, deadline, timeout_ms)
}

/// Implements aclmdlRIAbort.
pub fn abort(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let graph = handles::get::<Graph>("modelRI", raw)?;
    graph.check_not_body("abort the parent graph")?;
    let ready = graph.ready_or(Code::ModelCaptured)?;
    match &ready.drive {
        Drive::Backend => ready.program.abort(),
        Drive::Host(flow) => flow.abort(),
        // The graph has never run.
        Drive::HostLater => {}
    }
    Ok(())
}

/// Implements aclmdlRIDestroy.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let found = handles::unless_late::<Graph, _>(raw, handles::get::<Graph>("modelRI", raw))?;
    let Some(graph) = found else { return Ok(()) };
    graph.check_not_body("destroy the parent graph")?;
    if graph.building.is_none() {
        graph.ready_or(Code::ModelCaptured)?;
    }
    graph.check_not_running("destroy it")?;
    drop(graph);
    let Some(graph) = handles::end::<Graph>("modelRI", raw)? else { return Ok(()) };
    graph.building.iter().for_each(Capture::release);
    let ended = graph.end();
    let callbacks = std::mem::take(&mut *graph.end_callbacks.lock());
    drop(graph);
    slot_table::flush_if_many();
    end_callback::call(callbacks);
    ended
}
