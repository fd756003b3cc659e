//! The state of another thread of this process.

use rustix::fs::{Mode, OFlags};

use crate::host::descriptor::Descriptor;

/// The flags of a file that is only read.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);

/// Returns the system's letter for a thread's state, such as R for one that runs or is about to. `number` is the
/// kernel's number of the thread, which has ended if there is no letter.
pub fn state(number: u32) -> Option<char> {
    letter(&read_beginning(number, "stat")?)
}

/// Returns the letter in the beginning of a file `stat`.
fn letter(stat: &str) -> Option<char> {
    // The name of the thread, which is in brackets before the state, may contain any character.
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Returns the beginning of the system's file about a thread of this process, or nothing if the thread has ended. The
/// system writes such a file for each read, so there is one read only.
pub fn read_beginning(number: u32, file: &str) -> Option<String> {
    let file = rustix::fs::open(format!("/proc/self/task/{number}/{file}"), READ, Mode::empty()).ok()?;
    let mut bytes = [0; 256];
    let len = rustix::io::read(file, &mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..len]).into_owned())
}

/// The file with the state of one thread, which stays open: to open it takes longer than to read it.
#[derive(Debug)]
pub struct StateFile {
    number: u32,
    file: Descriptor,
}

impl StateFile {
    /// Opens the file. The kernel's number of the thread is `number`.
    pub fn open(number: u32) -> Option<Self> {
        let opened = rustix::fs::open(format!("/proc/self/task/{number}/stat"), READ, Mode::empty()).ok()?;
        Some(Self { number, file: Descriptor::new(opened).ok()? })
    }

    /// Returns the letter for the thread's state, or nothing if the thread has ended.
    pub fn state(&self) -> Option<char> {
        let mut bytes = [0; 256];
        // The program may have closed it. It cannot be read if the thread has ended, but another may have its number.
        match self.file.get().ok().and_then(|open| rustix::io::pread(open, &mut bytes, 0).ok()) {
            Some(len) => letter(&String::from_utf8_lossy(&bytes[..len])),
            None => state(self.number),
        }
    }
}
