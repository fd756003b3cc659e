//! Parameters of tasks: queried, changed, and applied by aclmdlRIUpdate.
//!
//! A change is a task that will replace the one at its place. Its dependencies stay: no change adds edges.

use std::sync::Arc;

use crate::backend::{Arguments, Place, Span, ValueWait, ValueWrite, Work};
use crate::base::error::{Code, Error, Result, invalid_param, param_invalid, unsupported};
use crate::base::handles;
use crate::graph::capture::event;
use crate::graph::graph::Graph;
use crate::graph::task::{self, Step, Task, What};
use crate::graph::{inspect, picture};
use crate::kernel::kernel_launch::{self, Config, GraphLaunch, LaunchArgs};
use crate::runtime::thread;
use crate::stream::event::Event;
use crate::transfer::stream_value;

/// The parameters of a task.
pub enum Params {
    /// A task without parameters.
    Other,
    /// A launch.
    Kernel(Arc<GraphLaunch>),
    /// The record of an event, a wait for it, or its reset.
    Event {
        /// The handle of the event.
        event: u64,
        /// The flags that it was created with; 0 if it is destroyed.
        made_with: u32,
        /// A number of the API that says whether the event works outside of the graph.
        external: u32,
    },
    /// A write of a value.
    Write(ValueWrite),
    /// A wait for a value.
    Wait(ValueWait),
}

/// The new launch of a task.
pub struct KernelParams {
    /// The kernel.
    pub function: u64,
    /// Its attributes.
    pub config: Config,
    /// Its arguments, in the program's memory.
    pub arguments: Arguments,
    /// A number of the API that says whether the arguments are in host memory.
    pub is_host: u32,
    /// The number of blocks.
    pub blocks: u32,
}

/// A change of a task.
pub enum TaskUpdate {
    /// A change of a task whose kind has no parameters.
    Other {
        /// Whether the program passed parameters.
        is_said: bool,
    },
    /// The launch that the task makes from then on.
    Kernel(KernelParams),
    /// The event that the task uses from then on.
    Event {
        /// The handle of the event.
        event: u64,
        /// The name of the flag in C.
        argument: &'static str,
        /// The flag.
        flag: u32,
    },
    /// The value that the task writes at this address, or waits for there.
    Value {
        /// The address.
        addr: usize,
        /// The value.
        value: u64,
        /// The comparison of a wait, as a number of the API.
        flag: u32,
    },
}

/// Returns a task with its latest parameters, applied or not: its graph, its place there, and the task.
fn latest(raw: u64) -> Result<(Arc<Graph>, usize, Task)> {
    let (graph, place) = inspect::task(raw)?;
    let ready = graph.ready_or(Code::ModelCaptured)?;
    let task = graph.inspected.changes.lock().get(&place).or_else(|| ready.tasks.get(place)).cloned();
    Ok((graph, place, task.ok_or_else(|| inspect::changed("task", raw))?))
}

/// Returns the same for a task that is about to be changed.
fn changeable(raw: u64) -> Result<(Arc<Graph>, usize, Task)> {
    let (graph, place, task) = latest(raw)?;
    if task.is_late() {
        return Err(unsupported!(
            "task {raw:#x} belongs to a task group, whose tasks cannot be changed or disabled one by one; change all \
             arguments with aclmdlRICaptureTaskUpdateBegin, or capture the task outside of the group"
        ));
    }
    Ok((graph, place, task))
}

/// Returns the launch of a task. For a task in a group this is the current launch.
fn call_of(task: &Task) -> Option<Arc<GraphLaunch>> {
    GraphLaunch::of(&task.current_work()?)
}

/// Implements aclmdlRITaskGetParams: returns a value of `aclmdlRITaskType`, the handle of the task's group or 0, and
/// the parameters.
pub fn get(raw: u64) -> Result<(i32, u64, Params)> {
    let (_, _, task) = latest(raw)?;
    let params = if let Some(event) = task.what.event() {
        let made_with = handles::get::<Event>("event", event).map_or(0, |it| it.flags);
        Params::Event { event, made_with, external: u32::from(task.is_external) }
    } else if task.what == What::Work {
        call_of(&task).map_or(Params::Other, Params::Kernel)
    } else {
        match task.step {
            Some(Step::WriteValue(write)) => Params::Write(write),
            Some(Step::WaitValue(wait)) => Params::Wait(wait),
            Some(
                Step::ChangeNotify(..)
                | Step::WaitNotify(..)
                | Step::CopyIndirect(_)
                | Step::HostTask(_)
                | Step::Wait(_)
                | Step::Record(_)
                | Step::WaitShared(_),
            )
            | None => Params::Other,
        }
    };
    let group = task.group.as_ref().map_or(0, |member| member.group.handle.raw());
    Ok((inspect::number(&task), group, params))
}

