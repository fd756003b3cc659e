//! Graphs: recorded work that runs as one operation of a stream, many times.

pub mod build;
pub mod capture;
pub mod condition;
pub mod control;
pub mod end_callback;
pub mod flow;
pub mod group;
pub mod inspect;
pub mod label;
pub mod memory;
pub mod mode;
pub mod params;
pub mod picture;
pub mod plan;
mod program;
pub mod recorder;
pub mod task;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use self::capture::Capture;
use self::condition::{Body, Conditions, Tree};
use self::end_callback::EndCallbacks;
use self::flow::Flow;
use self::group::Owned;
use self::inspect::Inspected;
use self::memory::Memory;
use self::program::Program;
use self::recorder::Recorder;
use self::task::{Task, What};
use crate::algo::map::slot_table;
use crate::algo::map::slot_table::{Handle, Ref};
use crate::backend::Position;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles::{self, Object};
use crate::core::base::release_failure;
use crate::core::memory::allocation::Allocation;
use crate::core::runtime::device::Device;
use crate::core::runtime::thread;
use crate::core::stream::event::Event;
use crate::core::stream::{self, Stream, interceptor};

/// A graph.
pub struct Graph {
    /// Its own handle.
    pub handle: Handle,
    /// Its device.
    pub device: Arc<Device>,
    /// Its id, different from all others.
    pub id: u32,
    /// The capture of a graph that is built; `None` for a captured graph.
    building: Option<Arc<Capture>>,
    /// `None` while it is being recorded.
    ready: Mutex<Option<Arc<Ready>>>,
    /// Handles and changes for queries.
    pub inspected: Inspected,
    /// The values of conditional tasks, in it and in nested graphs.
    conditions: Conditions,
    /// Set for the body of a conditional task.
    body: Option<Body>,
    end_callbacks: EndCallbacks,
}

handles::object!(Graph, Graph);

/// What drives the runs of a graph.
enum Drive {
    /// The backend.
    Backend,
    /// The host.
    Host(Arc<Flow>),
    /// The host, once all bodies of conditional tasks are captured. For a body: as a part of the other graph.
    HostLater,
}

/// A graph that can run.
pub struct Ready {
    /// What was recorded.
    pub tasks: Vec<Task>,
    /// Runs the graph, or follows a flow.
    program: Arc<Program>,
    drive: Drive,
    /// The library's memory that it uses.
    memory: Vec<Allocation>,
    /// The handles of the events that each run records.
    events: Vec<u64>,
    resources: Arc<Resources>,
}

/// Objects that are released with a graph.
#[derive(Default)]
pub struct Resources {
    /// The groups among its tasks.
    pub groups: Vec<Owned>,
    /// Bodies of conditional tasks.
    pub bodies: Vec<condition::Owned>,
    /// Memory of pools.
    pub memory: Memory,
}

impl Resources {
    /// Releases them. Returns the first failure.
    fn end(&mut self) -> Result<()> {
        let bodies = self.bodies.iter_mut().map(condition::Owned::end).fold(Ok(()), Result::and);
        self.memory.end().and(bodies)
    }
}

impl Ready {
    /// Of these tasks, on `device`.
    pub fn new(device: &Device, tasks: Vec<Task>, resources: Resources) -> Result<Arc<Self>> {
        let program = Program::new(&device.native, &tasks)?;
        Ok(Self::of(tasks, Arc::new(program), Drive::Backend, Arc::new(resources)))
    }

    /// For a flow that was made of these tasks.
    fn of_flow(device: &Device, tasks: Vec<Task>, flow: Arc<Flow>) -> Result<Arc<Self>> {
        let nothing = Program::new(&device.native, &[])?;
        Ok(Self::of(tasks, Arc::new(nothing), Drive::Host(flow), Arc::default()))
    }

    /// For tasks of which some are conditional, or which are a body.
    fn with_bodies(device: &Device, tasks: Vec<Task>, resources: Resources) -> Result<Arc<Self>> {
        condition::check(&tasks)?;
        let nothing = Program::new(&device.native, &[])?;
        Ok(Self::of(tasks, Arc::new(nothing), Drive::HostLater, Arc::new(resources)))
    }

    /// The same, for a graph whose bodies are all captured.
    fn with_flow(self: &Arc<Self>, graph: &Graph) -> Result<Arc<Self>> {
        let tree = Tree::of(graph, self)?;
        let _memory = tree.claim()?;
        let flow = Flow::of_tree(graph.handle, &graph.device, &tree)?;
        let (program, resources) = (Arc::clone(&self.program), Arc::clone(&self.resources));
        let drive = Drive::Host(flow);
        let (memory, events) = uses(&tree.tasks());
        Ok(Arc::new(Self { tasks: self.tasks.clone(), program, drive, memory, events, resources }))
    }

