//! The callbacks of the program for the end of a graph.

use parking_lot::Mutex;

use crate::core::base::callback;

/// A callback of the program.
pub struct EndCallback {
    /// Its address, which identifies it.
    pub address: usize,
    /// Calls it.
    pub call: Box<dyn FnOnce() + Send>,
}

/// The callbacks of one graph, in the order of registration.
#[derive(Default)]
pub struct EndCallbacks(pub Mutex<Vec<EndCallback>>);

impl EndCallbacks {
    /// Takes them, to be called once.
    pub fn take(&self) -> Vec<EndCallback> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// Calls them in order. The caller holds no lock and no reference.
pub fn call(callbacks: Vec<EndCallback>) {
    callbacks.into_iter().for_each(|end| callback::run("callback of a graph's end", end.call));
}