/// Implements aclmdlRITaskSetParams for a task of this kind.
pub fn set(raw: u64, kind: i32, change: TaskUpdate) -> Result<()> {
    let (graph, place, mut task) = changeable(raw)?;
    let own = inspect::number(&task);
    if kind != own {
        return Err(param_invalid!("params->type is {kind}; the task has type {own}, which cannot change"));
    }
    match (change, task.what) {
        (TaskUpdate::Kernel(params), What::Work) => task.work = Some(launch(&graph, &task, params)?),
        (TaskUpdate::Event { event, argument, flag }, what) => {
            let own = u32::from(task.is_external);
            if flag != own {
                return Err(unsupported!(
                    "params->{argument} is {flag:#x}; the task was recorded with {own:#x}, which cannot change; \
                     pass this value, or record the graph again with another one"
                ));
            }
            set_event(&graph, &mut task, what, event)?;
        }
        (TaskUpdate::Value { addr, value, .. }, What::ValueWrite) => {
            let write = stream_value::write_on(addr, value, &graph.device)?;
            check_device(&graph, write.dst)?;
            task.step = Some(Step::WriteValue(write));
        }
        (TaskUpdate::Value { addr, value, flag }, What::ValueWait) => {
            let wait = stream_value::wait_on(addr, value, flag, &graph.device)?;
            check_device(&graph, wait.src)?;
            task.step = Some(Step::WaitValue(wait));
        }
        (TaskUpdate::Other { is_said: false }, _) => {}
        (TaskUpdate::Kernel(_) | TaskUpdate::Value { .. } | TaskUpdate::Other { is_said: true }, _) => {
            return Err(has_no_parameters(&task));
        }
    }
    task.is_disabled = false;
    change_later(&graph, place, task);
    Ok(())
}

fn has_no_parameters(task: &Task) -> Error {
    let instead = match &task.work {
        Some(_) => {
            "to change such a task later, capture it in a task group (aclmdlRICaptureTaskGrpBegin), and call \
             aclmdlRICaptureTaskUpdateBegin"
        }
        None => "record the graph again, with another task",
    };
    unsupported!(
        "the task is of type {} ({}), for which aclmdlRITaskParams has no member; {instead}",
        inspect::number(task),
        picture::kind(task)
    )
}

/// Fails for memory on another device than the graph's.
fn check_device(graph: &Graph, word: Span) -> Result<()> {
    match word.place {
        Place::Device(id) if id != graph.device.id => Err(unsupported!(
            "devAddr {:#x} is memory on device {id}, but the graph is on device {}; pass memory on the graph's device",
            word.addr,
            graph.device.id
        )),
        Place::Pageable | Place::Pinned | Place::Device(_) => Ok(()),
    }
}

fn launch(graph: &Graph, task: &Task, params: KernelParams) -> Result<Work> {
    let KernelParams { function, config, arguments, is_host, blocks } = params;
    match (is_host, arguments) {
        (1, _) | (0, Arguments::Block { len: 0, .. }) => {}
        (0, _) => {
            return Err(unsupported!(
                "params->isHostArgs is 0, but this call reads the arguments itself, from host memory; pass them in \
                 host memory with isHostArgs 1"
            ));
        }
        (2.., _) => {
            return Err(invalid_param!("params->isHostArgs is {is_host}; allowed: 1, and 0 if argsSize is 0"));
        }
    }
    let unknown = || {
        Error::new(
            Code::InternalError,
            "this is a defect in portacl: the recorded launch of the task has no parameters; report it",
        )
    };
    let Some(work @ Work::Launch(before)) = &task.work else { return Err(unknown()) };
    let shape = GraphLaunch::of(work).ok_or_else(unknown)?.shape(blocks);
    let request = LaunchArgs { argument: "params->funcHandle", function, shape, arguments, config };
    Ok(Work::Launch(kernel_launch::replacement(&request, &graph.device, before)?))
}

