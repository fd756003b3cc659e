//! Runs graphs as graphs of the driver.
//!
//! The host functions of all graphs run on the driver's thread, one after the other: a graph has no word that a stream
//! could wait for. The driver orders the runs of one graph.
//!
//! The handle of a running graph stays valid, so that what its nodes name can be released with it.

mod draft;

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::CUgraphExec_st;
use parking_lot::Mutex;

use draft::{Draft, GraphReferences};

use crate::backend::{Graph, Node, Position, Result, Work, downcast};
use crate::memory::pending::{self, Release};
use crate::runtime::{DeviceState, Raw};
use crate::stream::event::CudaEvent;
use crate::stream::mark::Mark;
use crate::stream::state::StreamState;

/// A graph behind the trait.
pub(super) struct CudaGraph {
    device: Arc<DeviceState>,
    state: Mutex<Executable>,
}

/// The nodes and the driver's graph that the next run uses.
struct Executable {
    raw: Raw<CUgraphExec_st>,
    kept: GraphReferences,
    has_user_code: bool,
    has_kernels: bool,
    /// The mark after the latest run, and the driver's graph of that run.
    latest: Option<(Mark, Raw<CUgraphExec_st>)>,
}

impl Executable {
    fn new(raw: Raw<CUgraphExec_st>, kept: GraphReferences) -> Self {
        let has_user_code = kept.nodes.iter().any(|work| matches!(work, Work::HostFn(_)));
        let has_kernels = kept.nodes.iter().any(|work| matches!(work, Work::Launch(_)));
        Self { raw, kept, has_user_code, has_kernels, latest: None }
    }
}

/// Creates a graph that can run.
pub(super) fn create(device: &Arc<DeviceState>, nodes: &[Node]) -> Result<Arc<dyn Graph>> {
    let mut draft = Draft::new(device, nodes)?;
    let raw = draft.instantiate()?;
    let state = Mutex::new(Executable::new(raw, std::mem::take(&mut draft.kept)));
    Ok(Arc::new(CudaGraph { device: Arc::clone(device), state }))
}

/// Replaces the nodes of a graph for later runs. The driver updates its graph or, if it cannot, this instantiates
/// another one.
pub(super) fn update(graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()> {
    let CudaGraph { device, state } = CudaGraph::of(graph)?;
    let mut draft = Draft::new(device, nodes)?;
    let mut state = state.lock();
    let raw = if draft.update(state.raw) { state.raw } else { draft.instantiate()? };
    let mut before = Executable::new(raw, std::mem::take(&mut draft.kept));
    std::mem::swap(&mut *state, &mut before);
    let is_another = state.raw.0 != before.raw.0;
    state.latest = before.latest.take();
    drop(state);
    release_after_runs(device, is_another.then_some(before.raw), before.kept);
    Ok(())
}

/// Releases what pending runs may still use, after those runs: what the nodes of a graph refer to, and the driver's
/// graph that was instantiated from them, unless it has other nodes now.
fn release_after_runs(device: &Arc<DeviceState>, raw: Option<Raw<CUgraphExec_st>>, kept: GraphReferences) {
    let owner = Arc::clone(device);
    // The graph runs only on its device.
    let graph = Release { is_shared: false, ..Release::new(Some(device)) };
    let released = pending::release(&device.driver, graph, move |_, _| {
        let Some(_open) = owner.keep_open() else { return Ok(()) };
        // SAFETY: created once and destroyed once; no run of it is left.
        let destroyed = raw.map_or(Ok(()), |raw| owner.call(|api| unsafe { api.graph_exec_destroy(raw.0) }));
        for room in &kept.rooms {
            let room: *mut c_void = std::ptr::with_exposed_provenance_mut(*room);
            // SAFETY: the graph's pinned memory, of which no run is left.
            owner.driver.end_in(&owner.context, |api| unsafe { api.mem_free_host(room) });
        }
        // This happens while the device is open, because the objects may be events of it.
        drop(kept);
        destroyed
    });
    device.driver.note_refusal(released);
}

/// Enqueues a run. The graph is locked only while the driver is called: a call that waits for room holds up no other
/// call for it.
pub(super) fn queue(stream: &StreamState, graph: &Arc<dyn Graph>) -> Result<Position> {
    let graph = CudaGraph::of(graph)?;
    stream.submit_in_places(1, |_| {
        let mut state = graph.state.lock();
        if state.has_kernels {
            // The nodes may use memory on any device.
            stream.note_crossing();
        }
        stream.refuse_in_capture(
            "the captured graph cannot contain the launch of another graph; launch it before or after the capture",
        )?;
        if state.has_user_code {
            stream.note_wait();
        }
        let launched = launch(stream, &mut state);
        for work in &state.kept.nodes {
            if let Work::Record(event) = work
                && let Ok(event) = CudaEvent::of(&**event)
            {
                event.note_record(stream.depends_on_program(), false);
            }
        }
        launched
    })
}

/// Launches the driver's graph, and a mark after it.
fn launch(stream: &StreamState, graph: &mut Executable) -> Result<()> {
    // The driver does not order runs of two of its graphs, nor launches of a graph without nodes. (A graph that was
    // replaced exists until its runs are complete, so no other graph has its address before.)
    let is_empty = graph.kept.nodes.is_empty();
    let is_unordered = |raw: Raw<_>| is_empty || raw.0 != graph.raw.0;
    if let Some((before, _)) = graph.latest.as_ref().filter(|latest| is_unordered(latest.1)) {
        // SAFETY: the mark of the latest launch is alive in `graph`, and `stream` is on the same device.
        stream.device.call_here(|api| unsafe { api.stream_wait_event(stream.raw.0, before.raw.0, 0) })?;
    }
    // The mark is created first, because a launch cannot be undone if there is no memory for its mark.
    let mark = Mark::unset(&stream.device)?;
    if !is_empty {
        // SAFETY: a live graph and a stream of the same open device.
        stream.device.call_here(|api| unsafe { api.graph_launch(graph.raw.0, stream.raw.0) })?;
    }
    stream.record(&mark)?;
    graph.latest = Some((mark, graph.raw));
    Ok(())
}

impl CudaGraph {
    fn of(graph: &Arc<dyn Graph>) -> Result<&Self> {
        downcast(&**graph, "the graph belongs to another backend")
    }
}

impl Graph for CudaGraph {
    fn is_running(&self) -> Result<bool> {
        self.state.lock().latest.as_ref().map_or(Ok(false), |(mark, _)| mark.ask().map(|past| !past))
    }

    /// Does nothing: the driver cannot drop work, so what it holds will run.
    fn abort(&self) {}
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        state.latest = None;
        release_after_runs(&self.device, Some(state.raw), std::mem::take(&mut state.kept));
    }
}
