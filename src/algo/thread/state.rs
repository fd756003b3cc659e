//! The state of another thread of this process.

use rustix::fs::{Mode, OFlags};

/// Returns the system's letter for a thread's state, such as R for one that runs or is about to. `number` is the
/// kernel's number of the thread, which has ended if there is no letter.
pub fn state(number: u32) -> Option<char> {
    let stat = read_beginning(number, "stat")?;
    // The name of the thread, which is in brackets before the state, may contain any character.
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Returns the beginning of the system's file about a thread of this process, or nothing if the thread has ended. The
/// system writes such a file for each read, so there is one read only.
pub fn read_beginning(number: u32, file: &str) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(format!("/proc/self/task/{number}/{file}"), flags, Mode::empty()).ok()?;
    let mut bytes = [0; 256];
    let len = rustix::io::read(file, &mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..len]).into_owned())
}