/// Replaces an event. The edges stay, because the events during the capture determined them.
fn set_event(graph: &Graph, task: &mut Task, what: What, raw: u64) -> Result<()> {
    let event = handles::get_arc::<Event>("params->event", raw)?;
    let argument = format!("params->event {raw:#x}");
    graph.check_device(&event.device, &argument, "is", "use an event of the graph's device")?;
    match what {
        what if what.event() == Some(raw) => {}
        What::EventRecord(_) => {
            let is_of_runs = task.is_external || event.signal().is_some();
            let inside = || (event::record_inside(&event), None);
            let (work, step) = if is_of_runs { event::record_of_runs(&event) } else { inside() };
            ensure!((work.is_some(), step.is_some()) == (task.work.is_some(), task.step.is_some()), other_flags());
            task.what = What::EventRecord(raw);
            (task.work, task.step) = (work, step);
        }
        What::EventWait(_) if task.is_external => {
            task.step = Some(event::wait_of_runs(&event)?);
            task.what = What::EventWait(raw);
        }
        What::EventWait(_) => {
            return Err(unsupported!(
                "{argument} is not the event of the recorded wait, and a wait for a record in the same graph cannot \
                 change its event; capture the graph again, with an event that has ACL_EVENT_EXTERNAL or a wait with \
                 ACL_EVENT_WAIT_EXTERNAL"
            ));
        }
        What::Work
        | What::CopyIndirect
        | What::HostTask
        | What::EventReset(_)
        | What::End
        | What::MemAlloc
        | What::MemFree
        | What::ValueWrite
        | What::ValueWait
        | What::NotifyRecord
        | What::NotifyWait
        | What::Control => {
            let step = event::reset_of_runs(&event)?;
            ensure!(step.is_some() == task.step.is_some(), other_flags());
            task.what = What::EventReset(raw);
            task.step = step;
        }
    }
    Ok(())
}

fn other_flags() -> Error {
    unsupported!(
        "params->event and the recorded event differ in ACL_EVENT_EXTERNAL, ACL_EVENT_IPC or ACL_EVENT_TIME_LINE; use \
         an event with the flags of the recorded one"
    )
}

/// Implements aclmdlRITaskDisable.
pub fn disable(raw: u64) -> Result<()> {
    let (graph, place, task) = changeable(raw)?;
    change_later(&graph, place, Task { is_disabled: true, ..task });
    Ok(())
}

/// Implements aclmdlRIKernelTaskGetAttribute.
pub fn attribute(raw: u64, id: i32) -> Result<u32> {
    let value = Config::default().value(id);
    let (_, _, task) = latest(raw)?;
    value?;
    let kind = inspect::number(&task);
    let no_kernel = || param_invalid!("task {raw:#x} is of type {kind}, and only kernels have attributes");
    call_of(&task).ok_or_else(no_kernel)?.config.value(id)
}

/// Implements aclmdlRIUpdate: applies the changes to later runs.
pub fn update(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let graph = handles::get_arc::<Graph>("modelRI", raw)?;
    let _enqueuing = graph.enqueuing.lock();
    let mut ready = graph.hold(Code::ModelCaptured)?;
    let _memory = task::claim(&ready.tasks)?;
    let changes = std::mem::take(&mut *graph.inspected.changes.lock());
    if changes.is_empty() {
        return Ok(());
    }
    let changed = ready.with_changes(&graph.device, &changes).inspect_err(|_| {
        // They stay for the next call, except those that were changed again meanwhile.
        let mut waiting = graph.inspected.changes.lock();
        changes.into_iter().for_each(|(place, task)| {
            waiting.entry(place).or_insert(task);
        });
    })?;
    let before = std::mem::replace(&mut *ready, changed);
    drop(ready);
    drop(before);
    Ok(())
}

/// Notes that the next update gives the graph this task at this place.
fn change_later(graph: &Graph, place: usize, task: Task) {
    let before = graph.inspected.changes.lock().insert(place, task);
    drop(before);
}
