//! A thread that runs while it is needed: started at its first use, it ends by itself, or when its owner stops it. Kept
//! under the owner's lock, which the thread takes first.

use std::io;
use std::thread::JoinHandle;

use super::quiet_thread;

/// The thread, if there is one.
#[derive(Default)]
pub struct ServingThread {
    is_there: bool,
    handle: Option<JoinHandle<()>>,
    stopping: bool,
}

/// A thread that has ended, or must end.
#[must_use = "it is joined without the lock"]
pub struct Stopped(Option<JoinHandle<()>>);

impl ServingThread {
    /// Not started yet.
    pub const fn new() -> Self {
        Self { is_there: false, handle: None, stopping: false }
    }

    /// Starts it if it does not run. An earlier thread that has ended by itself is returned to join.
    pub fn need(&mut self, name: &str, serve: impl FnOnce() + Send + 'static) -> io::Result<Stopped> {
        if self.is_there {
            return Ok(Stopped(None));
        }
        let handle = quiet_thread::spawn(name, serve)?;
        self.is_there = true;
        Ok(Stopped(self.handle.replace(handle)))
    }

    /// Requests its end. The caller wakes it before it joins.
    pub fn stop(&mut self) -> Stopped {
        self.stopping = true;
        Stopped(self.handle.take())
    }

    /// Whether its end was requested.
    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Called by the thread itself, as its last step under the lock.
    pub fn has_ended(&mut self) {
        self.is_there = false;
    }

    /// Whether it was started and has not ended.
    pub fn is_there(&self) -> bool {
        self.is_there
    }
}

impl Stopped {
    /// Joins it. The caller holds no lock that it takes.
    pub fn join(self) {
        if let Some(handle) = self.0 {
            let _ = handle.join();
        }
    }
}

#[cfg(test)]
#[path = "serving_thread_tests.rs"]
mod tests;