    fn of(tasks: Vec<Task>, program: Arc<Program>, drive: Drive, resources: Arc<Resources>) -> Arc<Self> {
        let (memory, events) = uses(&tasks);
        Arc::new(Self { tasks, program, drive, memory, events, resources })
    }

    /// The same graph with other tasks in some places, which have the same edges.
    fn with_changes(&self, device: &Device, changes: &BTreeMap<usize, Task>) -> Result<Arc<Self>> {
        if !matches!(self.drive, Drive::Backend) {
            return Err(Error::unsupported(
                "the tasks of a graph with labels, switches, conditional tasks or streams that start others are not \
                 changed in this version; record the graph anew",
            ));
        }
        let mut tasks = self.tasks.clone();
        for (place, task) in changes {
            tasks[*place] = task.clone();
        }
        let is_changed = |place: &usize| changes.contains_key(place);
        self.program.update(&device.native, &self.tasks, &tasks, is_changed)?;
        let (program, resources) = (Arc::clone(&self.program), Arc::clone(&self.resources));
        Ok(Self::of(tasks, program, Drive::Backend, resources))
    }

    /// Queues a run, with its allocations and frees of pool memory. Returns its last operation.
    fn queue(&self, stream: &Stream) -> Result<Position> {
        let queue = || match &self.drive {
            Drive::Host(flow) => flow::run::queue(flow, stream, &self.program),
            Drive::Backend | Drive::HostLater => self.program.queue(stream, &self.tasks),
        };
        let memory = &self.resources.memory;
        if !memory.is_any() {
            return queue();
        }
        memory.begin_run()?;
        let queued = memory.wait_for_arrivals(stream).and_then(|()| queue());
        queued.inspect_err(|_| memory.undo_run())
    }

    /// The graph ends. Returns the first failure to free its memory.
    fn end(self) -> Result<()> {
        let Self { resources, .. } = self;
        Arc::into_inner(resources).map_or(Ok(()), |mut resources| resources.end())
    }

    /// Fails unless the memory that it uses is still allocated as it was.
    fn check_memory(&self) -> Result<()> {
        let gone = |known: &&Allocation| Allocation::find(known.base) != Some(**known);
        self.memory.iter().find(gone).map_or(Ok(()), |gone| Err(memory_is_gone("modelRI", gone)))
    }
}

/// The library's memory that tasks use, and the events that each run records.
fn uses(tasks: &[Task]) -> (Vec<Allocation>, Vec<u64>) {
    // The others are only places in the order.
    let is_recorded = |task: &Task| task.work().is_some() || task.step().is_some();
    let events = tasks.iter().filter_map(|task| match task.what {
        What::EventRecord(event) if is_recorded(task) => Some(event),
        _ => None,
    });
    (task::memory(tasks), events.collect())
}

#[cold]
fn memory_is_gone(what: &str, gone: &Allocation) -> Error {
    Error::param_invalid(format_args!(
        "{what} uses {} bytes of memory at {:#x} that were freed since it was recorded; keep what a graph uses, or \
         capture it again",
        gone.len, gone.base
    ))
}

impl Graph {
    /// Creates a graph that is about to be recorded. Returns its handle.
    fn create(device: &Arc<Device>, is_built: bool, body: Option<Body>) -> Result<Handle> {
        static IDS: AtomicU32 = AtomicU32::new(0);
        let made = Self::table().insert_with(|handle| {
            Arc::new(Self {
                handle,
                device: Arc::clone(device),
                id: IDS.fetch_add(1, Ordering::Relaxed),
                building: is_built.then(|| Capture::building(handle, device.owner)),
                ready: Mutex::new(None),
                inspected: Inspected::default(),
                conditions: Conditions::default(),
                body,
                end_callbacks: EndCallbacks::default(),
            })
        });
        made.ok_or_else(|| Error::no_more("graphs"))
    }

    fn complete(&self, ready: Arc<Ready>) {
        *self.ready.lock() = Some(ready);
        self.inspected.forget();
    }

    /// As [`Self::hold`], for a brief use.
    fn ready_or(&self, code: Code) -> Result<Arc<Ready>> {
        self.hold(code).map(|ready| Arc::clone(&ready))
    }

