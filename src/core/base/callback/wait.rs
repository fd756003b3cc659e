//! Waits until other threads have left callbacks, and refuses cycles of such waits.

use std::sync::Arc;

use parking_lot::Mutex;

/// An object whose callbacks a thread waits for.
pub trait CallbackSource: Send + Sync {
    /// Returns the threads that are inside its callbacks now. While a thread waits for it, no other thread enters.
    fn threads(&self) -> Vec<u64>;
}

/// A thread that waits, and the object that it waits for.
type Waiting = (u64, Arc<dyn CallbackSource>);

/// All waits. The locks inside of [`CallbackSource::threads`] come after this one.
static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());

/// A wait of the thread with this number. It ends when this is dropped.
pub struct Wait(u64);

/// Error: a thread inside the awaited callbacks waits, directly or through others, for a callback of the caller.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle;

impl Wait {
    /// Registers that `thread` waits for all callbacks of `for_` on other threads. Fails if one of those threads waits
    /// for a callback that `thread` is inside of. The last wait of a cycle closes it, so one check at the beginning is
    /// enough.
    pub fn begin(thread: u64, for_: Arc<dyn CallbackSource>) -> Result<Self, Circle> {
        let mut waiting = WAITING.lock();
        let mut others = for_.threads().into_iter().filter(|other| *other != thread);
        ensure!(!others.any(|other| leads_to(&waiting, other, thread)), Circle);
        waiting.push((thread, for_));
        Ok(Self(thread))
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let ended = WAITING.lock().extract_if(.., |(thread, _)| *thread == self.0).next();
        // The lock is not held here: this may be the last reference to the object.
        drop(ended);
    }
}

/// Whether `from` waits for `thread`. The recursion ends, because no waits form a cycle.
fn leads_to(waiting: &[Waiting], from: u64, thread: u64) -> bool {
    // A thread waits for one thing at a time, and not for its own callbacks.
    let awaited = waiting.iter().find(|(waiter, _)| *waiter == from);
    let mut others = awaited.into_iter().flat_map(|(_, awaited)| awaited.threads()).filter(|other| *other != from);
    others.any(|other| other == thread || leads_to(waiting, other, thread))
}

#[cfg(test)]
#[path = "wait_tests.rs"]
mod tests;
