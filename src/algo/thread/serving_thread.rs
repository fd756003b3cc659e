//! A thread that runs while it is needed. It starts at its first use, and ends by itself, or when its owner stops it.
//! It is kept under the owner's lock, which the thread takes first.

use std::io;

use super::quiet_thread::{self, Handle};

/// The thread, if there is one.
#[derive(Default)]
pub struct ServingThread {
    is_there: bool,
    handle: Option<Handle>,
    stopping: bool,
}

/// A thread that has ended, or must end.
#[must_use = "join it after the lock is released"]
pub struct Stopped(Option<Handle>);

impl ServingThread {
    /// Creates the state without a thread.
    pub const fn new() -> Self {
        Self { is_there: false, handle: None, stopping: false }
    }

    /// Starts the thread if it does not run. Returns an earlier thread that has ended by itself, which the caller
    /// joins.
    pub fn need(&mut self, name: &str, serve: impl FnOnce() + Send + 'static) -> io::Result<Stopped> {
        if self.is_there {
            return Ok(Stopped(None));
        }
        let handle = quiet_thread::spawn(name, serve)?;
        self.is_there = true;
        Ok(Stopped(self.handle.replace(handle)))
    }

    /// Requests the thread's end. The caller wakes it before it joins.
    pub fn stop(&mut self) -> Stopped {
        self.stopping = true;
        Stopped(self.handle.take())
    }

    /// Whether the thread's end was requested.
    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Notes that the thread has ended. The thread itself calls this, as its last step under the lock.
    pub fn has_ended(&mut self) {
        self.is_there = false;
    }

    /// Whether the thread was started and has not ended.
    pub fn is_there(&self) -> bool {
        self.is_there
    }
}

impl Stopped {
    /// Joins the thread. The caller holds no lock that the thread takes.
    pub fn join(self) {
        if let Some(handle) = self.0 {
            handle.join();
        }
    }
}

#[cfg(test)]
#[path = "serving_thread_tests.rs"]
mod tests;
