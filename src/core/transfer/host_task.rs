//! Tasks of the host: functions of the program that a stream runs, with access to device memory.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::backend::{
    self, BufferUse, Fault, FaultKind, HostTask, Op, Place, StopReason, TaskBuffer, TaskCode, TaskRun,
};
use crate::base::error::{Code, Error, Result, arguments, invalid_param, param_invalid};
use crate::base::handles::{self, Object};
use crate::base::host_memory;
use crate::memory::{self, Held};
use crate::runtime::device::Device;
use crate::stream;
use crate::transfer::ends::{End, Own, Takes, find_end};

/// The maximum number of buffers of a task.
const MOST_BUFFERS: usize = 1024;

/// The functions of a task. The object is dropped when nothing runs the task again.
pub trait TaskFunction: Send + Sync {
    /// Returns the name of the task.
    fn name(&self) -> &str;

    /// Calls the function, for the task with this handle. Returns its code.
    fn call(&self, task: u64, addresses: &[usize]) -> i32;

    /// Notifies the program, while the function runs, that the task has this state of `portaclTaskState`.
    fn stop(&self, state: i32);

    /// Notes whether the launch owns what the functions refer to, and releases it with this object.
    fn own(&self, owns: bool);
}

/// A buffer as it came from C.
pub struct Buffer {
    /// The first byte.
    pub addr: usize,
    /// The number of bytes.
    pub len: usize,
    /// A `portaclTaskAccess`.
    pub access: i32,
}

/// A task whose function runs.
struct RunningTask {
    /// The run. The table may drop this object later than the run, which must be released in time.
    run: Weak<TaskRun>,
    /// The first failure that the program has reported.
    failure: Mutex<Option<(i32, String)>>,
}

handles::object!(RunningTask, HostTask);

/// Returns the words for a task in a text. Tasks without a name are named "task".
fn in_words(name: &str) -> String {
    if matches!(name, "" | "task") { "the task".to_owned() } else { format!("task {name}") }
}

/// The code of a task.
struct Called(Arc<dyn TaskFunction>);

impl TaskCode for Called {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn run(&self, run: &Arc<TaskRun>, addresses: &[usize]) -> backend::Result<()> {
        let running = Arc::new(RunningTask { run: Arc::downgrade(run), failure: Mutex::default() });
        let handle = RunningTask::table().insert(Arc::clone(&running)).ok_or_else(|| {
            let is_full = format!(
                "{} did not run, because the maximum number of tasks ran at the same time; launch it again after \
                 other tasks have ended",
                in_words(self.name())
            );
            let error = handles::no_handle::<RunningTask>(Code::BadAlloc, &is_full);
            Fault::new(FaultKind::OutOfHostMemory, error.text())
        })?;
        let code = self.0.call(handle.raw(), addresses);
        let _ = RunningTask::table().remove(handle);
        let failed = running.failure.lock().take();
        let unexplained = || (code, format!("{} has failed: its function returned {code}", in_words(self.name())));
        match failed.or_else(|| (code != 0).then(unexplained)) {
            Some((code, text)) => Err(Fault::new(FaultKind::Program(code), text)),
            None => Ok(()),
        }
    }

    fn stop(&self, stop: StopReason) {
        self.0.stop(stop as i32);
    }
}

/// Implements portaclLaunchTask.
pub fn launch(
    function: &Arc<dyn TaskFunction>,
    buffers: &[Buffer],
    takes_device_addresses: bool,
    stream: u64,
) -> Result<()> {
    for (index, buffer) in buffers.iter().enumerate() {
        use_of(index, buffer.access)?;
        if buffer.len != 0 {
            let size = format_args!("buffers[{index}].size is {}", buffer.len);
            arguments::not_null_for(format_args!("buffers[{index}].data"), buffer.addr, size)?;
        }
    }
    let stream = stream::resolve(stream)?;
    let (buffers, _held) = find(buffers, &stream.device)?;
    check_overlap(&buffers)?;
    let code = Box::new(Called(Arc::clone(function)));
    let task = Arc::new(HostTask { buffers: buffers.into(), takes_device_addresses, code });
    // The task may have run when the submission returns.
    function.own(true);
    stream.submit(Op::HostTask(&task)).map(drop).inspect_err(|_| function.own(false))
}

