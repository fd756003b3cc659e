//! Properties of graphs: name and id, their streams and the tasks of each.
//!
//! A graph's streams are not the program's, which may take part in many graphs and be destroyed before them. Each is
//! the part of one graph that one stream recorded. Parts and tasks get handles at the first query and keep them as long
//! as the graph lives.

pub mod params;

use std::ffi::OsStr;
use std::sync::Arc;

use crate::algo::count::Count;
use crate::algo::map::slot_table::Handle;
use crate::backend::Work;
use crate::base::error::{Code, Error, Result, error_with, invalid_param, param_invalid};
use crate::base::handles::{self, Object as _};
use crate::base::host_memory;
use crate::graph::capture::capture_of;
use crate::graph::graph::Graph;
use crate::graph::graph::inspected::{GraphStream, GraphTask};
use crate::graph::task::{Task, What};
use crate::stream::Stream;

/// Maximum length of a name.
const MOST_NAME: usize = 512;

/// Returns the graph of an object.
fn graph_of(argument: &str, raw: u64, graph: Handle) -> Result<Arc<Graph>> {
    Graph::table().get_arc(graph).ok_or_else(|| {
        param_invalid!(
            "the graph of {argument} {raw:#x} was destroyed, or released with its device; pass a {argument} of a \
                 live graph"
        )
    })
}

/// Returns the graph of a task, and the place of the task there.
pub fn task(raw: u64) -> Result<(Arc<Graph>, usize)> {
    let task = handles::get_arc::<GraphTask>("task", raw)?;
    Ok((graph_of("task", raw, task.graph)?, task.place))
}

/// Implements aclmdlRISetName.
pub fn set_name(raw: u64, name: &OsStr) -> Result<()> {
    let len = name.len();
    ensure!(len <= MOST_NAME, invalid_param!("name has {len} bytes; a graph's name has at most {MOST_NAME}"));
    let graph = handles::get::<Graph>("modelRI", raw)?;
    *graph.inspected.name.lock() = name.to_string_lossy().into_owned();
    Ok(())
}

/// Implements aclmdlRIGetName.
pub fn name(raw: u64) -> Result<String> {
    Ok(handles::get::<Graph>("modelRI", raw)?.inspected.name.lock().clone())
}

/// Implements aclmdlRIGetId.
pub fn id(raw: u64) -> Result<u32> {
    Ok(handles::get::<Graph>("modelRI", raw)?.id)
}

/// Implements aclmdlRIGetStreams: returns the handles of the streams.
pub fn streams(raw: u64) -> Result<Vec<u64>> {
    let listing = handles::get_arc::<Graph>("modelRI", raw)?.listing()?;
    Ok(listing.iter().map(|part| part.handle.raw()).collect())
}

/// Implements aclmdlRIGetTasksByStream: returns the handles of the tasks.
pub fn tasks(raw: u64) -> Result<Vec<u64>> {
    let (graph, index) = part(raw)?;
    let listing = graph.listing()?;
    let part = listing.get(index).ok_or_else(|| changed("stream", raw))?;
    let mut tasks = host_memory::list("tasks", part.tasks.len())?;
    tasks.extend(part.tasks.iter().map(|task| task.raw()));
    Ok(tasks)
}

/// Returns the error for a graph that has other tasks now.
pub fn changed(argument: &str, raw: u64) -> Error {
    param_invalid!(
        "{argument} {raw:#x}: its graph was destroyed during the call by another thread; pass a {argument} of a \
         live graph"
    )
}

/// Returns a graph and the index of one of its streams. A stream of the program stands for its part of the latest
/// graph.
fn part(raw: u64) -> Result<(Arc<Graph>, usize)> {
    if GraphStream::table().is_shaped(raw) {
        let part = handles::get_arc::<GraphStream>("stream", raw)?;
        return Ok((graph_of("stream", raw, part.graph)?, part.index));
    }
    let stream = handles::get_arc::<Stream>("stream", raw)?;
    if let Some(capture) = capture_of(&stream).filter(|capture| !capture.is_over()) {
        let (state, end) = match capture.is_built {
            true => ("bound to a graph that is being built", "aclmdlRIBuildEnd"),
            false => ("being captured", "aclmdlRICaptureEnd"),
        };
        return Err(error_with!(
            Code::StreamCaptured,
            "stream {raw:#x} is {state}, so its tasks cannot be listed yet; call {end} first"
        ));
    }
    let of_stream = |graph: &Arc<Graph>| {
        // A launch waits for the lock.
        let ready = graph.ready.lock().clone();
        ready.is_some_and(|ready| ready.tasks.iter().any(|task| task.stream == stream.handle))
    };
    let graphs = Graph::table().live().map(|(_, graph)| graph);
    let latest = graphs.filter(of_stream).max_by_key(|graph| graph.id).ok_or_else(|| {
        param_invalid!("stream {raw:#x} has no task of a live graph; pass a stream that aclmdlRIGetStreams returned")
    })?;
    let index = latest.listing()?.iter().position(|part| part.stream == stream.handle);
    Ok((latest, index.ok_or_else(|| changed("stream", raw))?))
}

/// Returns the kind of a task in C, a value of `aclmdlRITaskType`.
pub fn number(task: &Task) -> i32 {
    match task.what {
        What::Work if matches!(task.work, Some(Work::Launch(_))) => 1,
        What::EventRecord(_) => 2,
        What::EventWait(_) => 3,
        What::EventReset(_) => 4,
        What::ValueWrite => 5,
        What::ValueWait => 6,
        What::Work
        | What::CopyIndirect
        | What::HostTask
        | What::End
        | What::MemAlloc
        | What::MemFree
        | What::NotifyRecord
        | What::NotifyWait
        | What::Control => 0,
    }
}

/// Implements aclmdlRITaskGetType.
pub fn kind(raw: u64) -> Result<i32> {
    let (graph, place) = task(raw)?;
    let ready = graph.ready_or(Code::ModelCaptured)?;
    ready.tasks.get(place).map(number).ok_or_else(|| changed("task", raw))
}

/// Implements aclmdlRITaskGetSeqId.
pub fn sequence(raw: u64) -> Result<u32> {
    task(raw)?;
    Ok(handles::get::<GraphTask>("task", raw)?.sequence as u32)
}

/// Fails if an array of `room` elements is too small.
pub fn check_room(argument: &str, room: u32, count: usize) -> Result<()> {
    if room as usize >= count {
        return Ok(());
    }
    Err(error_with!(
        Code::InsufficientInputArray,
        "{argument} is {room}; the array needs {}. The call has set {argument} to {count}; pass an array of this \
         length",
        Count(count, "element")
    ))
}
