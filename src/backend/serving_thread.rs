//! A thread of the library that is there while it is needed: started by the first who needs it, it ends by
//! itself, or when its owner stops it. Kept under the owner's lock, which the thread takes first.

use std::thread::{Builder, JoinHandle};

use super::{Fault, FaultKind, Result};

/// The thread, if there is one.
#[derive(Default)]
pub(super) struct ServingThread {
    is_there: bool,
    handle: Option<JoinHandle<()>>,
    stopping: bool,
}

/// A thread that is at its end, or told to end.
#[must_use = "it is joined without the lock"]
pub(super) struct Ending(Option<JoinHandle<()>>);

impl ServingThread {
    /// Starts it if it is not there; `purpose` is what it is for, if that fails. One that has ended by itself
    /// before is left to join.
    pub(super) fn need(
        &mut self,
        name: &str,
        purpose: &str,
        serve: impl FnOnce() + Send + 'static,
    ) -> Result<Ending> {
        if self.is_there {
            return Ok(Ending(None));
        }
        let handle = Builder::new().name(name.to_owned()).spawn(serve).map_err(|error| {
            let text = format!("no thread can be started {purpose}: {error}");
            Fault::new(FaultKind::OutOfResources, text)
        })?;
        self.is_there = true;
        Ok(Ending(self.handle.replace(handle)))
    }

    /// Tells it to end. The caller wakes it before it joins.
    pub(super) fn stop(&mut self) -> Ending {
        self.stopping = true;
        Ending(self.handle.take())
    }

    /// Whether it has been told to end.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Said by the thread itself, as the last thing under the lock.
    pub(super) fn has_ended(&mut self) {
        self.is_there = false;
    }

    #[cfg(test)]
    pub(super) fn is_there(&self) -> bool {
        self.is_there
    }
}

impl Ending {
    /// Waits for it. The caller holds no lock that it takes.
    pub(super) fn join(self) {
        if let Some(handle) = self.0 {
            let _ = handle.join();
        }
    }
}
