//! Finds out what the other threads of the process do: they run, sleep for a time, or wait for something.
//!
//! The system's list of threads shows it (`/proc/self/task`), also for threads that the library has never seen. A
//! thread that another one has woken counts as running from that moment on.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, RawDir, fstat, stat};

use crate::algo::host::descriptor::Descriptor;
use crate::algo::thread::state::{StateFile, read_beginning, state};

/// The system's number of a thread.
pub(super) type Tid = u32;

/// The time that a thread spends in one place before it counts as waiting. A lock that is only taken for a moment does
/// not count.
const WAITS: Duration = Duration::from_micros(300);
/// The same time for system calls that mostly return by themselves.
const WAITS_LONG: Duration = Duration::from_millis(20);
/// The duration of a sleep below which a thread counts as one that comes back by itself.
const SLEEPS: Duration = Duration::from_millis(500);
/// The processor time without a call of the library after which a thread counts as waiting in a loop.
const SPINS: Duration = Duration::from_millis(50);
/// The same time after the next turn, for a thread that counts as waiting in a loop already.
const SPINS_ON: Duration = Duration::from_millis(2);
/// The most threads whose files stay open: descriptors belong to the program.
const OPEN: usize = 8;

/// The folder of the process's threads.
const TASKS: &str = "/proc/self/task";

/// What a thread did at the last check.
struct Seen {
    /// The system call, its arguments and the stack pointer, or nothing while the thread runs.
    place: String,
    since: Instant,
    /// The thread's processor time at which it counts as waiting in a loop.
    spins_at: Duration,
    /// The thread's processor time if it counted as waiting.
    waits_at: Option<Duration>,
    /// The thread's state, if its file is open.
    state: Option<StateFile>,
}

impl Seen {
    fn state(&self, tid: Tid) -> Option<char> {
        self.state.as_ref().map_or_else(|| state(tid), StateFile::state)
    }
}

/// The threads that are neither at a call nor in the library's hands.
#[derive(Default)]
pub(super) struct Threads {
    seen: HashMap<Tid, Seen>,
    /// All of them, as far as is known.
    others: Vec<Tid>,
    /// Whether the system's number of threads shows that `others` are still all. To list all threads takes far longer
    /// than their number does.
    is_listed: bool,
    /// Whether none of them has run between the two latest checks.
    has_none_run: bool,
    /// The open folder of threads, which has their number. The program may have closed it.
    folder: Option<Descriptor>,
    /// The number of times that all threads were listed.
    #[cfg(test)]
    pub lists: usize,
}

impl Threads {
    /// Whether no thread runs, except those that `is_known`, of which there are `known`.
    pub(super) fn are_quiet(&mut self, known: usize, is_known: impl Fn(Tid) -> bool) -> bool {
        // If one of the threads has run, they are checked again: it may have woken one that was checked already, and
        // have ended before it was checked itself.
        self.has_none_run = true;
        self.seem_quiet(known, &is_known) && (self.has_none_run || self.seem_quiet(known, &is_known))
    }

    fn seem_quiet(&mut self, known: usize, is_known: &impl Fn(Tid) -> bool) -> bool {
        let are_known = |all: &[Tid]| all.iter().any(|&tid| is_known(tid));
        if !self.is_listed || self.count() != Some(known + self.others.len()) || are_known(&self.others) {
            self.list(is_known);
        }
        let others = std::mem::take(&mut self.others);
        let are_quiet = others.iter().all(|&tid| self.is_quiet(tid));
        self.others = others;
        are_quiet
    }

    /// Lists the threads.
    fn list(&mut self, is_known: impl Fn(Tid) -> bool) {
        let mut tasks = tasks();
        self.is_listed = self.count() == Some(tasks.len());
        self.has_none_run = false;
        tasks.retain(|&tid| !is_known(tid));
        self.seen.retain(|tid, _| tasks.contains(tid));
        self.others = tasks;
        #[cfg(test)]
        (self.lists += 1);
    }

    /// Notes that an actor goes on, so that threads that wait in loops may have reason to leave them. All threads are
    /// quiet then, so those without a place wait in loops.
    pub(super) fn note_turn(&mut self) {
        for (&tid, seen) in self.seen.iter_mut().filter(|(_, seen)| seen.place.is_empty()) {
            seen.spins_at = processor_time(tid) + SPINS_ON;
        }
    }

