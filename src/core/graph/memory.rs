//! Memory of pools that graphs own: what a captured stream takes from a pool.
//!
//! A graph has its memory from the capture until it is destroyed, so that addresses are the same in
//! each run. For the program it is there from the task that takes it until it is freed: by a task of
//! the same graph, by one of another graph, or outside of graphs. What was taken by a run and not freed
//! is not taken again before it is, and stays when the graph is destroyed, until it is freed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::capture::Capture;
use super::task::What;
use crate::algo::map::slot_table::Handle;
use crate::backend;
use crate::backend::Op;
use crate::core::base::error::{Error, Result};
use crate::core::base::release_failure;
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::memory::hooked_memory;
use crate::core::memory::memory_hook::{self, MemoryKind};
use crate::core::pool::mem_pool;
use crate::core::stream::Stream;

/// One allocation.
#[derive(Clone, Copy)]
struct Piece {
    /// The graph that owns it.
    graph: Handle,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No run has taken it, or it was freed.
    Free,
    /// A run has taken it.
    Taken,
    /// Likewise, and the graph is gone.
    Left,
}

/// By address.
static PIECES: Mutex<BTreeMap<usize, Piece>> = Mutex::new(BTreeMap::new());
/// How many there are: one look for programs without any.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Whether graphs have any memory.
#[inline]
fn is_any() -> bool {
    // Relaxed: who has an address of it has seen this.
    COUNT.load(Ordering::Relaxed) != 0
}

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
        let piece = Piece { graph, state: State::Free };
        if PIECES.lock().insert(addr, piece).is_none() {
            COUNT.fetch_add(1, Ordering::Relaxed);
        }
        self.own.push(addr);
        self.taken.push(addr);
        Ok(())
    }

    /// A task of the graph frees memory.
    pub fn free(&mut self, graph: Handle, addr: usize) -> Result<()> {
        let owner = PIECES.lock().get(&addr).map(|piece| piece.graph);
        let Some(owner) = owner else { return Err(not_a_graphs(addr)) };
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
        let mut pieces = PIECES.lock();
        let state = |addr: &usize| pieces.get(addr).map(|piece| piece.state);
        if let Some(addr) = self.taken.iter().find(|addr| state(addr) != Some(State::Free)) {
            return Err(Error::param_invalid(format_args!(
                "modelRI takes memory at {addr:#x} that a run before has taken, and nobody has freed it since; free \
                 it with aclrtMemPoolFreeAsync in the stream that uses it, or in the capture"
            )));
        }
        if let Some(addr) = self.freed.iter().find(|addr| state(addr) != Some(State::Taken)) {
            return Err(Error::param_invalid(format_args!(
                "modelRI frees memory at {addr:#x} of another graph, which no run has taken, which was freed before, or \
                 whose graph was destroyed; run the graph that takes it first"
            )));
        }
        change(&mut pieces, &self.taken, State::Free, State::Taken);
        change(&mut pieces, &self.freed, State::Taken, State::Free);
        Ok(())
    }

    /// The run was not queued after all.
    pub fn undo_run(&self) {
        let mut pieces = PIECES.lock();
        change(&mut pieces, &self.taken, State::Taken, State::Free);
        change(&mut pieces, &self.freed, State::Free, State::Taken);
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

fn change(pieces: &mut BTreeMap<usize, Piece>, addrs: &[usize], from: State, to: State) {
    for addr in addrs {
        if let Some(piece) = pieces.get_mut(addr).filter(|piece| piece.state == from) {
            piece.state = to;
        }
    }
}

impl Memory {
    /// The graph is over: what nobody has taken goes back to its pools. The first that did not.
    pub fn end(&mut self) -> Result<()> {
        let own = std::mem::take(&mut self.own);
        // With a device goes all its memory.
        let is_there = |addr: &usize| find(*addr).is_some();
        let there: Vec<bool> = own.iter().map(is_there).collect();
        let mut idle = Vec::new();
        let mut pieces = PIECES.lock();
        for (addr, is_there) in own.into_iter().zip(there) {
            match pieces.get_mut(&addr) {
                Some(piece) if is_there && piece.state == State::Taken => piece.state = State::Left,
                Some(_) => {
                    pieces.remove(&addr);
                    COUNT.fetch_sub(1, Ordering::Relaxed);
                    idle.push(addr);
                }
                None => {}
            }
        }
        drop(pieces);
        idle.into_iter().map(give_back).fold(Ok(()), Result::and)
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
fn give_back(addr: usize) -> Result<()> {
    let Some(found) = find(addr) else { return Ok(()) };
    let free = || mem_pool::free_now(&found).map(drop);
    match memory_hook::exist() {
        true => hooked_memory::free(addr, &[MemoryKind::Pool], free),
        false => free(),
    }
}

/// Whether this is memory that its graph alone has: no run has taken it, or it was freed since.
pub fn goes_with_its_graph(addr: usize) -> bool {
    is_any() && PIECES.lock().get(&addr).is_some_and(|piece| piece.state == State::Free)
}

/// The program frees memory, outside of captures: true if that was all, because it stays with a graph,
/// which may take it again.
#[inline]
pub fn keeps(addr: usize) -> Result<bool> {
    if is_any() { free_outside(addr) } else { Ok(false) }
}

#[cold]
fn free_outside(addr: usize) -> Result<bool> {
    let mut pieces = PIECES.lock();
    let Some(piece) = pieces.get_mut(&addr) else { return Ok(false) };
    match piece.state {
        State::Free => Err(Error::param_invalid(format_args!(
            "ptr {addr:#x} is memory of modelRI {:#x}, which no run has taken, or which was freed before; it goes with \
             the graph",
            piece.graph.raw()
        ))),
        State::Taken => {
            piece.state = State::Free;
            Ok(true)
        }
        State::Left => {
            pieces.remove(&addr);
            COUNT.fetch_sub(1, Ordering::Relaxed);
            Ok(false)
        }
    }
}

/// The capture of a stream that takes memory of a pool, or frees it.
fn capture_of(stream: &Stream) -> Result<Arc<Capture>> {
    let capture = stream.recorder.take_part()?;
    capture.check()?;
    match capture.is_body {
        _ if capture.is_built => Err(stream.recorder.no_pools()),
        true => Err(stream.recorder.no_pools_in_body()),
        false => Ok(capture),
    }
}

/// A captured stream gets memory, which is the graph's, by `malloc`.
#[cold]
pub fn captured_malloc(stream: &Stream, malloc: impl FnOnce() -> Result<usize>) -> Result<usize> {
    let capture = capture_of(stream)?;
    let addr = malloc()?;
    if let Err(error) = capture.with_memory(|memory| memory.add(capture.graph, addr, stream)) {
        // The first failure is the one to tell.
        note(give_back(addr));
        return Err(error);
    }
    capture.add(stream.handle, What::MemAlloc, vec![None])?;
    Ok(addr)
}

/// A captured stream frees memory.
#[cold]
pub fn captured_free(stream: &Stream, addr: usize) -> Result<()> {
    let capture = capture_of(stream)?;
    capture.with_memory(|memory| memory.free(capture.graph, addr))?;
    capture.add(stream.handle, What::MemFree, vec![None]).map(drop)
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
