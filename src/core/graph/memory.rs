//! Pool memory that graphs own: a captured stream has allocated it from a pool.
//!
//! A graph has its memory from the capture until it is destroyed, so that addresses are the same in each run. The
//! program has it from the task that allocates it until it is freed: by a task of the same graph, by one of another
//! graph, or outside of graphs. Memory that a run has allocated and nothing has freed is not allocated again before it
//! is freed. If the graph is destroyed meanwhile, the memory stays until it is freed.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::backend::{self, Op};
use crate::base::error::{Result, param_invalid};
use crate::base::release_failure;
use crate::memory::allocation::{Allocation, Kind};
use crate::order::checker;
use crate::pool::mem_pool::{self, owned};
use crate::stream::Stream;

/// The allocations and frees of a graph's runs.
#[derive(Default)]
pub struct GraphMemory {
    /// The addresses that it owns.
    own: Vec<usize>,
    /// The addresses that a run allocates and does not free.
    taken: Vec<usize>,
    /// The addresses that a run frees and does not allocate.
    freed: Vec<usize>,
    /// Events that are recorded in the captured streams after their earlier work, which may use the pool's memory.
    arrivals: Mutex<Vec<(Handle, Arc<dyn backend::Event>)>>,
}

impl GraphMemory {
    /// Whether the graph has any pool memory.
    pub(crate) fn is_any(&self) -> bool {
        !self.own.is_empty() || !self.freed.is_empty()
    }

    /// Adds memory that a captured stream has allocated, which belongs to the graph.
    pub fn add(&mut self, graph: Handle, addr: usize, stream: &Stream) -> Result<()> {
        let arrivals = self.arrivals.get_mut();
        let known = arrivals.iter().find(|(owner, _)| *owner == stream.handle).map(|(_, event)| Arc::clone(event));
        let event = known.map_or_else(|| stream.device.native.create_event(false), Ok)?;
        stream.queue_quietly(Op::Record(&event))?;
        arrivals.retain(|(owner, _)| *owner != stream.handle);
        arrivals.push((stream.handle, event));
        owned::add(graph, addr);
        self.own.push(addr);
        self.taken.push(addr);
        Ok(())
    }

    /// Adds a task of the graph that frees memory.
    pub fn free(&mut self, graph: Handle, addr: usize) -> Result<()> {
        let owner = owned::graph_of(addr).ok_or_else(|| {
            param_invalid!(
                "ptr {addr:#x} is not live memory that a captured stream allocated from a pool, so a capture cannot free \
                 it; free other pool memory in a stream that is not captured"
            )
        })?;
        let before = self.taken.len();
        self.taken.retain(|taken| *taken != addr);
        if self.taken.len() != before {
            return Ok(());
        }
        let is_freed = owner == graph || self.freed.contains(&addr);
        ensure!(!is_freed, param_invalid!("ptr {addr:#x} is freed in this capture already"));
        self.freed.push(addr);
        Ok(())
    }

    /// Queues a run with `queue`, and notes its allocations and frees. Fails if the graph may not run.
    pub(crate) fn in_run<T>(&self, stream: &Stream, queue: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.is_any() {
            return queue();
        }
        owned::begin_run(&self.taken, &self.freed)?;
        if let Some(checker) = checker::installed() {
            for found in self.own.iter().filter_map(|addr| find(*addr)) {
                checker.graph_allocates(stream.handle.raw(), found.base, found.len);
            }
        }
        let queued = self.wait_for_arrivals(stream).and_then(|()| queue());
        queued.inspect_err(|_| owned::undo_run(&self.taken, &self.freed))
    }

    /// Orders a stream that is to run the graph after earlier uses of the memory.
    fn wait_for_arrivals(&self, stream: &Stream) -> Result<()> {
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

    /// Frees memory that no run has allocated to its pools, at the end of the graph. Returns the first failure.
    pub fn end(&mut self) -> Result<()> {
        let own = std::mem::take(&mut self.own);
        // A device that has ended has freed all its memory.
        let idle = owned::end_of_graph(own, |addr| find(addr).is_some());
        idle.into_iter().map(free).fold(Ok(()), Result::and)
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        note(self.end());
    }
}

/// Notes a failure that no call can return.
pub fn note(freed: Result<()>) {
    release_failure::note_outcome("graph memory was not freed", freed);
}

/// Returns the allocation at an address, unless its device is in teardown.
fn find(addr: usize) -> Option<Allocation> {
    let found = Allocation::find(addr).filter(|found| found.base == addr)?;
    (!matches!(found.kind, Kind::Pool(_) | Kind::ManagedPool(_)) || found.device().is_some()).then_some(found)
}

/// Frees memory that nothing uses any more to its pool.
pub fn free(addr: usize) -> Result<()> {
    if find(addr).is_some() { mem_pool::free_of_graph(addr) } else { Ok(()) }
}