/// Fails for more buffers than a task can have.
pub fn check_count(count: usize) -> Result<()> {
    ensure!(
        count <= MOST_BUFFERS,
        invalid_param!(
            "count is {count}; allowed: at most {MOST_BUFFERS} buffers; pass further addresses of host memory in \
             userData, or launch several tasks"
        )
    );
    Ok(())
}

fn use_of(index: usize, access: i32) -> Result<BufferUse> {
    match access {
        1 => Ok(BufferUse::Read),
        2 => Ok(BufferUse::Write),
        3 => Ok(BufferUse::ReadWrite),
        _ => Err(invalid_param!(
            "buffers[{index}].access is {access}; allowed: PORTACL_TASK_READ 1, PORTACL_TASK_WRITE 2 and \
             PORTACL_TASK_READ_WRITE 3"
        )),
    }
}

/// Finds the memory of the buffers. Returns references that keep their devices open.
fn find(buffers: &[Buffer], device: &Device) -> Result<(Vec<TaskBuffer>, Vec<Held>)> {
    let mut found = host_memory::list("buffers of a task", buffers.len())?;
    let mut held = host_memory::list("buffers of a task", buffers.len())?;
    for (index, &Buffer { addr, len, access }) in buffers.iter().enumerate() {
        let does = use_of(index, access)?;
        let mut memory = None;
        if len != 0 {
            let argument = format!("buffers[{index}].data");
            let takes = Takes::Locked("; pass the address of pageable host memory in userData");
            let (span, kept) =
                find_end(End { argument: &argument, addr, len }, does.writes(), Own::Device(device), takes)?;
            if matches!(span.place, Place::Device(id) if id != device.id) && !memory::is_managed(addr) {
                return Err(of_another_device(&argument, addr, device));
            }
            held.push(kept);
            memory = Some(span);
        }
        found.push(TaskBuffer { memory, does });
    }
    Ok((found, held))
}

fn of_another_device(argument: &str, addr: usize, device: &Device) -> Error {
    param_invalid!(
        "{argument} {addr:#x} is memory on another device than the stream, which is on device {}; use a stream of the \
         memory's device",
        device.id
    )
}

/// Fails for buffers that overlap, unless both are only read: their copies on the host would differ.
fn check_overlap(buffers: &[TaskBuffer]) -> Result<()> {
    let mut order = host_memory::list("buffers of a task", buffers.len())?;
    order.extend((0..buffers.len()).filter(|&index| buffers[index].memory.is_some()));
    let first = |index: usize| buffers[index].memory.map_or(0, |memory| memory.addr);
    let end = |index: usize| buffers[index].memory.map_or(0, |memory| memory.addr + memory.len);
    order.sort_unstable_by_key(|&index| first(index));
    // The buffer, and the written buffer, that reach farthest of all that begin before.
    let (mut farthest, mut written) = (None, None);
    for index in order {
        let before = if buffers[index].does.writes() { farthest } else { written };
        if let Some(other) = before
            && end(other) > first(index)
        {
            let (a, b) = (index.min(other), index.max(other));
            return Err(invalid_param!(
                "buffers[{b}] overlaps buffers[{a}], and one of them is written; pass the memory as one buffer with \
                 PORTACL_TASK_READ_WRITE"
            ));
        }
        let farther = |known: Option<usize>| Some(known.filter(|&known| end(known) >= end(index)).unwrap_or(index));
        farthest = farther(farthest);
        if buffers[index].does.writes() {
            written = farther(written);
        }
    }
    Ok(())
}

/// Implements portaclTaskFail.
pub fn fail(task: u64, code: i32, text: Option<String>) -> Result<()> {
    let running = handles::get::<RunningTask>("task", task)?;
    arguments::not_zero("code", code, "pass the code of the failure, which is not 0")?;
    let run = running.run.upgrade();
    let name = run.as_ref().map_or("", |run| run.task.code.name());
    let text = text.unwrap_or_else(|| format!("{} has failed with code {code}", in_words(name)));
    running.failure.lock().get_or_insert((code, text));
    Ok(())
}

/// Implements portaclTaskGetState: returns a value of `portaclTaskState`.
pub fn state(task: u64) -> Result<i32> {
    let running = handles::get::<RunningTask>("task", task)?;
    Ok(running.run.upgrade().and_then(|run| run.stopped()).map_or(0, |stop| stop as i32))
}
