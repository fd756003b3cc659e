//! The end of what calls may be inside of: it comes when the last of them has left.

use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long calls get to leave. Nothing that they could wait for is left by then, so this is for
/// threads that somebody stopped.
const PATIENCE: Duration = Duration::from_secs(5);
const SHORTEST_PAUSE: Duration = Duration::from_micros(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Waits until nobody else holds `object`, which nobody can find any more. A call that is inside
/// holds it, or something that does. `sweep` runs before each look and lets go of what was left
/// behind; it tells whether waiting makes sense. False when it does not, or takes too long.
pub fn wait_until_unshared<T>(object: &mut Arc<T>, mut sweep: impl FnMut(&Arc<T>) -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = SHORTEST_PAUSE;
    loop {
        let go_on = sweep(object);
        // With the acquire of this, and not only a look at the count: what the others did with the
        // object has happened.
        if Arc::get_mut(object).is_some() {
            return true;
        }
        if !go_on || Instant::now() >= deadline {
            return false;
        }
        crate::algo::thread::pause::pause(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
