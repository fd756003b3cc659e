//! Memory of pools that graphs own: what a captured stream takes from a pool.
//!
//! A graph has its memory from the capture until it is destroyed, so that addresses are the same in
//! each run. For the program it is there from the task that takes it until it is freed: by a task of
//! the same graph, by one of another graph, or outside of graphs. What was taken by a run and not freed
//! is not taken again before it is, and stays when the graph is destroyed, until it is freed.

use std::sync::Arc;

use parking_lot::Mutex;

use super::capture::Capture;
use super::recorder::Recorder;
use super::task::What;
use crate::algo::map::slot_table::Handle;
use crate::backend;
use crate::backend::Op;
use crate::core::base::error::{Error, Result};
use crate::core::base::release_failure;
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::pool::mem_pool::captured::{self, Recording};
use crate::core::pool::mem_pool::{self, owned};
use crate::core::stream::Stream;

/// What a graph does with memory of pools in each run.
#[derive(Default)]
pub struct Memory {
    /// What it owns.
    own: Vec<usize>,
    /// What a run takes and does not free.
    taken: Vec<usize>,
    /// What a run frees and does not take.
    freed: Vec<usize>,
    /// Behind what the captured streams were given before: the pool's memory was in use there, perhaps.
    arrivals: Mutex<Vec<(Handle, Arc<dyn backend::Event>)>>,
}

impl Memory {
    /// Whether it has to do with memory of pools at all.
    pub fn is_any(&self) -> bool {
        !self.own.is_empty() || !self.freed.is_empty()
    }

    /// Memory that a captured stream has got belongs to the graph.
    pub fn add(&mut self, graph: Handle, addr: usize, stream: &Stream) -> Result<()> {
        let arrivals = self.arrivals.get_mut();
        let known = arrivals.iter().position(|(owner, _)| *owner == stream.handle);
        let index = match known {
            Some(index) => index,
            None => {
                let event = stream.device.native.create_event(false)?;
                arrivals.push((stream.handle, event));
                arrivals.len() - 1
            }
        };
        let event = &arrivals[index].1;
        stream.queue_quietly(Op::Record(event))?;
        owned::add(graph, addr);
        self.own.push(addr);
        self.taken.push(addr);
        Ok(())
    }

    /// A task of the graph frees memory.
    pub fn free(&mut self, graph: Handle, addr: usize) -> Result<()> {
        let Some(owner) = owned::graph_of(addr) else { return Err(not_a_graphs(addr)) };
        let before = self.taken.len();
        self.taken.retain(|taken| *taken != addr);
        if self.taken.len() != before {
            return Ok(());
        }
        if owner == graph || self.freed.contains(&addr) {
            return Err(freed_before(addr));
        }
        self.freed.push(addr);
        Ok(())
    }

    /// A run is about to be queued: it takes and frees, if it may.
    pub fn begin_run(&self) -> Result<()> {
        owned::begin_run(&self.taken, &self.freed)
    }

    /// The run was not queued after all.
    pub fn undo_run(&self) {
        owned::undo_run(&self.taken, &self.freed);
    }

    /// A stream that is to run the graph comes behind what used the memory before.
    pub fn wait_for_arrivals(&self, stream: &Stream) -> Result<()> {
        let mut arrivals = self.arrivals.lock();
        let mut left = Vec::new();
        for (owner, event) in arrivals.drain(..) {
            if !event.is_complete()? {
                stream.submit(Op::Wait(&event, None))?;
                left.push((owner, event));
            }
        }
        *arrivals = left;
        Ok(())
    }
}

impl Memory {
    /// The graph is over: what nobody has taken goes back to its pools. The first that did not.
    pub fn end(&mut self) -> Result<()> {
        let own = std::mem::take(&mut self.own);
        // With a device goes all its memory.
        let idle = owned::end_of_graph(own, |addr| find(addr).is_some());
        idle.into_iter().map(free).fold(Ok(()), Result::and)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        note(self.end());
    }
}

/// For where nobody can be told.
fn note(freed: Result<()>) {
    if let Err(error) = freed {
        release_failure::note_error("memory of a graph was not freed", &error);
    }
}

/// What is at an address, unless it goes with its device now.
fn find(addr: usize) -> Option<Allocation> {
    let found = Allocation::find(addr).filter(|found| found.base == addr)?;
    (!matches!(found.kind, Kind::Pool(_)) || found.device().is_some()).then_some(found)
}

/// Gives memory back to its pool, which nothing uses any more.
fn free(addr: usize) -> Result<()> {
    if find(addr).is_some() { mem_pool::free_of_graph(addr) } else { Ok(()) }
}

/// The capture of a stream that takes memory of a pool, or frees it.
fn capture_of(stream: &Stream) -> Result<Arc<Capture>> {
    let capture = Recorder::of(stream).take_part()?;
    capture.check()?;
    match capture.is_body {
        _ if capture.is_built => Err(Recorder::of(stream).no_pools()),
        true => Err(Recorder::of(stream).no_pools_in_body()),
        false => Ok(capture),
    }
}

/// Records what captured streams take from pools, and free.
struct PoolRecording;

/// Captured requests of pools are recorded from now on.
pub fn record_pools() {
    captured::register(&PoolRecording);
}

impl Recording for PoolRecording {
    fn malloc(
        &self,
        stream: &Stream,
        allocate: &mut dyn FnMut() -> Result<usize>,
    ) -> Result<usize> {
        let capture = capture_of(stream)?;
        let addr = allocate()?;
        if let Err(error) = capture.with_memory(|memory| memory.add(capture.graph, addr, stream)) {
            // The first failure is the one to report.
            note(free(addr));
            return Err(error);
        }
        capture.add(stream.handle, What::MemAlloc, vec![None])?;
        Ok(addr)
    }

    fn free(&self, stream: &Stream, addr: usize) -> Result<()> {
        let capture = capture_of(stream)?;
        capture.with_memory(|memory| memory.free(capture.graph, addr))?;
        capture.add(stream.handle, What::MemFree, vec![None]).map(drop)
    }
}

#[cold]
fn not_a_graphs(addr: usize) -> Error {
    Error::param_invalid(format_args!(
        "ptr {addr:#x} is no memory that was taken from a pool in a capture, which is all that a capture can free; \
         free it in a stream that is not captured"
    ))
}

#[cold]
fn freed_before(addr: usize) -> Error {
    Error::param_invalid(format_args!("ptr {addr:#x} is freed in this capture already"))
}
