//! Conditional tasks: their values, and the bodies that they run.
//!
//! A value is a word of device memory that belongs to a graph. A body is a separate graph that belongs to a task, is
//! captured once, and runs only as a part of the graph of the task. When such a graph runs for the first time it
//! becomes a flow, with all its bodies (`flow/draft.rs`).

use std::sync::atomic::{AtomicBool, Ordering};

use super::capture::{self, capture_of};
use super::graph::Graph;
use super::graph::body::{Body, ConditionHandle, OwnedBodies};
use super::task::control::{ConditionKind, Conditional, Control};
use crate::algo::map::slot_table::Handle;
use crate::base::error::{Error, Result, arguments, param_invalid, unsupported};
use crate::base::handles::{self, Object};
use crate::runtime::thread;
use crate::{memory, stream};

/// Maximum nesting of bodies: recursive functions create steps and pictures.
const MOST_NESTED: usize = 16;

/// Implements aclmdlRICondHandleCreate.
pub fn create(raw: u64, default: u32, flag: i32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    handles::check_not_null::<Graph>("modelRI", raw)?;
    let allowed = "0 and ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT 1";
    let default = arguments::numbered("flag", flag, &[None, Some(default)], allowed)?;
    let graph = handles::get_arc::<Graph>("modelRI", raw)?;
    ensure!(graph.building.is_none(), not_built());
    if graph.ready.lock().is_some() {
        return Err(param_invalid!(
            "the capture of modelRI {raw:#x} has ended, so it takes no more conditional tasks; create the handle \
             before aclmdlRICaptureEnd, for the graph that aclmdlRICaptureGetInfo returns"
        ));
    }
    let value = memory::word_of_graph(&graph.device)?;
    let owner = graph.handle;
    let make = |handle| ConditionHandle { handle, graph: owner, value, default, is_used: AtomicBool::new(false) };
    let Some(made) = ConditionHandle::table().publish(make) else {
        // The first failure is returned.
        let _ = memory::free_word_of_graph(&graph.device, value);
        return Err(Error::no_more("condition handles"));
    };
    let handle = made.handle.raw();
    graph.conditions.lock().push(made);
    Ok(handle)
}

fn not_built() -> Error {
    unsupported!(
        "conditional tasks can be added to captured graphs only, but this graph is from aclmdlRIBuildBegin; use \
         aclrtSwitchLabelByIndex or aclrtSwitchStream in it"
    )
}

/// Implements aclmdlRICondHandleGetCondPtr: returns the address of the value.
pub fn address(raw: u64) -> Result<usize> {
    Ok(handles::get::<ConditionHandle>("handle", raw)?.value.addr)
}

/// Implements aclmdlRIAddCondTask: returns the handles of the bodies.
pub fn add_task(raw: u64, kind: i32, count: u32, stream: u64, flags: u32) -> Result<Vec<u64>> {
    thread::refuse_inside_host_function()?;
    handles::check_not_null::<ConditionHandle>("params.handle", raw)?;
    let kind = ConditionKind::from_number(kind)?;
    kind.check_count(count)?;
    arguments::no_flags("flags", flags)?;
    let stream = stream::resolve(stream)?;
    ensure!(!capture_of(&stream).is_some_and(|capture| capture.is_built), not_built());
    let capture = capture::of(&stream)?;
    let condition = handles::get_arc::<ConditionHandle>("params.handle", raw)?;
    capture.check()?;
    ensure!(stream.device.native.streams_wait_for_tickets(), super::flow::no_tickets());
    let gone = || {
        param_invalid!(
            "the graph that the stream records into was released during its capture: its device was reset, or the \
             graph that contains it was destroyed; capture the outermost graph again"
        )
    };
    let graph = Graph::table().get_arc(capture.graph).ok_or_else(gone)?;
    if !graph.is_in(condition.graph) {
        return Err(param_invalid!(
            "params.handle {raw:#x} belongs to modelRI {}, but {stream} records into {graph}, which is not inside of \
             modelRI {0}; create the handle for {graph}, or for a graph that contains {graph}",
            condition.graph
        ));
    }
    if graph.depth() == MOST_NESTED {
        return Err(unsupported!(
            "{graph} is inside of {MOST_NESTED} other graphs, and conditional tasks cannot nest deeper; move the \
             innermost tasks into a host function, or a kernel"
        ));
    }
    if condition.is_used.swap(true, Ordering::Relaxed) {
        return Err(param_invalid!(
            "params.handle {raw:#x} is used by another conditional task; create a handle for each task"
        ));
    }
    let (handle, value) = (condition.handle, condition.value);
    let mut owned = OwnedBodies { condition, bodies: Vec::new() };
    for _ in 0..count {
        let is_capturing = AtomicBool::new(false);
        let body = Body { parent: graph.handle, depth: graph.depth() + 1, is_capturing };
        owned.bodies.push(Graph::create(&graph.device, false, Some(body))?);
    }
    let bodies: Box<[Handle]> = owned.bodies.iter().map(|body| body.handle).collect();
    let raw = bodies.iter().map(|body| body.raw()).collect();
    let control = Control::Conditional(Conditional { kind, condition: handle, value, bodies });
    capture.add_control(stream.handle, control, Some(owned))?;
    Ok(raw)
}

/// Implements aclmdlRICaptureToModelRIBegin.
pub fn begin_capture(stream: u64, raw: u64, mode: i32) -> Result<()> {
    handles::check_not_null::<Graph>("modelRI", raw)?;
    capture::begin_as(stream, mode, |stream| {
        let graph = handles::get_arc::<Graph>("modelRI", raw)?;
        graph.check_device(&stream.device, "the stream", "is", "use a stream of the graph's device")?;
        graph.claim()?;
        Ok(graph)
    })
}