    fn is_quiet(&mut self, tid: Tid) -> bool {
        // Its processor time shows that a thread has not run, and its state that none has woken it.
        let used = processor_time(tid);
        if let Some(seen) = self.seen.get(&tid)
            && seen.waits_at == Some(used)
            && seen.state(tid).is_some_and(|state| state != 'R')
        {
            return true;
        }
        self.has_none_run = false;
        let read = read_beginning(tid, "syscall");
        // A thread that has ended may have started another one.
        self.is_listed &= read.is_some();
        // The thread has ended. The first thread stays listed, without a stack.
        let Some(place) = read.filter(|place| !place.starts_with("-1 0x0 0x0")) else { return true };
        // -1 means that the thread is interrupted, as by a page that is read.
        let shows_none = place.starts_with("running") || place.starts_with("-1");
        // From the moment in which a thread is woken until an idle processor begins to run it, the system still shows
        // the call in which it waited. Only its state is that of a thread that runs.
        let runs = shows_none || state(tid).is_none_or(|state| state == 'R');
        let place = if runs { String::new() } else { place };
        let now = Instant::now();
        let first = || Seen { place: String::new(), since: now, spins_at: used + SPINS, waits_at: None, state: None };
        let seen = self.seen.entry(tid).or_insert_with(first);
        if seen.place != place {
            (seen.place, seen.since) = (place, now);
        }
        seen.waits_at = None;
        if runs {
            return used >= seen.spins_at;
        }
        let is_quiet = now - seen.since >= patience(&seen.place);
        if is_quiet {
            seen.spins_at = used + SPINS;
            seen.waits_at = Some(used);
            self.keep_open(tid);
        }
        is_quiet
    }

    /// Keeps the file of a thread's state open if there is room.
    fn keep_open(&mut self, tid: Tid) {
        let has_room = self.seen.values().filter(|seen| seen.state.is_some()).count() < OPEN;
        if let Some(seen) = self.seen.get_mut(&tid).filter(|seen| has_room && seen.state.is_none()) {
            seen.state = StateFile::open(tid);
        }
    }

    /// Returns the number of threads of this process.
    fn count(&mut self) -> Option<usize> {
        let open = self.folder.as_ref().and_then(|folder| folder.get().ok());
        let about = match open.and_then(|open| fstat(open).ok()) {
            Some(about) => about,
            None => {
                self.folder = open_tasks().and_then(|folder| Descriptor::new(folder).ok());
                stat(TASKS).ok()?
            }
        };
        // The folder has a link for each of its folders, for itself and for the folder above it.
        usize::try_from(about.st_nlink).ok()?.checked_sub(2)
    }
}

fn open_tasks() -> Option<OwnedFd> {
    rustix::fs::open(TASKS, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Returns the threads of this process.
fn tasks() -> Vec<Tid> {
    let Some(folder) = open_tasks() else { return Vec::new() };
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut entries = RawDir::new(folder, &mut buffer);
    let mut tasks = Vec::new();
    while let Some(Ok(entry)) = entries.next() {
        tasks.extend(entry.file_name().to_str().ok().and_then(|name| name.parse::<Tid>().ok()));
    }
    tasks
}

/// Returns the time that a thread spends in this system call before it counts as waiting.
fn patience(place: &str) -> Duration {
    match place.split(' ').next().and_then(|number| number.parse().ok()) {
        Some(libc::SYS_futex) => WAITS,
        Some(libc::SYS_nanosleep | libc::SYS_clock_nanosleep) => SLEEPS,
        _ => WAITS_LONG,
    }
}

/// Returns the processor time of a thread of this process.
fn processor_time(tid: Tid) -> Duration {
    /// The kernel's number of the clock "processor time of a thread", in the lowest bits of a clock's id.
    const OF_THREAD: i32 = 6;
    let clock = !(tid as i32) << 3 | OF_THREAD;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one value to `time`. It fails for a thread that has ended, and then writes nothing.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
#[path = "threads_tests.rs"]
mod tests;
