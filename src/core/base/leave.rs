//! Waits until the last call has left an object that is going away.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::algo::thread::pause::Backoff;

/// Longest wait for calls to leave. Nothing that they could wait for exists by then. So only threads that a debugger or
/// a signal has stopped take that long.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits until the caller holds the only reference to `object`, which no new call can find. A call that is inside holds
/// one, directly or indirectly. `sweep` runs before each check and drops leftover references; it returns whether
/// waiting makes sense. Returns false if it does not, or if the wait takes too long.
pub(crate) fn wait_until_unshared<T>(object: &mut Arc<T>, mut sweep: impl FnMut(&Arc<T>) -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    let mut sleeps = Backoff::default();
    loop {
        let go_on = sweep(object);
        // `get_mut` acquires, unlike a read of the count: the other threads' writes to the object are visible.
        if Arc::get_mut(object).is_some() {
            return true;
        }
        if !go_on || Instant::now() >= deadline {
            return false;
        }
        sleeps.sleep(Duration::MAX);
    }
}
