//! Callbacks of the program that are called when a graph is destroyed, or ends with its device.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::base::error::{Code, Result, param_invalid};
use crate::base::{callback, handles};
use crate::graph::graph::Graph;

/// A callback of the program.
pub struct EndCallback {
    /// The address of the callback, which identifies it.
    pub address: usize,
    /// Calls the callback.
    pub call: Box<dyn FnOnce() + Send>,
}

/// Callbacks of graphs that have ended, to be called when no lock is held.
static LATE: Mutex<Vec<EndCallback>> = Mutex::new(Vec::new());

/// True if there are such callbacks. Calls without any read only this.
static IS_ANY_LATE: AtomicBool = AtomicBool::new(false);

/// Implements aclmdlRIDestroyRegisterCallback.
pub fn register(raw: u64, callback: EndCallback) -> Result<()> {
    let graph = handles::get_arc::<Graph>("modelRI", raw)?;
    graph.check_not_body("register the function for the parent graph")?;
    graph.ready_or(Code::ModelCaptured)?;
    let address = callback.address;
    let mut callbacks = graph.end_callbacks.lock();
    if callbacks.iter().any(|other| other.address == address) {
        return Err(param_invalid!(
            "func {address:#x} is registered for modelRI {raw:#x} already; call aclmdlRIDestroyUnregisterCallback first"
        ));
    }
    callbacks.push(callback);
    drop(callbacks);
    let Err(dead) = handles::get::<Graph>("modelRI", raw) else { return Ok(()) };
    // Another thread has destroyed the graph meanwhile. Either that thread calls the callback, or none does.
    take(&graph, address).map_or(Ok(()), |_| Err(dead))
}

fn take(graph: &Graph, address: usize) -> Option<EndCallback> {
    graph.end_callbacks.lock().extract_if(.., |callback| callback.address == address).next()
}

/// Implements aclmdlRIDestroyUnregisterCallback.
pub fn unregister(raw: u64, address: usize) -> Result<()> {
    let graph = handles::get_arc::<Graph>("modelRI", raw)?;
    let taken = take(&graph, address).map(drop);
    taken.ok_or_else(|| {
        param_invalid!(
            "func {address:#x} is not registered for modelRI {raw:#x}: it never was, or it was unregistered; pass a \
             function that aclmdlRIDestroyRegisterCallback registered for this graph"
        )
    })
}

/// Notes that a graph was removed from the table. May be called under locks: [`run_pending`] follows without them.
pub(crate) fn graph_ended(graph: &Graph) {
    let mut callbacks = std::mem::take(&mut *graph.end_callbacks.lock());
    if !callbacks.is_empty() {
        let mut late = LATE.lock();
        late.append(&mut callbacks);
        IS_ANY_LATE.store(true, Ordering::Release);
    }
}

/// Calls the callbacks of graphs that have ended. The caller holds no lock and no reference.
pub(crate) fn run_pending() {
    if !IS_ANY_LATE.load(Ordering::Acquire) {
        return;
    }
    let callbacks = {
        let mut late = LATE.lock();
        IS_ANY_LATE.store(false, Ordering::Release);
        std::mem::take(&mut *late)
    };
    call(callbacks);
}

/// Calls the callbacks in order. The caller holds no lock and no reference.
pub fn call(callbacks: Vec<EndCallback>) {
    callbacks.into_iter().for_each(|end| callback::run("callback of a graph's end", end.call));
}
