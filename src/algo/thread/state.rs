//! The state of another thread of this process.

use std::fs;

/// Returns the system's letter for a thread's state, such as R for one that runs or is about to. `number` is the
/// kernel's number of the thread, which has ended if there is no letter.
pub fn state(number: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/self/task/{number}/stat")).ok()?;
    // The name of the thread, which is in brackets before the state, may contain any character.
    stat.rsplit_once(") ")?.1.chars().next()
}
