//! Pool memory that graphs own, by address.
//!
//! A graph has its memory from the capture until it is destroyed. The program has it from the task that allocates it
//! until it is freed. Memory that a run has allocated and nothing has freed is not allocated again. If the graph is
//! destroyed meanwhile, the memory stays until it is freed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::base::error::{Result, param_invalid};

/// An allocation of a graph.
#[derive(Clone, Copy)]
struct Owned {
    /// The graph that owns it.
    graph: Handle,
    state: Ownership,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ownership {
    /// No run has allocated the memory, or it was freed.
    Free,
    /// A run has allocated the memory.
    Taken,
    /// A run has allocated the memory, and the graph is destroyed.
    Left,
}

/// The allocations, by address.
static OWNED: Mutex<BTreeMap<usize, Owned>> = Mutex::new(BTreeMap::new());
/// The number of allocations. Programs without any read only this.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Whether graphs have any memory.
#[inline]
pub(crate) fn is_any() -> bool {
    // Relaxed: a thread that has the address of such memory has seen this.
    COUNT.load(Ordering::Relaxed) != 0
}

/// Notes that memory belongs to a graph.
pub fn add(graph: Handle, addr: usize) {
    let owned = Owned { graph, state: Ownership::Free };
    if OWNED.lock().insert(addr, owned).is_none() {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the graph that memory belongs to.
pub(crate) fn graph_of(addr: usize) -> Option<Handle> {
    OWNED.lock().get(&addr).map(|owned| owned.graph)
}

/// Notes a run that allocates and frees this memory and is about to be enqueued. Fails if it may not run.
pub fn begin_run(taken: &[usize], freed: &[usize]) -> Result<()> {
    let mut all = OWNED.lock();
    let state = |addr: &usize| all.get(addr).map(|owned| owned.state);
    if let Some(addr) = taken.iter().find(|addr| state(addr) != Some(Ownership::Free)) {
        return Err(param_invalid!(
            "modelRI allocates memory at {addr:#x}, which is still allocated by an earlier run; free it with \
             aclrtMemPoolFreeAsync before the next run, or capture the free in the graph"
        ));
    }
    if let Some(addr) = freed.iter().find(|addr| state(addr) != Some(Ownership::Taken)) {
        return Err(param_invalid!(
            "modelRI frees memory at {addr:#x} of another graph, but no run has allocated this memory, or it was freed \
             since, or the other graph was destroyed; run the graph that allocates the memory before each run of \
             modelRI, and do not destroy it in between"
        ));
    }
    change(&mut all, taken, Ownership::Free, Ownership::Taken);
    change(&mut all, freed, Ownership::Taken, Ownership::Free);
    Ok(())
}

/// Undoes [`begin_run`], because the run was not enqueued.
pub(crate) fn undo_run(taken: &[usize], freed: &[usize]) {
    let mut all = OWNED.lock();
    change(&mut all, taken, Ownership::Taken, Ownership::Free);
    change(&mut all, freed, Ownership::Free, Ownership::Taken);
}

fn change(all: &mut BTreeMap<usize, Owned>, addrs: &[usize], from: Ownership, to: Ownership) {
    for addr in addrs {
        if let Some(owned) = all.get_mut(addr).filter(|owned| owned.state == from) {
            owned.state = to;
        }
    }
}

/// Ends the graph memory. Returns the memory that no run has allocated, which goes to its pools. `is_there`
/// returns whether memory was not released with its device.
pub(crate) fn end_of_graph(addrs: Vec<usize>, is_there: impl Fn(usize) -> bool) -> Vec<usize> {
    // This comes before the lock, because it reads the address map.
    let there: Vec<bool> = addrs.iter().map(|addr| is_there(*addr)).collect();
    let mut idle = Vec::new();
    let mut all = OWNED.lock();
    for (addr, is_there) in addrs.into_iter().zip(there) {
        match all.get_mut(&addr) {
            Some(owned) if is_there && owned.state == Ownership::Taken => owned.state = Ownership::Left,
            Some(_) => {
                all.remove(&addr);
                COUNT.fetch_sub(1, Ordering::Relaxed);
                idle.push(addr);
            }
            None => {}
        }
    }
    idle
}

/// Whether the memory belongs only to its graph: no run has allocated it, or it was freed since.
pub(crate) fn goes_with_its_graph(addr: usize) -> bool {
    is_any() && OWNED.lock().get(&addr).is_some_and(|owned| owned.state == Ownership::Free)
}

/// Called when the program frees memory outside of captures. Returns true if a graph keeps it, which may allocate it
/// again. Returns false for all memory unless [`is_any`].
pub(crate) fn retains(addr: usize) -> Result<bool> {
    if !is_any() {
        return Ok(false);
    }
    let mut all = OWNED.lock();
    let Some(owned) = all.get_mut(&addr) else { return Ok(false) };
    match owned.state {
        Ownership::Free => Err(param_invalid!(
            "the memory at {addr:#x} belongs to the graph (modelRI) {:#x} and is not allocated: no run has allocated \
             it, or it was freed since, perhaps by a graph; free it at most once after each run, and not at all if a \
             graph frees it",
            owned.graph.raw()
        )),
        Ownership::Taken => {
            owned.state = Ownership::Free;
            Ok(true)
        }
        Ownership::Left => {
            all.remove(&addr);
            COUNT.fetch_sub(1, Ordering::Relaxed);
            Ok(false)
        }
    }
}