    /// Its runnable form, locked against changes; while it is being recorded, an error with this code.
    fn hold(&self, code: Code) -> Result<MappedMutexGuard<'_, Arc<Ready>>> {
        MutexGuard::try_map(self.ready.lock(), Option::as_mut).map_err(|_| self.not_ready(code))
    }

    #[cold]
    fn not_ready(&self, code: Code) -> Error {
        let (recorded, end) = match self.building {
            Some(_) => ("built", "aclmdlRIBuildEnd"),
            None => ("captured", "aclmdlRICaptureEnd"),
        };
        Error::new(code, format_args!("modelRI {:#x} is still being {recorded}; call {end} first", self.handle.raw()))
    }

    /// Fails during a run.
    fn check_not_running(&self, then: &str) -> Result<()> {
        let ready = self.ready.lock();
        let Some(ready) = &*ready else { return Ok(()) };
        let in_flow = matches!(&ready.drive, Drive::Host(flow) if flow.is_running());
        if !in_flow && !ready.program.is_running()? {
            return Ok(());
        }
        Err(Error::new(
            Code::ModelRunning,
            format_args!(
                "modelRI {:#x} is running; synchronize the stream that it was given to, then {then}",
                self.handle.raw()
            ),
        ))
    }

    /// Queues a run.
    fn run(&self, stream: &Stream) -> Result<()> {
        self.check_not_body("run that one")?;
        if stream.is_captured() {
            return self.record_in(stream);
        }
        let mut ready = self.hold(Code::ModelCaptured)?;
        if matches!(ready.drive, Drive::HostLater) {
            *ready = ready.with_flow(self)?;
        }
        ready.check_memory()?;
        let position = ready.queue(stream)?;
        for event in &ready.events {
            if let Ok(event) = handles::get::<Event>("event", *event) {
                event.note_record(stream, position);
            }
        }
        Ok(())
    }

    /// Adds its tasks to a captured stream.
    #[cold]
    fn record_in(&self, stream: &Stream) -> Result<()> {
        let ready = self.ready_or(Code::SubAclgraphIsCapturing)?;
        ready.check_memory()?;
        if !matches!(ready.drive, Drive::Backend) {
            return Err(Recorder::of(stream).no_flow());
        }
        if ready.resources.memory.is_any() {
            return Err(Error::unsupported(format_args!(
                "modelRI {:#x} takes or frees memory of pools, so it cannot be part of another graph; run it by \
                 itself, or capture its calls with the others",
                self.handle.raw()
            )));
        }
        Recorder::of(stream).take_part()?.add_graph(stream.handle, &ready.tasks)
    }

    /// It is out of the table. The handles of its groups die, even while another thread uses it. That thread then frees
    /// the memory. Returns the first failure.
    fn end(&self) -> Result<()> {
        let ready = self.ready.lock().take();
        let ended = ready.and_then(Arc::into_inner).map_or(Ok(()), Ready::end);
        ended.and(self.conditions.end(&self.device))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Err(error) = self.conditions.end(&self.device) {
            release_failure::note_error("memory of a graph was not freed", &error);
        }
    }
}

/// The graph and the stream of a run.
fn resolve(raw: u64, stream: u64) -> Result<(Ref<'static, Stream>, Arc<Graph>)> {
    handles::check_not_null::<Graph>("modelRI", raw)?;
    let stream = stream::resolve(stream)?;
    let graph = handles::get_arc::<Graph>("modelRI", raw)?;
    if !Arc::ptr_eq(&graph.device, &stream.device) {
        return Err(Error::new(
            Code::StreamContext,
            format_args!(
                "modelRI {raw:#x} was captured on device {}, the stream is on device {}; run it on a stream of \
                 its own device",
                graph.device.id, stream.device.id
            ),
        ));
    }
    Ok((stream, graph))
}

/// aclmdlRIExecuteAsync.
pub fn execute_async(raw: u64, stream: u64) -> Result<()> {
    let (stream, graph) = resolve(raw, stream)?;
    graph.run(&stream)
}

/// aclmdlRIExecute: on the default stream of the current context.
pub fn execute(raw: u64, timeout_ms: i32) -> Result<()> {
    stream::deadline(timeout_ms)?;
    interceptor::check_waiting()?;
    let (stream, graph) = resolve(raw, 0)?;
    graph.run(&stream)?;
    let stream = { stream }.handle.raw();
    drop(graph);
    stream::synchronize_with_timeout(stream, timeout_ms)
}

/// aclmdlRIAbort.
pub fn abort(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let graph = handles::get::<Graph>("modelRI", raw)?;
    graph.check_not_body("abort that one")?;
    let ready = graph.ready_or(Code::ModelCaptured)?;
    match &ready.drive {
        Drive::Backend => ready.program.abort(),
        Drive::Host(flow) => flow.abort(),
        // It has never run.
        Drive::HostLater => {}
    }
    Ok(())
}

/// aclmdlRIDestroy.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let graph = handles::get::<Graph>("modelRI", raw)?;
    graph.check_not_body("destroy that one")?;
    if graph.building.is_none() {
        graph.ready_or(Code::ModelCaptured)?;
    }
    graph.check_not_running("destroy it")?;
    drop(graph);
    let graph = handles::remove::<Graph>("modelRI", raw)?;
    if let Some(building) = &graph.building {
        building.release();
    }
    let ended = graph.end();
    let callbacks = graph.end_callbacks.take();
    drop(graph);
    slot_table::flush_if_many();
    end_callback::call(callbacks);
    ended
}
