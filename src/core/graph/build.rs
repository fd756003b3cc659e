//! Graphs that are built: streams are bound to them, and work that is submitted to such a stream is recorded as in a
//! capture. Runs start the streams that are marked for it, and end when these have ended.

use std::sync::Arc;

use super::capture::{Capture, capture_of};
use super::flow::{Flow, Tree, never_recorded};
use super::graph::{Drive, Graph, Ready, Resources};
use super::task::{Task, What};
use crate::algo::map::slot_table::{Handle, Ref};
use crate::base::error::{Code, Result, error_with, invalid_param, param_invalid};
use crate::base::handles;
use crate::runtime::thread;
use crate::stream::{self, Stream};

/// Value of `flag` for a stream that every run starts.
const HEAD: u32 = 0;
/// Value of `flag` for a stream that another stream starts.
const DEFAULT: u32 = 0x7fff_ffff;

/// Implements aclmdlRIBuildBegin: returns the graph.
pub fn begin(flag: u32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    ensure!(flag == 0, invalid_param!("flag is {flag:#x}; allowed: 0"));
    let device = Arc::clone(&thread::current()?.device);
    Ok(Graph::create(&device, true, None)?.handle.raw())
}

/// Returns the graph of an argument, and its capture.
fn building(raw: u64) -> Result<(Arc<Graph>, Arc<Capture>)> {
    let graph = handles::get_arc::<Graph>("modelRI", raw)?;
    let building = graph
        .building
        .clone()
        .ok_or_else(|| param_invalid!("{graph} is a captured graph; pass a graph from aclmdlRIBuildBegin"))?;
    Ok((graph, building))
}

/// Returns the stream of an argument, its graph, and the graph's capture.
fn resolve(raw: u64, stream: u64) -> Result<(Ref<'static, Stream>, Arc<Graph>, Arc<Capture>)> {
    handles::check_not_null::<Graph>("modelRI", raw)?;
    handles::check_not_null::<Stream>("stream", stream)?;
    let found = stream::resolve(stream)?;
    let (graph, building) = building(raw)?;
    Ok((found, graph, building))
}

/// Returns the stream of an argument, its graph, and the graph's capture. Fails unless the stream is bound to the
/// graph.
fn resolve_bound(raw: u64, stream: u64) -> Result<(Ref<'static, Stream>, Arc<Graph>, Arc<Capture>)> {
    let (found, graph, building) = resolve(raw, stream)?;
    if capture_of(&found).is_some_and(|own| Arc::ptr_eq(&own, &building)) {
        return Ok((found, graph, building));
    }
    Err(error_with!(
        Code::StreamModel,
        "stream {stream:#x} is not bound to modelRI {raw:#x}; pass a stream that is bound to this graph \
         (aclmdlRIBindStream)"
    ))
}

/// Implements aclmdlRIBindStream.
pub fn bind(raw: u64, stream: u64, flag: u32) -> Result<()> {
    handles::check_not_null::<Graph>("modelRI", raw)?;
    handles::check_not_null::<Stream>("stream", stream)?;
    if ![HEAD, DEFAULT].contains(&flag) {
        return Err(invalid_param!(
            "flag is {flag:#x}; allowed: 0 (runs of the graph start the stream) and 0x7fffffff (another stream starts it)"
        ));
    }
    let (stream, graph, building) = resolve(raw, stream)?;
    if !stream.builds_graphs() {
        return Err(param_invalid!(
            "{stream} was created without ACL_STREAM_PERSISTENT, and only streams with that flag are bound to graphs; \
             create it with aclrtCreateStreamWithConfig"
        ));
    }
    let instead = "bind streams of the device that was current when aclmdlRIBuildBegin was called";
    graph.check_device(&stream.device, "the stream", "is", instead)?;
    building.bind(&stream, flag == HEAD)
}

/// Implements aclmdlRIUnbindStream.
pub fn unbind(raw: u64, stream: u64) -> Result<()> {
    let (stream, graph, building) = resolve_bound(raw, stream)?;
    graph.check_not_running("unbind its streams")?;
    building.unbind(&stream)
}

/// Implements aclmdlRIEndTask.
pub fn end_task(raw: u64, stream: u64) -> Result<()> {
    let (stream, _graph, building) = resolve_bound(raw, stream)?;
    building.add(stream.handle, What::End, vec![None]).map(drop)
}

/// Implements aclmdlRIBuildEnd. `reserve` is an address.
pub fn end(raw: u64, reserve: usize) -> Result<()> {
    thread::refuse_inside_host_function()?;
    ensure!(reserve == 0, invalid_param!("reserve is {reserve:#x}; it must be null"));
    let (graph, building) = building(raw)?;
    let no_end = || {
        param_invalid!(
            "modelRI {raw:#x} has no end task; call aclmdlRIEndTask with a stream that was bound with flag 0, or with \
             one that such a stream starts"
        )
    };
    let ready = building.end_building(|tasks, starting| {
        if tasks.iter().all(|task| task.control.is_none()) {
            let tasks = tasks_of_runs(tasks, starting)?.ok_or_else(no_end)?;
            return Ready::new(&graph.device, tasks, Drive::Backend, Resources::default());
        }
        let streams = streams_of_runs(tasks, starting);
        ensure!(tasks.iter().any(|task| task.what == What::End && streams.contains(&task.stream)), no_end());
        let tree = Tree { tasks: tasks.to_vec(), ..Tree::default() };
        let flow = Flow::new(graph.handle, &graph.device, &tree, streams, starting.len())?;
        Ready::new(&graph.device, tree.tasks, Drive::Host(flow), Resources::default())
    })?;
    graph.complete(ready);
    Ok(())
}

/// Returns the tasks of runs: those of the streams that runs start, each up to its end. `None`: no stream has an end.
fn tasks_of_runs(tasks: &[Task], starting: &[Handle]) -> Result<Option<Vec<Task>>> {
    let mut ended: Vec<Handle> = Vec::new();
    let mut kept: Vec<Task> = Vec::new();
    let mut places: Vec<Option<usize>> = Vec::with_capacity(tasks.len());
    for task in tasks {
        if !starting.contains(&task.stream) || ended.contains(&task.stream) {
            places.push(None);
            continue;
        }
        let place =
            |&earlier: &usize| places[earlier].ok_or_else(|| never_recorded(task.stream, tasks[earlier].stream));
        let after = task.after.iter().map(place).collect::<Result<_>>()?;
        if task.what == What::End {
            ended.push(task.stream);
            places.push(None);
            continue;
        }
        places.push(Some(kept.len()));
        kept.push(Task { after, ..task.clone() });
    }
    Ok((!ended.is_empty()).then_some(kept))
}

/// Returns the streams that a graph's runs may start, beginning with those that every run starts.
fn streams_of_runs(tasks: &[Task], starting: &[Handle]) -> Vec<Handle> {
    let mut reached = starting.to_vec();
    let mut next = 0;
    while let Some(&stream) = reached.get(next) {
        next += 1;
        let controls = tasks.iter().filter(|task| task.stream == stream);
        let starts = controls.filter_map(|task| task.control.as_ref()).flat_map(|it| it.starts());
        for started in starts {
            if !reached.contains(&started) {
                reached.push(started);
            }
        }
    }
    reached
}
